"""Tuple sets: which cells each n-tuple reads, and the symmetric images it is read in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tdl.errors import ConfigError, refuse

MAX_LENGTH = 8
"""Longest tuple: its index fills 32 bits at radix 16."""

MAX_RADIX = 32


@dataclass(frozen=True)
class TupleSet:
    """The shape of an n-tuple network.

    Attributes
    ----------
    cells : for each tuple its cells, numbered row by row from 0; the order is the order of the index's digits.
    symmetries : read every tuple in all symmetric images of the board (8 on a square, 4 on a rectangle).
    share : let the images of a tuple share one table; otherwise each image has its own.
    radix : tile symbols of a cell, 2 to 32; larger tiles share the last symbol. None: as many as the cell can hold.
    """

    cells: tuple[tuple[int, ...], ...]
    symmetries: bool = True
    share: bool = True
    radix: int | None = None

    def __post_init__(self) -> None:
        for name, flag in (("tuples.symmetries", self.symmetries), ("tuples.share", self.share)):
            if not isinstance(flag, bool):
                raise refuse(name, flag, "true or false")
        if self.radix is not None and (type(self.radix) is not int or not 2 <= self.radix <= MAX_RADIX):
            raise refuse("tuples.radix", self.radix, f"null or a whole number from 2 to {MAX_RADIX}")
        object.__setattr__(self, "cells", _checked_cells(self.cells))

    def check_board(self, rows: int, cols: int) -> None:
        """Refuse cells that are not on a board of rows x cols.

        Raises
        ------
        ConfigError : names the tuple and the cell.
        """
        for cells in self.cells:
            for cell in cells:
                if not 0 <= cell < rows * cols:
                    raise ConfigError(
                        f"tuples.cells: cell {cell} of {list(cells)} is not on the board; "
                        f"expected cells 0 to {rows * cols - 1} of a {rows}x{cols} board"
                    )

    def to_dict(self) -> dict[str, Any]:
        """A plain description, for `meta.json`: the arguments that make the set again."""
        plain = {"cells": [list(c) for c in self.cells], "symmetries": self.symmetries, "share": self.share}
        return plain | {"radix": self.radix}


def _checked_cells(given: Any) -> tuple[tuple[int, ...], ...]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise refuse("tuples.cells", given, "at least one list of cells, as [[0,1,2,3],[4,5,6,7]] (the set is empty)")
    tuples = []
    for cells in given:
        if isinstance(cells, str) or not isinstance(cells, Sequence) or not cells:
            raise refuse("tuples.cells", cells, "a list of cells, as [0,1,2,3]")
        for cell in cells:
            if isinstance(cell, bool) or not isinstance(cell, int):
                raise refuse("tuples.cells", cell, "whole numbers")
        if len(cells) > MAX_LENGTH:
            raise refuse("tuples.cells", list(cells), f"at most {MAX_LENGTH} cells in a tuple")
        repeated = sorted({cell for cell in cells if list(cells).count(cell) > 1})
        if repeated:
            raise ConfigError(f"tuples.cells: repeated cell {repeated[0]} in {list(cells)}; expected each cell once")
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
    """The features of a network: (table number, cells), all images of the first tuple first.

    Their number m is what the total step size is divided by.
    """
    tuples.check_board(rows, cols)
    images = symmetries(rows, cols)[: None if tuples.symmetries else 1]
    out: list[tuple[int, tuple[int, ...]]] = []
    for cells in tuples.cells:
        first = out[-1][0] + 1 if out else 0
        for i, image in enumerate(images):
            out.append((first + (0 if tuples.share else i), tuple(image[cell] for cell in cells)))
    return out


def table_cells(tuples: TupleSet, rows: int, cols: int) -> list[tuple[int, ...]]:
    """For each table the cells of the first feature that reads it."""
    first: dict[int, tuple[int, ...]] = {}
    for table, cells in features(tuples, rows, cols):
        first.setdefault(table, cells)
    return [first[table] for table in range(len(first))]
