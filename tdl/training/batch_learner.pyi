from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.training.options import OnProgress, PlayOptions

class BatchLearner:
    network: NTupleNetwork
    tables: LineTables
    options: LearnerOptions
    threads: int
    moves: int
    games: int
    lanes: NDArray[np.void]
    def __init__(
        self,
        network: NTupleNetwork,
        tables: LineTables,
        learner: LearnerOptions,
        play: PlayOptions,
        *,
        state: Mapping[str, NDArray[Any]],
    ) -> None: ...
    def set_step(self, alpha: float, kind: str) -> None: ...
    def play(self, moves: int, on_progress: OnProgress | None = None) -> NDArray[np.void]: ...
    @property
    def active(self) -> int: ...
    @property
    def records(self) -> NDArray[np.void]: ...
    @property
    def errors(self) -> tuple[float, int]: ...
