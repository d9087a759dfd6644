from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Replica = tuple[NDArray[np.float32], NDArray[np.float32] | None, NDArray[np.uint8]]

class Merge:
    chunks: int
    def __init__(
        self, weights: NDArray[np.float32], sums: NDArray[np.float32] | None, replicas: Sequence[Replica]
    ) -> None: ...
    def chunks_between(self, first: int, last: int) -> int: ...
