"""Tuple sets: the cells that each n-tuple reads, order and count features, and the symmetric images of all.

An order feature compares the cells of lines, a count feature counts tiles of the board. Both see what a tuple with as
large a table cannot. An order feature of two lines looks at 8 cells with 2^24 entries, where a tuple needs 2^32: it
keeps which of two tiles is larger and forgets how large they are. A count feature looks at the whole board and forgets
where its tiles stand.

Sources: TDL2048+ (github.com/moporgic/TDL2048), features `mono` and `num`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import singledispatch
from itertools import combinations
from math import comb
from typing import Any, TypeVar

from tdl.base.checks import check_fields, check_whole, flag, whole, without_numpy
from tdl.errors import ConfigError, refuse, shown
from tdl.game.rules import Rules

MAX_LENGTH = 8
"""Longest tuple: its index fills 32 bits at radix 16."""

MAX_RADIX = 32

MAX_FEATURES = 1024
"""Of a network; `ntuple.pxd` has the same for the kernels."""

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
Feature = TypeVar("Feature")


@dataclass(frozen=True)
class TupleSet:
    """The shape of an n-tuple network.

    Attributes
    ----------
    cells : for each tuple its cells, numbered row by row from 0; the order is the order of the index's digits.
    symmetries : read every tuple in all symmetric images of the board (8 on a square, 4 on a rectangle).
    share : let the images of a tuple share one table; otherwise each image has its own.
    radix : tile symbols of a cell, 2 to 32; larger tiles share the last symbol. None: as many as the game says.
    orders : order features, each a list of lines, each a list of cells. Within each line every pair of cells is
        compared: two bits of the index. At most 12 pairs a feature. Read in images, and these share tables, as tuples.
    counts : count features, each a list of tile indices (0: empty cells): how often each of them is on the board.
        Active once, for every image of a board counts the same.
    count_cap : larger counts than this, 1 to 16, count as this.
    """

    cells: tuple[tuple[int, ...], ...]
    symmetries: bool = flag(True)
    share: bool = flag(True)
    radix: int | None = whole(None, least=2, most=MAX_RADIX, null=True)
    orders: tuple[Lines, ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    count_cap: int = whole(COUNT_CAP, least=1, most=MAX_CAP)

    def __post_init__(self) -> None:
        for option in fields(self):
            object.__setattr__(self, option.name, without_numpy(getattr(self, option.name)))
        check_fields(self, "tuples.")
        object.__setattr__(self, "cells", _checked_cells(self.cells))
        object.__setattr__(self, "orders", _checked_orders(self.orders))
        object.__setattr__(self, "counts", _checked_counts(self.counts, self.count_cap))

    def check_board(self, rows: int, cols: int) -> None:
        """Refuse cells that are not on a board of rows x cols, and too many features; names the cell."""
        if (count := feature_count(self, rows, cols)) > MAX_FEATURES:  # first: their images are not made
            raise refuse("tuples", f"{count} features", f"at most {MAX_FEATURES}")
        reads = [("cells", cells) for cells in self.cells]
        reads += [("orders", line) for lines in self.orders for line in lines]
        for name, cells in reads:
            for cell in cells:
                if not 0 <= cell < rows * cols:
                    raise ConfigError(
                        f"tuples.{name}: cell {cell} of {list(cells)} is not on the board; "
                        f"expected cells 0 to {rows * cols - 1} of a {rows}x{cols} board"
                    )

    def images(self, rows: int, cols: int) -> list[tuple[int, ...]]:
        """The symmetries in which every feature is read; the identity alone without any."""
        return symmetries(rows, cols)[: None if self.symmetries else 1]

    def check_repeats(self, rows: int, cols: int) -> None:
        """Refuse a tuple that reads the cells of another one in some image: both learn the same, at twice the cost."""
        images = self.images(rows, cols)
        seen: dict[tuple[int, ...], tuple[int, ...]] = {}
        for cells in self.cells:
            same = min(tuple(sorted(image[cell] for cell in cells)) for image in images)
            if other := seen.get(same):
                like = "is an image of" if sorted(cells) != sorted(other) else "has the same cells as"
                twice = f"{list(cells)} {like} {list(other)}"
                raise ConfigError(f"tuples.cells: {twice}, so that both learn the same; expected one of them")
            seen[same] = cells

    def to_dict(self) -> dict[str, Any]:
        """The description in `meta.json`: the arguments that make the set again.

        Features that a set does not have are not named, so that checkpoints from before there were any still fit.
        """
        described: dict[str, Any] = {"cells": [list(c) for c in self.cells], "symmetries": self.symmetries}
        described |= {"share": self.share, "radix": self.radix}
        if self.orders:
            described |= {"orders": [[list(line) for line in lines] for lines in self.orders]}
        if self.counts:
            described |= {"counts": [list(tiles) for tiles in self.counts], "count_cap": self.count_cap}
        return described


@singledispatch
def tuple_set(shape: Any, rules: Rules | None = None) -> TupleSet:
    """A tuple set: `tuple_set("4x6")` is one of the named ones of `conf/tuples`, lists of cells make one of one's own.

    A `TupleSet` is itself. `NTupleNetwork` takes all three.

    Parameters
    ----------
    rules : where they are given, a named set whose cells are numbered on another board is refused.

    Raises
    ------
    ConfigError : no set has this name, or these are no cells.
    """
    return TupleSet(shape)


@tuple_set.register
def _(shape: TupleSet, rules: Rules | None = None) -> TupleSet:
    return shape


def _checked_cells(tuples: Any) -> tuple[tuple[int, ...], ...]:
    key = "tuples.cells"
    _check_list(key, tuples, "at least one list of cells, as [[0,1,2,3],[4,5,6,7]]")
    for cells in tuples:
        _check_list(key, cells, "a list of cells, as [0,1,2,3]")
        _check_cells(key, cells)
        if len(cells) > MAX_LENGTH:
            raise refuse(key, list(cells), f"at most {MAX_LENGTH} cells in a tuple")
    return tuple(tuple(cells) for cells in tuples)


def _checked_orders(features: Any) -> tuple[Lines, ...]:
    key = "tuples.orders"
    _check_list(key, features, "a list of features, each a list of lines, as [[[0,1,2,3],[4,5,6,7]]]", least=0)
    for lines in features:
        _check_list(key, lines, "a list of lines, as [[0,1,2,3],[4,5,6,7]]")
        for line in lines:
            _check_list(key, line, "a line of at least 2 cells, as [0,1,2,3]", least=2)
            _check_cells(key, line)
        if (pairs := sum(comb(len(line), 2) for line in lines)) > MAX_PAIRS:
            text = f"{[list(line) for line in lines]} with {pairs} pairs of cells"
            raise refuse(key, text, f"at most {MAX_PAIRS} pairs, those of two lines of 4")
    return tuple(tuple(tuple(line) for line in lines) for lines in features)


def _checked_counts(features: Any, cap: int) -> tuple[tuple[int, ...], ...]:
    key = "tuples.counts"
    _check_list(key, features, "a list of features, each a list of tile indices, as [[0],[10,11,12]]", least=0)
    for tiles in features:
        _check_list(key, tiles, "a list of tile indices, as [10,11,12]")
        for tile in tiles:
            check_whole(key, tile, 0)
        _check_once(key, "tile", tiles)
        if len(tiles) > MAX_COUNTED:  # the number of entries would have more digits than Python prints
            raise refuse(key, list(tiles), f"at most {MAX_COUNTED} tiles")
        if (entries := (cap + 1) ** len(tiles)) > MAX_COUNT_ENTRIES:
            raise ConfigError(
                f"{key}: {shown(list(tiles))} has {cap + 1}^{len(tiles)} = {entries:,} entries; "
                f"expected at most {MAX_COUNT_ENTRIES:,}: fewer tiles or a smaller tuples.count_cap"
            )
    return tuple(tuple(tiles) for tiles in features)


def _check_list(key: str, value: Any, expected: str, least: int = 1) -> None:
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) < least:
        raise refuse(key, value, expected)


def _check_cells(key: str, cells: Sequence[Any]) -> None:
    for cell in cells:
        if isinstance(cell, bool) or not isinstance(cell, int):
            raise refuse(key, cell, "whole numbers")
    _check_once(key, "cell", cells)


def _check_once(key: str, what: str, numbers: Sequence[int]) -> None:
    if len(set(numbers)) < len(numbers):
        repeated = min(number for number in numbers if list(numbers).count(number) > 1)
        raise ConfigError(f"{key}: repeated {what} {repeated} in {shown(list(numbers))}; expected each {what} once")


def symmetries(rows: int, cols: int) -> list[tuple[int, ...]]:
    """The symmetries of a board as cell maps: image[i] is the cell that cell i goes to. The identity is first.

    A square has 8 (rotations and reflections), a rectangle 4: turning it by 90 degrees changes its shape.
    """
    identity = [[r * cols + c for c in range(cols)] for r in range(rows)]
    images = []
    for grid in (identity, [list(column) for column in zip(*identity, strict=True)]):
        if len(grid) != rows:
            continue
        for flipped in (grid, grid[::-1]):
            for image in (flipped, [row[::-1] for row in flipped]):
                images.append(tuple(cell for row in image for cell in row))
    return images


def features(tuples: TupleSet, rows: int, cols: int) -> list[tuple[int, tuple[int, ...]]]:
    """The features of the tuples: (table number, cells), all images of the first tuple first.

    With those of `order_features` and `count_features` they are all m of a network, in this order; m is what the total
    step size is divided by.
    """
    tuples.check_board(rows, cols)
    return [
        (table, tuple(image[cell] for cell in cells))
        for table, cells, image in _in_images(tuples, rows, cols, tuples.cells, 0)
    ]


def pairs_of(lines: Lines) -> Pairs:
    """The pairs of cells that an order feature compares: within each line every cell with every later one."""
    return tuple(pair for line in lines for pair in combinations(line, 2))


def order_features(tuples: TupleSet, rows: int, cols: int) -> list[tuple[int, Pairs]]:
    """The order features: (table number, pairs of cells) of each image; their tables follow the tuples'."""
    first = 1 + features(tuples, rows, cols)[-1][0]
    return [
        (table, tuple((image[a], image[b]) for a, b in pairs_of(lines)))
        for table, lines, image in _in_images(tuples, rows, cols, tuples.orders, first)
    ]


