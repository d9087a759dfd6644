import numpy as np
from numpy.typing import NDArray

from tdl.game.lines import LineTables
from tdl.network.ntuple import NTupleNetwork

OPERATIONS: tuple[str, ...]

class Operations:
    def __init__(
        self,
        network: NTupleNetwork,
        tables: LineTables,
        before: NDArray[np.uint8],
        after: NDArray[np.uint8],
        engine: str,
    ) -> None: ...
    def run(self, operation: str, passes: int) -> int: ...
