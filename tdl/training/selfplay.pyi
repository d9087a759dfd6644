from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.search.expectimax import Expectimax
from tdl.training.options import PlayOptions

class SelfPlay:
    network: NTupleNetwork
    tables: LineTables
    lanes: int
    options: LearnerOptions
    search: Expectimax | None
    def __init__(
        self,
        network: NTupleNetwork,
        tables: LineTables,
        learner: LearnerOptions,
        play: PlayOptions,
        *,
        role: int = 0,
        state: Mapping[str, NDArray[Any]] | None = None,
        learns: bool = True,
    ) -> None: ...
    def set_step(self, alpha: float, kind: str) -> None: ...
    def mark_moved(self, on: bool) -> None: ...
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
