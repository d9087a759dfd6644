from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.training.options import OnProgress

class BatchLearner:
    network: NTupleNetwork
    tables: LineTables
    options: LearnerOptions
    lane_type: np.dtype[np.void]
    threads: int
    moves: int
    games: int
    lanes: NDArray[np.void]
    def __init__(
        self,
        network: NTupleNetwork,
        tables: LineTables,
        learner: LearnerOptions,
        *,
        lanes: int,
        seed: int = 0,
        threads: int = 1,
        state: Mapping[str, NDArray[Any]] | None = None,
        rule: Literal["mean", "capped"] = "mean",
        cap: float = 1.0,
        moves_per_lane: int | None = None,
    ) -> None: ...
    def set_step(self, alpha: float, kind: str) -> None: ...
    def play(self, moves: int, on_progress: OnProgress | None = None) -> NDArray[np.void]: ...
    @property
    def active(self) -> int: ...
    @property
    def records(self) -> NDArray[np.void]: ...
    @property
    def errors(self) -> tuple[float, int]: ...
