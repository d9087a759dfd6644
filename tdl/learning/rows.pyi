import numpy as np
from numpy.typing import NDArray

def row_width(coherent: bool) -> int: ...
def pack(
    weights: NDArray[np.float32],
    sums: NDArray[np.float32] | None,
    chunks: NDArray[np.uint32],
    rows: NDArray[np.float32],
) -> None: ...
def unpack(rows: NDArray[np.float32], weights: NDArray[np.float32], sums: NDArray[np.float32] | None) -> None: ...
