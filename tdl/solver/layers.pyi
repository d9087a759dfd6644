from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tdl.game.lines import LineTables

_Boards = NDArray[np.uint64]
_Law = Sequence[tuple[int, float]]

class Folding:
    tables: LineTables
    def __init__(self, tables: LineTables, images: Sequence[Sequence[int]] = ()) -> None: ...
    def apply(self, boards: _Boards) -> None: ...
    def count(self, boards: _Boards) -> int: ...

class Layers:
    folding: Folding
    tables: LineTables
    boards: _Boards
    sums: NDArray[np.int64]
    first: NDArray[np.int64]
    def __init__(
        self, folding: Folding, boards: _Boards, sums: NDArray[np.int64], first: NDArray[np.int64]
    ) -> None: ...
    def __len__(self) -> int: ...
    def slice_of(self, layer: int) -> slice: ...
    def find(self, boards: _Boards) -> NDArray[np.int64]: ...

def tile_sums(tables: LineTables, boards: _Boards) -> NDArray[np.int64]: ...
def largest_tile(tables: LineTables, boards: _Boards) -> int: ...
def moved(tables: LineTables, boards: _Boards) -> _Boards: ...
def dropped(tables: LineTables, boards: _Boards, tile: int) -> _Boards: ...
def expected(
    boards: Layers,
    layer: int,
    following: Layers,
    worth: NDArray[np.float64],
    law: _Law,
    out: NDArray[np.float64],
    reach: int = 0,
) -> None: ...
def chosen(
    boards: Layers,
    layer: int,
    after: Layers,
    worth: NDArray[np.float64],
    out: NDArray[np.float64],
    how: str = "best",
    reach: int = 0,
    judged: NDArray[np.float32] | None = None,
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