def count_features(tuples: TupleSet, rows: int, cols: int) -> list[tuple[int, tuple[int, ...]]]:
    """The count features: (table number, tile indices); their tables are the last."""
    first = 1 + (order_features(tuples, rows, cols) or features(tuples, rows, cols))[-1][0]
    return list(enumerate(tuples.counts, first))


def identity_features(tuples: TupleSet, rows: int, cols: int) -> list[int]:
    """The features that read the board as it is, not one of its symmetric images, by their places in a row."""
    images = len(tuples.images(rows, cols))
    every = feature_count(tuples, rows, cols)
    imaged = every - len(tuples.counts)
    return [*range(0, imaged, images), *range(imaged, every)]


def feature_count(tuples: TupleSet, rows: int, cols: int) -> int:
    """The number m of all features."""
    images = len(tuples.images(rows, cols))
    return images * (len(tuples.cells) + len(tuples.orders)) + len(tuples.counts)


def _in_images(
    tuples: TupleSet, rows: int, cols: int, features: Sequence[Feature], first: int
) -> Iterator[tuple[int, Feature, tuple[int, ...]]]:
    """Every feature with each symmetric image it is read in, and the number of its table, from `first` on."""
    images = tuples.images(rows, cols)
    for feature in features:
        for i, image in enumerate(images):
            yield first + (0 if tuples.share else i), feature, image
        first += 1 if tuples.share else len(images)


def table_cells(tuples: TupleSet, rows: int, cols: int) -> list[tuple[int, ...]]:
    """For each table of a tuple the cells of the first feature that reads it."""
    first: dict[int, tuple[int, ...]] = {}
    for table, cells in features(tuples, rows, cols):
        first.setdefault(table, cells)
    return [first[table] for table in range(len(first))]


def extra_sizes(tuples: TupleSet, rows: int, cols: int) -> list[int]:
    """For each table after those of the tuples its number of entries."""
    sizes = {table: 4 ** len(pairs) for table, pairs in order_features(tuples, rows, cols)}
    sizes |= {table: (tuples.count_cap + 1) ** len(t) for table, t in count_features(tuples, rows, cols)}
    return list(sizes.values())
