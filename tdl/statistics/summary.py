"""Figures of a set of games: means and reach rates with intervals, and the field's statistics block."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tdl.game.rules import Rules
from tdl.statistics.intervals import interval_text, mean_interval, share_interval
from tdl.storage.records import Records

BLOCK_FIGURES = ("episode", "mean", "median", "max", "moves", "seconds", "moves_per_second", "mean_abs_error")
"""Columns of `blocks.csv`, beside the reach rates."""


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
    n = len(records)
    row: dict[str, float | int] = {
        "episode": int(records["episode"][-1]) + 1,
        "mean": float(records["score"].mean()),
        "median": float(np.median(records["score"])),
        "max": int(records["score"].max()),
        "moves": moves,
        "seconds": round(seconds, 6),
        "moves_per_second": round(moves / seconds) if seconds else 0,
        "mean_abs_error": mean_abs_error,
    }
    return row | {f"reach_{tile}": reach(records, tile) / n for tile in rules.tiles}


def summary(records: Records, rules: Rules) -> dict[str, Any]:
    """The evaluation part of `result.json`: mean with 95% interval, median, max, reach rates with intervals."""
    n = len(records)
    figures: dict[str, Any] = {"episodes": n}
    if n:
        low, high = mean_interval(records["score"])
        figures |= {
            "mean": float(records["score"].mean()),
            "mean_ci95": None if math.isnan(low) else [low, high],
            "median": float(np.median(records["score"])),
            "max": int(records["score"].max()),
            "moves": int(records["moves"].sum()),
            "reach": {
                str(tile): {"rate": reach(records, tile) / n, "ci95": list(share_interval(reach(records, tile), n))}
                for tile in rules.tiles
                if reach(records, tile)
            },
        }
    return figures


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
    for tile in np.unique(records["max_tile"]).tolist():
        ended = int(np.count_nonzero(records["max_tile"] == tile))
        lines.append(f"\t{tile} \t{100 * reach(records, tile) / n:.4g}%\t({100 * ended / n:.4g}%)")
    return "\n".join(lines) + "\n"
