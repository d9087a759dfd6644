"""All boards that a game can come to, layer by layer in the order of the sum of their tiles.

No move lowers that sum and every drop raises it, so a layer is complete when those before it have been played on: it
needs no search for what was seen already, only sorting.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tdl.base.machine import require_memory
from tdl.errors import ConfigError, refuse
from tdl.game.lines import LineTables
from tdl.game.rules import DROP, Rules
from tdl.network.tuples import symmetries
from tdl.solver.layers import CanonicalBoards, Layers, dropped, moved, tile_sums

Boards = NDArray[np.uint64]
Law = Sequence[tuple[int, float]]

OnProgress = Callable[[str, int, int | None], None]
"""Called with the name of the phase, the number of boards done, and their number where that is known."""


def ignore_progress(what: str, done: int, total: int | None) -> None:
    """Show nothing."""


@dataclass(frozen=True)
class Reachable:
    """What play from the start law can come to.

    Attributes
    ----------
    rules : of the game.
    starts : boards after none, one, two ... tiles of the start law; the last are the first states of a game.
    states, afterstates : the boards before and after a move.
    folded : whether the boards are canonical: each stands for all its symmetric images.
    """

    rules: Rules
    starts: tuple[Layers, ...]
    states: Layers
    afterstates: Layers
    folded: bool


def reachable(rules: Rules, fold: bool = False, on_progress: OnProgress = ignore_progress) -> Reachable:
    """Enumerate the states and afterstates of a game.

    Parameters
    ----------
    rules : any game whose merges do not lower the sum of the tiles, on a board of at most 64 bits.
    fold : keep canonical boards only: symmetric images have the same value and the same chance.
    on_progress : called after each layer.

    Raises
    ------
    ConfigError : another game or board, tiles larger than a cell can hold, or too little memory.
    """
    check_solvable(rules)
    tables = LineTables(rules)
    canonical = canonical_boards(tables, fold)
    starts = start_levels(canonical)
    waiting: dict[int, list[Boards]] = defaultdict(list)  # by sum: states not yet played on
    moving: dict[int, list[Boards]] = defaultdict(list)  # by sum: afterstates not yet dropped on
    states, afterstates = _GrowingLayers(), _GrowingLayers()
    _sort_in(waiting, tables, starts[-1].boards)
    while waiting or moving:
        total = min([*waiting, *moving])
        if total in waiting:
            layer = distinct(waiting.pop(total))
            # The moves of each state and the drops on its afterstates are held unsorted, and once more to be sorted.
            successors = len(layer) * (4 + rules.cells * len(rules.drop))
            require_memory("size", 2 * 8 * successors, f"the successors of the states whose tiles sum to {total:,}")
            states.add(total, layer)
            _sort_in(moving, tables, distinct([moved(tables, layer)], canonical))
        if total in moving:
            layer = distinct(moving.pop(total))
            afterstates.add(total, layer)
            for tile, _ in rules.drop:
                waiting[total + rules.value(tile)].append(distinct([dropped(tables, layer, tile)], canonical))
        on_progress("enumerate", states.count + afterstates.count, None)
    return Reachable(rules, starts, states.layers(canonical), afterstates.layers(canonical), fold)


def canonical_boards(tables: LineTables, fold: bool) -> CanonicalBoards:
    """Which boards count as one: symmetric images where `fold`, else each board alone."""
    return CanonicalBoards(tables, symmetries(tables.rows, tables.cols)[1:] if fold else ())


def check_solvable(rules: Rules) -> None:
    """Refuse what cannot be enumerated in layers.

    Raises
    ------
    ConfigError : the board has more than 64 bits, or a merge lowers the sum of the tiles.
    """
    if rules.cells * rules.bits > 64:
        cells = f"which is {64 // rules.bits} cells of this game; the exact solver is for small boards"
        raise refuse("size", f"{rules.rows}x{rules.cols}", f"a board of at most 64 bits, {cells}")
    for a, b in product(range(1, rules.largest + 1), repeat=2):
        merged = rules.value(rules.merge(a, b))
        if 0 < merged < rules.value(a) + rules.value(b):
            raise ConfigError(
                "game: the exact solver needs a game whose merges do not lower the sum of the tiles; in "
                f"{rules.game} {rules.value(a)} and {rules.value(b)} make {merged}"
            )


def start_levels(canonical: CanonicalBoards) -> tuple[Layers, ...]:
    """The boards after none, one, two ... tiles of the start law."""
    tables, boards, levels = canonical.tables, np.zeros(1, np.uint64), []
    for law in start_laws(tables.rules):
        levels.append(layered(canonical, boards))
        boards = distinct((dropped(tables, boards, tile) for tile, _ in law), canonical)
    return (*levels, layered(canonical, boards))


def start_laws(rules: Rules) -> list[Law]:
    """The law of each tile of the first board."""
    return [rules.drop if tile == DROP else ((int(tile), 1.0),) for tile in rules.start]


def layered(canonical: CanonicalBoards, boards: Boards) -> Layers:
    """Boards in ascending order, without repetitions, as layers."""
    collected, by_sum = _GrowingLayers(), defaultdict[int, list[Boards]](list)
    _sort_in(by_sum, canonical.tables, boards)
    for total in sorted(by_sum):
        collected.add(total, by_sum[total][0])
    return collected.layers(canonical)


def distinct(parts: Iterable[Boards], canonical: CanonicalBoards | None = None) -> Boards:
    """The boards of all parts (made canonical, where `canonical` is given), each once, ascending."""
    boards = np.concatenate(list(parts))
    if canonical is not None:
        canonical.apply(boards)
    boards.sort()
    return boards[np.concatenate([[True], boards[1:] != boards[:-1]])] if len(boards) else boards


def _sort_in(by_sum: dict[int, list[Boards]], tables: LineTables, boards: Boards) -> None:
    """Add boards to the list of their sum."""
    sums = tile_sums(tables, boards)
    for total in np.unique(sums).tolist():
        by_sum[total].append(boards[sums == total])


class _GrowingLayers:
    """Layers as they are found, in one array that grows: thousands of small ones would leave holes in the memory."""

    def __init__(self) -> None:
        self.sums: list[int] = []
        self.first = [0]
        self._boards = np.empty(1 << 12, np.uint64)

    @property
    def count(self) -> int:
        return self.first[-1]

    def add(self, total: int, boards: Boards) -> None:
        end = self.count + len(boards)
        if end > len(self._boards):
            self._boards.resize(end + end // 2, refcheck=False)  # moves no memory on Linux, where it can
        self._boards[self.count : end] = boards
        self.sums.append(total)
        self.first.append(end)

    def layers(self, canonical: CanonicalBoards) -> Layers:
        self._boards.resize(self.count, refcheck=False)
        return Layers(canonical, self._boards, np.array(self.sums, np.int64), np.array(self.first, np.int64))
