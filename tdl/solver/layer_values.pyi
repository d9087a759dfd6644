from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tdl.solver.layers import Layers

_Law = Sequence[tuple[int, float]]

def value_afterstates(
    boards: Layers,
    layer: int,
    following: Layers,
    values: NDArray[np.float64],
    law: _Law,
    out: NDArray[np.float64],
    reach: int = 0,
) -> None: ...
def value_states(
    boards: Layers,
    layer: int,
    afterstates: Layers,
    values: NDArray[np.float64],
    out: NDArray[np.float64],
    policy: str = "best",
    reach: int = 0,
    own: NDArray[np.float32] | None = None,
    gamma: float = 1,
    choices: NDArray[np.int64] | None = None,
) -> None: ...
def mark_drops(
    boards: Layers,
    layer: int,
    following: Layers,
    law: _Law,
    marked: NDArray[np.uint8],
    reached: NDArray[np.uint8],
) -> None: ...
def share_drops(
    boards: Layers,
    layer: int,
    following: Layers,
    law: _Law,
    shares: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
