"""Features beyond tuples: order features compare the cells of lines, count features count tiles of the board.

Both see what a tuple with as large a table cannot. An order feature of two lines looks at 8 cells with 2^24 entries,
where a tuple needs 2^32: it keeps which of two tiles is larger and forgets how large they are. A count feature looks
at the whole board and forgets where its tiles stand.

Sources: TDL2048+ (github.com/moporgic/TDL2048), features `mono` and `num`.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from tdl.base.checks import check_whole
from tdl.errors import ConfigError, refuse, shown

MAX_PAIRS = 12
"""Pairs of cells of an order feature: two bits each fill 2^24 entries; two lines of 4 cells have as many."""

MAX_COUNT_ENTRIES = 2**24
"""Entries of a count feature."""

MAX_COUNTED = 24
"""Tiles of a count feature: with the smallest cap they have as many entries as it may have."""

MAX_CAP = 16
"""Cells of the largest board: no tile stands on it more often."""

COUNT_CAP = 7
"""The default of `count_cap`: half of a 4x4 board, and with it 8 tiles just fill a count feature."""

Lines = tuple[tuple[int, ...], ...]
Pairs = tuple[tuple[int, int], ...]


def pairs_of(lines: Lines) -> Pairs:
    """The pairs of cells that an order feature compares: within each line every cell with every later one."""
    return tuple(pair for line in lines for pair in combinations(line, 2))


def checked_orders(orders: Any) -> tuple[Lines, ...]:
    """Order features as tuples; a ConfigError where they are not lists of lines of at least 2 different cells."""
    if not _is_list(orders):
        raise refuse("tuples.orders", orders, "a list of features, each a list of lines, as [[[0,1,2,3],[4,5,6,7]]]")
    features = []
    for lines in orders:
        if not _is_list(lines) or not lines:
            raise refuse("tuples.orders", lines, "a list of lines, as [[0,1,2,3],[4,5,6,7]]")
        for line in lines:
            if not _is_list(line) or len(line) < 2:
                raise refuse("tuples.orders", line, "a line of at least 2 cells, as [0,1,2,3]")
            check_cells("tuples.orders", line)
            if len(line) > MAX_PAIRS:  # it has more pairs, by far: do not make them
                raise refuse("tuples.orders", line, f"at most {MAX_PAIRS} pairs, those of two lines of 4")
        feature = tuple(tuple(line) for line in lines)
        if len(pairs_of(feature)) > MAX_PAIRS:
            pairs = f"{[list(line) for line in lines]} with {len(pairs_of(feature))} pairs of cells"
            raise refuse("tuples.orders", pairs, f"at most {MAX_PAIRS} pairs, those of two lines of 4")
        features.append(feature)
    return tuple(features)


def checked_counts(counts: Any, cap: int) -> tuple[tuple[int, ...], ...]:
    """Count features as tuples; a ConfigError where they are not lists of different tiles or have too many entries."""
    if type(cap) is not int or not 1 <= cap <= MAX_CAP:
        raise refuse("tuples.count_cap", cap, f"a whole number from 1 to {MAX_CAP}")
    if not _is_list(counts):
        raise refuse("tuples.counts", counts, "a list of features, each a list of tile indices, as [[0],[10,11,12]]")
    for tiles in counts:
        if not _is_list(tiles) or not tiles:
            raise refuse("tuples.counts", tiles, "a list of tile indices, as [10,11,12]")
        for tile in tiles:
            check_whole("tuples.counts", tile, 0)
        if repeated := repeated_in(tiles):
            where = shown(list(tiles))
            raise ConfigError(f"tuples.counts: repeated tile {repeated[0]} in {where}; expected each tile once")
        if len(tiles) > MAX_COUNTED:  # the number of entries would have more digits than Python prints
            raise refuse("tuples.counts", list(tiles), f"at most {MAX_COUNTED} tiles")
        if (entries := (cap + 1) ** len(tiles)) > MAX_COUNT_ENTRIES:
            raise ConfigError(
                f"tuples.counts: {shown(list(tiles))} has {cap + 1}^{len(tiles)} = {entries:,} entries; "
                f"expected at most {MAX_COUNT_ENTRIES:,}: fewer tiles or a smaller tuples.count_cap"
            )
    return tuple(tuple(tiles) for tiles in counts)


def check_cells(key: str, cells: Sequence[Any]) -> None:
    """Refuse cells that are not whole numbers, each once."""
    for cell in cells:
        if isinstance(cell, bool) or not isinstance(cell, int):
            raise refuse(key, cell, "whole numbers")
    if repeated := repeated_in(cells):
        raise ConfigError(f"{key}: repeated cell {repeated[0]} in {shown(list(cells))}; expected each cell once")


def repeated_in(numbers: Sequence[int]) -> list[int]:
    """The numbers that occur more than once, ascending."""
    return sorted(number for number, times in Counter(numbers).items() if times > 1)


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)
