"""Differences between sets of runs: the files pairs.csv beside the pages.

A row is a pair. Its author writes `name`, by which a page asks for it; `ours` and `theirs`, the runs as
`FILE KEY=VALUE ...`, several files with ` + `; and `figure`, the column that is compared. The command
`python -m experiments.tools.pages` writes the rest: both means, the difference with its 95% interval, the ratio with
its own, p (Welch) and `can_show`, the true difference that such seeds show in 80% of cases.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.tools.contrasts import shown
from experiments.tools.requests import Request, rows_of
from experiments.tools.tables import TableError, errors_of
from tdl.statistics.intervals import Z95, contrast_interval, contrast_p

FILE = "pairs.csv"
WRITTEN = ["name", "ours", "theirs", "figure"]
"""The columns that an author writes."""


def filled_pairs(folder: Path) -> str:
    """The text of a folder's pairs.csv with all that is computed made anew.

    Raises
    ------
    TableError : runs or a figure that are not there; two rows of one name.
    """
    rows = pd.read_csv(folder / FILE, dtype=str, usecols=WRITTEN)[WRITTEN]
    if rows["name"].duplicated().any():
        raise TableError(f"{folder.name}/{FILE}: two rows {rows['name'][rows['name'].duplicated()].iloc[0]}")
    computed = [_compared(folder, *row) for row in rows.itertuples(index=False, name=None)]
    return str(pd.concat([rows, pd.DataFrame(computed)], axis=1).to_csv(index=False, float_format="%.6g"))


def _compared(folder: Path, name: str, ours: str, theirs: str, figure: str) -> dict[str, Any]:
    """What is computed of a row."""
    try:
        parts = [_runs(folder, names, figure) for names in (ours, theirs)]
    except (TableError, KeyError) as error:
        raise TableError(f"{folder.name}/{FILE}: {name}: {error}") from None
    samples, errors = [part[figure].to_numpy(float) for part in parts], [errors_of(part, figure) for part in parts]
    means = [sample.mean() for sample in samples]
    difference, low, high = contrast_interval(samples, [1.0, -1.0], errors)
    if all(len(sample) == 1 for sample in samples):  # two runs are compared by their games
        half = Z95 * float(np.hypot(*(error[0] for error in errors)))
        low, high = difference - half, difference + half
    return {
        "seeds": len(samples[0]), "mean": means[0], "other_seeds": len(samples[1]), "other_mean": means[1],
        "difference": difference, "difference_low": low, "difference_high": high,
        **_ratio(samples, errors, means), "p": contrast_p(samples, [1.0, -1.0], errors), "can_show": shown(samples),
    }  # fmt: skip


def _ratio(samples: list[Any], errors: list[Any], means: list[float]) -> dict[str, float]:
    """The ratio of the means, and the gain, one less, with 95% intervals on the scale of logarithms (delta method)."""
    if min(means) <= 0:
        return dict.fromkeys(("ratio", "ratio_low", "ratio_high", "gain", "gain_low", "gain_high"), math.nan)
    shares = [[values / mean for values, mean in zip(each, means, strict=True)] for each in (samples, errors)]
    _, low, high = contrast_interval(shares[0], [1.0, -1.0], shares[1])
    ratio, half = means[0] / means[1], (high - low) / 2
    ratios = {"ratio": ratio, "ratio_low": ratio * math.exp(-half), "ratio_high": ratio * math.exp(half)}
    return ratios | {name.replace("ratio", "gain"): value - 1 for name, value in ratios.items()}


def _runs(folder: Path, names: str, figure: str) -> pd.DataFrame:
    """The rows of all sources `FILE KEY=VALUE ...` that have the figure."""
    sources = [source.split() for source in names.split(" + ")]
    rows = pd.concat([rows_of(Request(file=file, where=tuple(words)), folder) for file, *words in sources])
    if figure not in rows or rows[figure].isna().all():
        raise TableError(f"{names} has no {figure}")
    return rows[rows[figure].notna()]
