import numpy as np
from numpy.typing import NDArray

from tdl.game.lines import LineTables
from tdl.network.ntuple import NTupleNetwork

ORDERS: dict[str, int]
MAX_LANES: int

class SelfPlay:
    network: NTupleNetwork
    tables: LineTables
    lanes: int
    def __init__(
        self,
        network: NTupleNetwork,
        tables: LineTables,
        *,
        order: str = "none",
        alpha: float = 0.0,
        gamma: float = 1.0,
        td_lambda: float = 0.0,
        sums: NDArray[np.float32] | None = None,
        seed: int = 0,
        role: int = 0,
        lanes: int = 1,
    ) -> None: ...
    def begin(self, first: int, episodes: int) -> None: ...
    def advance(self, moves: int) -> bool: ...
    def play(self, first: int, episodes: int) -> NDArray[np.void]: ...
    @property
    def records(self) -> NDArray[np.void]: ...
    @property
    def moves(self) -> int: ...
    @property
    def finished(self) -> int: ...
    @property
    def mean_abs_error(self) -> float: ...
