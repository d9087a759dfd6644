"""Figures of a set of games: means and reach rates with intervals, and the field's statistics block."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.game.rules import Rules

Records = NDArray[np.void]

Z95 = 1.959963984540054
"""Half width of a 95% interval, in standard errors (the normal distribution's 97.5% point)."""


def t95(df: int) -> float:
    """Half width of a 95% interval in estimated standard errors: Student's t with df degrees of freedom.

    Exact for 1 and 2; above, the expansion of Abramowitz and Stegun (1964), 26.7.5, which is off by 0.1% at 3.
    """
    if df == 1:
        return math.tan(0.95 * math.pi / 2)
    if df == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z = Z95
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / float(df) ** (i + 1) for i, term in enumerate(terms))


def mean_interval(values: NDArray[Any]) -> tuple[float, float]:
    """95% interval of the mean of independent values (Student's t); (nan, nan) below two values."""
    if len(values) < 2:
        return math.nan, math.nan
    half = t95(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return float(np.mean(values)) - half, float(np.mean(values)) + half


def mean_text(values: NDArray[Any]) -> str:
    """Mean and 95% interval for a table: "22,779 [22,528, 23,030]"."""
    return interval_text(float(np.mean(values)), *mean_interval(values))


def interval_text(mean: float, low: float, high: float) -> str:
    """The same of numbers; no interval where there is none, nothing where there is no mean (nan)."""
    if math.isnan(mean):
        return ""
    return f"{mean:,.0f}" + ("" if math.isnan(low) else f" [{low:,.0f}, {high:,.0f}]")


def ratio_range(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """Of two programs' speeds in turn the ratios, pair by pair: median, least and largest."""
    ratios = [one / other for one, other in zip(ours, theirs, strict=True)]
    return {"ratio_median": float(np.median(ratios)), "ratio_min": min(ratios), "ratio_max": max(ratios)}


def ratio_text(part: Mapping[str, Any]) -> str:
    """What `ratio_range` gave, for a table: "2.90 (2.88 to 2.91)"."""
    return f"{part['ratio_median']:.2f} ({part['ratio_min']:.2f} to {part['ratio_max']:.2f})"


def share_interval(hits: int, n: int) -> tuple[float, float]:
    """95% interval of a share of hits/n: Wilson (1927), JASA 22, p. 209. It stays in [0, 1] for 0 hits too."""
    if n == 0:
        return math.nan, math.nan
    p, z2 = hits / n, Z95**2 / n
    centre, half = p + z2 / 2, Z95 * math.sqrt(p * (1 - p) / n + z2 / (4 * n))
    return max(0.0, (centre - half) / (1 + z2)), min(1.0, (centre + half) / (1 + z2))


def reach(records: Records, tile: int) -> int:
    """How many of the games made a tile of at least this value."""
    return int(np.count_nonzero(records["max_tile"] >= tile))


def score_bands(records: Records, width: int = 1000) -> list[tuple[int, int]]:
    """How many games scored in each band: pairs of its lowest score and the games, up to the band of the best one."""
    counts = np.bincount(records["score"] // width)
    return [(band * width, int(games)) for band, games in enumerate(counts)]


def block_row(
    records: Records, rules: Rules, moves: int, seconds: float, mean_abs_error: float
) -> dict[str, float | int]:
    """The row of `blocks.csv` for a block of games; `moves` also counts those of games that are not on record."""
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
    out: dict[str, Any] = {"episodes": n}
    if n:
        low, high = mean_interval(records["score"])
        out |= {
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
    return out


def evaluation_block(figures: Mapping[str, Any]) -> str:
    """The figures of an evaluation for people, brackets holding 95% intervals.

    Of the tiles that every game reached only the largest is shown.

    Parameters
    ----------
    figures : those of `summary`, of at least one game, `moves_per_second`, and perhaps `score_bands`.
    """
    interval = figures["mean_ci95"]
    brackets = f" [{interval[0]:,.0f}, {interval[1]:,.0f}]" if interval else ""
    lines = [
        f"games    {figures['episodes']:,}",
        f"mean     {figures['mean']:,.0f}{brackets}",
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
    """The field's own way to print progress.

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
