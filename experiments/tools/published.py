"""Every figure of the reports beside ours, and whether they agree: experiments/published.csv.

An experiment of index.yaml has a list of `verdicts`, one for each `source` of its published.csv: the `setting` of
ours, words KEY=VALUE, beside the keys that both files have, and `explained`, what explains a figure that does not
agree: a sentence, or one for each figure. A published figure is of one run. It agrees where it lies in the 95%
interval of our mean or of one more run of ours; `margin` is how far it may lie from our mean and still agree. A row's
`verdict` is one of four words, and `reason` says more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools.index import folders, read_index
from experiments.tools.tables import REACH, half_width_of_a_run, interval, matching, read_table, setting_keys, word

PUBLISHED = "published.csv"
AGREES, DIFFERS, NOT_JUDGED, NOT_RUN = "agrees", "differs", "not judged", "not run"
WIDE, UNEXPLAINED, ONE_SEED = "wide margin", "unexplained", "one seed of ours"
NOT_REACHED = "no run of ours reached it"


def published_text(home: Path) -> str:
    """The text of published.csv: a row for each published figure of the experiments with verdicts."""
    rows: list[dict[str, Any]] = []
    for name, entry in read_index(home).items():
        for verdict in entry.get("verdicts", []):
            rows += _rows(folders(home)[name], verdict)
    return str(pd.DataFrame(rows).to_csv(index=False, float_format="%.6g"))


def _rows(folder: Path, verdict: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of one source."""
    ours = matching(read_table(folder / "results.csv"), verdict.get("setting", "").split())
    published = read_table(folder / PUBLISHED)
    keys = [key for key in setting_keys(ours) if key in published]
    for _, row in published[published["source"] == verdict["source"]].iterrows():
        setting = [f"{key}={word(row[key])}" for key in keys]
        part = matching(ours, setting)
        for name in row.drop(["source", *keys]).dropna().index.intersection(part.columns, sort=False):
            told = {"source": verdict["source"], "experiment": folder.name, "setting": " ".join(setting)}
            yield told | {"figure": name, "published": row[name]} | _judged(part, name, row[name], verdict)


def _judged(part: pd.DataFrame, name: str, published: float, verdict: dict[str, Any]) -> dict[str, Any]:
    """Our figure, its seeds, the margin and the verdict."""
    if part.empty:
        return {"verdict": NOT_RUN}
    if part[name].isna().all():
        return {"seeds": len(part), "verdict": NOT_JUDGED, "reason": NOT_REACHED}
    mean, low, high = interval(part, name)
    margin = half_width_of_a_run(part, name)
    wide = margin > 0.5 * mean and margin > (0.1 if name.startswith(REACH) else 0)  # of shares ten points, too
    explained = verdict.get("explained", UNEXPLAINED)
    told = DIFFERS, explained.get(name, UNEXPLAINED) if isinstance(explained, dict) else explained
    if math.isnan(margin):
        told = NOT_JUDGED, ONE_SEED
    elif low <= published <= high or abs(published - mean) <= margin:
        told = AGREES, WIDE if wide else ""
    ours = {"ours": mean, "ours_low": low, "ours_high": high, "seeds": int(part[name].notna().sum()), "margin": margin}
    return ours | dict(zip(("verdict", "reason"), told, strict=True))
