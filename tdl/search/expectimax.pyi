import numpy as np
from numpy.typing import NDArray

from tdl.game.boards import BoardLike
from tdl.game.lines import LineTables
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import PlacerOptions, SearchOptions

class Expectimax:
    network: NTupleNetwork
    tables: LineTables
    options: SearchOptions
    def __init__(
        self,
        network: NTupleNetwork,
        options: SearchOptions,
        tables: LineTables | None = None,
        *,
        gamma: float = 1.0,
        target: str = "afterstate",
        engine: str = "bits",
        placer: PlacerOptions | None = None,
    ) -> None: ...
    def values(self, board: BoardLike) -> NDArray[np.float64]: ...
    @property
    def counts(self) -> dict[str, int]: ...
