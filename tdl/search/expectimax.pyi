import numpy as np
from numpy.typing import NDArray

from tdl.game.lines import LineTables
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import Placing, Searching

class Expectimax:
    network: NTupleNetwork
    tables: LineTables
    searching: Searching
    def __init__(
        self,
        network: NTupleNetwork,
        searching: Searching,
        tables: LineTables | None = None,
        *,
        gamma: float = 1.0,
        target: str = "afterstate",
        engine: str = "bits",
        placing: Placing | None = None,
    ) -> None: ...
    def values(self, board: int) -> NDArray[np.float64]: ...
    @property
    def counts(self) -> dict[str, int]: ...
