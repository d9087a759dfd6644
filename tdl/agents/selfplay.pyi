from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.search.expectimax import Expectimax
from tdl.search.options import Evaluator, PlacerOptions, SearchOptions

ORDERS: tuple[str, ...]
MAX_LANES: int

class SelfPlay:
    network: NTupleNetwork
    tables: LineTables
    lanes: int
    learning: LearnerOptions
    search: Expectimax | None
    def __init__(
        self,
        network: NTupleNetwork,
        tables: LineTables,
        *,
        order: str = "none",
        alpha: float = 0.0,
        memory: Mapping[str, NDArray[Any]] | None = None,
        seed: int = 0,
        role: int = 0,
        lanes: int = 1,
        engine: str = "bits",
        placing: PlacerOptions | None = None,
        judge: Evaluator | None = None,
        searching: SearchOptions | None = None,
        **choices: Any,
    ) -> None: ...
    def set_step(self, alpha: float, kind: str) -> None: ...
    def begin(self, first: int, episodes: int, leader: SelfPlay | None = None) -> None: ...
    def advance(self, moves: int) -> bool: ...
    def play(self, first: int, episodes: int) -> NDArray[np.void]: ...
    @property
    def records(self) -> NDArray[np.void]: ...
    @property
    def moves(self) -> int: ...
    @property
    def finished(self) -> int: ...
    @property
    def errors(self) -> tuple[float, int]: ...
    @property
    def mean_abs_error(self) -> float: ...
