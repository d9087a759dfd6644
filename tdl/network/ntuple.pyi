from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.game.boards import BoardLike
from tdl.game.rules import Rules
from tdl.network.layout import Layout
from tdl.network.stages import Stages
from tdl.network.tuples import Pairs, TupleSet

class NTupleNetwork:
    rules: Rules
    tuples: TupleSet
    layout: Layout
    m: int
    features: tuple[tuple[int, tuple[int, ...]], ...]
    orders: tuple[tuple[int, Pairs], ...]
    counts: tuple[tuple[int, tuple[int, ...]], ...]
    extras: bool
    lengths: tuple[int, ...]
    weights: NDArray[np.floating[Any]]
    instructions: str
    stages: Stages
    stride: int
    def __init__(
        self,
        rules: Rules | None,
        tuples: TupleSet | str | Sequence[Sequence[int]] | NDArray[np.integer[Any]],
        *,
        stages: Stages | None = None,
        initial_value: float = 0.0,
        weights: NDArray[np.floating[Any]] | None = None,
    ) -> None: ...
    @staticmethod
    def instruction_sets() -> list[str]: ...
    def use_instructions(self, name: str | None = None) -> None: ...
    def entries(self, board: BoardLike) -> NDArray[np.uint32]: ...
    def value(self, board: BoardLike) -> float: ...
    def values(self, boards: Iterable[BoardLike]) -> NDArray[np.float32]: ...
    def table(self, number: int, stage: int = 0) -> NDArray[np.float32]: ...
    def table_entries(self, number: int, stage: int = 0) -> NDArray[np.int64]: ...
    def set_table(self, number: int, values: ArrayLike, stage: int = 0) -> None: ...
    def describe(self) -> dict[str, Any]: ...
