"""Figures of sets of games: blocks of training with their file `blocks.csv`, and games without learning."""

import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError, TdlError, naming, shown
from tdl.game.rules import Rules
from tdl.statistics.intervals import interval_text, mean_interval, share_interval
from tdl.storage.reading import open_file, read_lines
from tdl.storage.records import Records

MAX_BYTES = 1 << 28  # of `blocks.csv`: a million blocks of 250 bytes, of which no plot shows more than hundreds
MAX_FIGURE = 1e15  # no game has such a score, no run so many moves; much larger figures could not be drawn

# Columns of `blocks.csv` beside the reach rates; those that every file has; those of whole numbers.
BLOCK_FIGURES = ("episode", "mean", "median", "max", "moves", "seconds", "moves_per_second", "mean_abs_error")
NEEDED, WHOLE = ("episode", "mean", "max"), ("episode", "max", "moves", "moves_per_second")

BlockTable = dict[str, NDArray[Any]]  # columns by name: float64, or int64 where they are `WHOLE`


def reach(records: Records, tile: int) -> int:
    """The number of games that made a tile of at least this value."""
    return int(np.count_nonzero(records["max_tile"] >= tile))


def score_bands(records: Records, width: int = 1000) -> list[tuple[int, int]]:
    """Each band of scores up to that of the best game: its lowest score and its number of games."""
    counts = np.bincount(records["score"] // width)
    return [(band * width, int(games)) for band, games in enumerate(counts)]


def block_row(
    records: Records, rules: Rules, moves: int, seconds: float, mean_abs_error: float
) -> dict[str, float | int]:
    """The row of `blocks.csv` for a block of games; `moves` also counts games without a record."""
    row = {
        "episode": int(records["episode"][-1]) + 1,
        **_scores(records),
        "moves": moves,
        "seconds": round(seconds, 6),
        "moves_per_second": round(moves / seconds) if seconds else 0,
        "mean_abs_error": mean_abs_error,
    }
    return row | {f"reach_{tile}": reach(records, tile) / len(records) for tile in rules.tiles}


def block_columns(rules: Rules) -> list[str]:
    """The columns of `blocks.csv`."""
    return [*BLOCK_FIGURES, *(f"reach_{tile}" for tile in rules.tiles)]


def _scores(records: Records) -> dict[str, float | int]:
    score = records["score"]
    return {"mean": float(score.mean()), "median": float(np.median(score)), "max": int(score.max())}


def read_blocks(path: Path) -> BlockTable:
    """The blocks of a run; those of an empty file have no rows. A last line that is not ended yet is left out.

    Raises
    ------
    TdlError : larger than any that a run writes, cut or corrupt, or with what is no figure; it names the file.
    OSError : missing, or not a file.
    """
    with open_file(path) as file, naming(path, TdlError):
        return parse_blocks(file)


def parse_blocks(file: BinaryIO, columns: Collection[str] = ()) -> BlockTable:
    """The same of an open file; a ConfigError says what is wrong. With `columns` it has those alone, read sooner."""
    if (size := os.fstat(file.fileno()).st_size) > MAX_BYTES:
        raise ConfigError(f"{size:,} bytes; a table of blocks of at most {MAX_BYTES:,} is read")
    return parse_lines(read_lines(file), columns)


def parse_lines(bytes_: Iterable[bytes], columns: Collection[str] = ()) -> BlockTable:
    """The same of its lines."""
    lines = (line.decode("latin-1") for line in bytes_ if line.endswith(b"\n") and line.strip())
    names = next(lines, ",".join(NEEDED)).rstrip("\r\n").split(",")
    for name in names:
        if name not in BLOCK_FIGURES and not re.fullmatch(r"reach_\d{1,10}", name, re.ASCII):
            raise ConfigError(f"{shown(name)}: no such column")
    if not {*NEEDED} <= {*names} or len({*names}) < len(names):
        raise ConfigError("not the blocks of a run")
    read = [place for place, name in enumerate(names) if not columns or name in (*columns, *NEEDED)]
    values, names = _numbers(lines, len(names), read), [names[place] for place in read]
    if not (np.abs(values[:, [names.index(name) for name in NEEDED]]) <= MAX_FIGURE).all():
        raise ConfigError(f"{', '.join(NEEDED)}: not all are numbers")
    if (np.abs(values) > MAX_FIGURE).any():
        raise ConfigError(f"a figure is beyond {MAX_FIGURE:,.0f}")
    table: BlockTable = dict(zip(names, values.T, strict=True))
    for name in {*WHOLE} & {*names}:
        if (table[name] == np.floor(table[name])).all():
            table[name] = table[name].astype(np.int64)
    return table


def _numbers(lines: Iterator[str], columns: int, read: Sequence[int]) -> NDArray[np.float64]:
    """The numbers in some columns of the lines, shape (lines, read); all are, where all are read."""
    if (first := next(lines, None)) is None:
        return np.zeros((0, len(read)))
    some = read if len(read) < columns else None
    try:
        values = np.loadtxt(chain([first], lines), delimiter=",", comments=None, ndmin=2, usecols=some)
    except ValueError as error:
        raise ConfigError(f"cut or corrupt: {error}") from error
    if values.shape[1] != len(read):
        raise ConfigError(f"cut or corrupt: {values.shape[1]} numbers in a line, not {columns}")
    return values


def summary(records: Records, rules: Rules) -> dict[str, Any]:
    """The evaluation part of `result.json`: mean with 95% interval, median, max, reach rates with intervals."""
    n = len(records)
    if n == 0:
        return {"episodes": 0}
    low, high = mean_interval(records["score"])
    hits = {tile: games for tile in rules.tiles if (games := reach(records, tile))}
    return {
        "episodes": n,
        **_scores(records),
        "mean_ci95": None if math.isnan(low) else [low, high],
        "moves": int(records["moves"].sum()),
        "reach": {str(tile): {"rate": k / n, "ci95": list(share_interval(k, n))} for tile, k in hits.items()},
    }


def evaluation_block(figures: Mapping[str, Any]) -> str:
    """The figures of `summary`, of at least one game, `moves_per_second` and perhaps `score_bands`, for people.

    Brackets hold 95% intervals. Of the tiles that every game reached only the largest is shown.
    """
    lines = [
        f"games    {figures['episodes']:,}",
        f"mean     {interval_text(figures['mean'], *(figures['mean_ci95'] or (math.nan, math.nan)))}",
        f"median   {figures['median']:,.0f}",
        f"max      {figures['max']:,}",
        f"moves/s  {figures['moves_per_second']:,}",
    ]
    reached = list(figures["reach"].items())
    always = sum(share["rate"] == 1 for _, share in reached)
    for tile, share in reached[max(0, always - 1) :]:
        low, high = (100 * bound for bound in share["ci95"])
        lines.append(f"{tile:>7}  {100 * share['rate']:5.1f}% [{low:.1f}%, {high:.1f}%]")
    for band, games in figures.get("score_bands", {}).items():
        lines.append(f"from {int(band):,}".ljust(12) + f"{games:,} games")
    return "\n".join(lines) + "\n"


def statistics_block(records: Records, episode: int, moves_per_second: float) -> str:
    """Progress as published programs print it.

    A line with the episode, mean and best score and moves per second; then for every tile that was the largest of
    some game: the share of games that reached it, and in brackets the share that ended with it as the largest::

        10000	mean = 19389.6	max = 62512	ops = 2651234
            1024 	85.3%	(53%)
            2048 	32.3%	(31%)
    """
    n, score = len(records), records["score"]
    lines = [f"{episode}\tmean = {score.mean():.6g}\tmax = {score.max()}\tops = {moves_per_second:.0f}"]
    tiles, ended = np.unique(records["max_tile"], return_counts=True)
    for tile, games in zip(tiles.tolist(), ended.tolist(), strict=True):
        lines.append(f"\t{tile} \t{100 * reach(records, tile) / n:.4g}%\t({100 * games / n:.4g}%)")
    return "\n".join(lines) + "\n"
