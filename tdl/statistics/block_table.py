"""The figures in a `blocks.csv`: numbers under known names, read line by line and nothing else."""

import os
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError, TdlError, naming, shown
from tdl.statistics.summary import BLOCK_FIGURES
from tdl.storage.reading import open_file, read_lines

MAX_BYTES = 1 << 28
"""Of the file: a row has some 250 bytes, so that a million blocks fit, of which no figure shows more than hundreds."""

MAX_FIGURE = 1e15
"""No game has such a score, no run so many moves; figures could not be drawn of much larger ones."""

NEEDED = ("episode", "mean", "max")

WHOLE = (*NEEDED[::2], "moves", "moves_per_second")
"""The figures that are whole numbers."""

BlockTable = dict[str, NDArray[Any]]
"""The columns by name: float64, or int64 where they are `WHOLE`."""


def read_blocks(path: Path) -> BlockTable:
    """The blocks of a run; those of an empty file have no rows. A last line that is not ended yet is left out.

    Raises
    ------
    TdlError : larger than any that a run writes, cut or corrupt, or with what is no figure; it names the file.
    OSError : missing, or not a file.
    """
    with open_file(path) as file, naming(path, TdlError):
        return blocks_of(file)


def blocks_of(file: BinaryIO) -> BlockTable:
    """The same of an open file; a ConfigError says what is wrong."""
    if (size := os.fstat(file.fileno()).st_size) > MAX_BYTES:
        raise ConfigError(f"{size:,} bytes; a table of blocks of at most {MAX_BYTES:,} is read")
    lines = (line.decode("latin-1") for line in read_lines(file) if line.endswith(b"\n") and line.strip())
    names = next(lines, ",".join(NEEDED)).rstrip("\r\n").split(",")
    _check_names(names)
    values = _numbers(lines, len(names))
    if not (np.abs(values[:, [names.index(name) for name in NEEDED]]) <= MAX_FIGURE).all():
        raise ConfigError(f"{', '.join(NEEDED)}: not all are numbers")
    if (np.abs(values) > MAX_FIGURE).any():
        raise ConfigError(f"a figure is beyond {MAX_FIGURE:,.0f}")
    table: BlockTable = dict(zip(names, values.T, strict=True))
    for name in WHOLE:
        if name in table and (table[name] == np.floor(table[name])).all():
            table[name] = table[name].astype(np.int64)
    return table


def _check_names(names: list[str]) -> None:
    for name in names:
        if name not in BLOCK_FIGURES and not re.fullmatch(r"reach_\d{1,10}", name, re.ASCII):
            raise ConfigError(f"{shown(name)}: no such column")
    if not {*NEEDED} <= {*names} or len({*names}) < len(names):
        raise ConfigError("not the blocks of a run")


def _numbers(lines: Iterator[str], columns: int) -> NDArray[np.float64]:
    """The numbers of the lines, shape (lines, columns)."""
    if (first := next(lines, None)) is None:
        return np.zeros((0, columns))
    try:
        values = np.loadtxt(chain([first], lines), delimiter=",", comments=None, ndmin=2)
    except ValueError as error:
        raise ConfigError(f"cut or corrupt: {error}") from error
    if values.shape[1] != columns:
        raise ConfigError(f"cut or corrupt: {values.shape[1]} numbers in a line, not {columns}")
    return values
