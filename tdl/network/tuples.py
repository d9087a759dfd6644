"""Tuple sets: the cells that each n-tuple reads, further features, and the symmetric images of both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import singledispatch
from typing import Any, TypeVar

from tdl.base.checks import without_numpy
from tdl.errors import ConfigError, refuse
from tdl.game.rules import Rules
from tdl.network.extra_features import COUNT_CAP, Lines, Pairs, check_cells, checked_counts, checked_orders, pairs_of

Feature = TypeVar("Feature")

MAX_LENGTH = 8
"""Longest tuple: its index fills 32 bits at radix 16."""

MAX_RADIX = 32

MAX_FEATURES = 1024
"""Of a network; `ntuple.pxd` has the same for the kernels."""


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
    symmetries: bool = True
    share: bool = True
    radix: int | None = None
    orders: tuple[Lines, ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    count_cap: int = COUNT_CAP

    def __post_init__(self) -> None:
        for each in fields(self):
            object.__setattr__(self, each.name, without_numpy(getattr(self, each.name)))
        for name, flag in (("tuples.symmetries", self.symmetries), ("tuples.share", self.share)):
            if not isinstance(flag, bool):
                raise refuse(name, flag, "true or false")
        if self.radix is not None and (type(self.radix) is not int or not 2 <= self.radix <= MAX_RADIX):
            raise refuse("tuples.radix", self.radix, f"null or a whole number from 2 to {MAX_RADIX}")
        object.__setattr__(self, "cells", _checked_cells(self.cells))
        object.__setattr__(self, "orders", checked_orders(self.orders))
        object.__setattr__(self, "counts", checked_counts(self.counts, self.count_cap))

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


def _checked_cells(lists: Any) -> tuple[tuple[int, ...], ...]:
    if isinstance(lists, str) or not isinstance(lists, Sequence) or not lists:
        empty = " (the set is empty)" if isinstance(lists, Sequence) and not lists else ""
        raise refuse("tuples.cells", lists, f"at least one list of cells, as [[0,1,2,3],[4,5,6,7]]{empty}")
    tuples = []
    for cells in lists:
        if isinstance(cells, str) or not isinstance(cells, Sequence) or not cells:
            raise refuse("tuples.cells", cells, "a list of cells, as [0,1,2,3]")
        check_cells("tuples.cells", cells)
        if len(cells) > MAX_LENGTH:
            raise refuse("tuples.cells", list(cells), f"at most {MAX_LENGTH} cells in a tuple")
        tuples.append(tuple(cells))
    return tuple(tuples)


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


def unturned(tuples: TupleSet, rows: int, cols: int) -> list[int]:
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
