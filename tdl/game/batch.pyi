import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.game.lines import LineTables
from tdl.game.rules import Rules

class Batch:
    tables: LineTables
    n: int
    tiles: NDArray[np.uint8]
    legal: NDArray[np.bool_]
    rewards: NDArray[np.int32]
    over: NDArray[np.bool_]
    score: NDArray[np.int64]
    moves: NDArray[np.int32]
    max_tile: NDArray[np.int64]
    episode: NDArray[np.int64]
    def __init__(self, rules: Rules | None = None, n: int = 1, *, engine: str = "bits") -> None: ...
    @property
    def rules(self) -> Rules: ...
    def start(self, which: ArrayLike | None, seed: ArrayLike, role: int, episodes: ArrayLike) -> None: ...
    def step(self, actions: ArrayLike, which: ArrayLike | None = None) -> NDArray[np.int32]: ...
    def afterstates(self) -> NDArray[np.uint8]: ...
