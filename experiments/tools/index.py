"""What index.yaml has for the experiments, and every figure of the reports beside ours: experiments/published.csv.

An experiment of index.yaml has a list of `verdicts`, one for each `source` of its published.csv: the `setting` of
ours, words KEY=VALUE, beside the keys that both files have, and `explained`, what explains a figure that does not
agree: a sentence, or one for each figure. A published figure is of one run. It agrees where it lies in the 95%
interval of our mean or of one more run of ours; `margin` is how far it may lie from our mean and still agree.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from experiments.tools import EXPERIMENTS
from experiments.tools.tables import REACH, TableError, interval, matching, over_runs, read_table, setting_keys, word

PUBLISHED = "published.csv"
UNEXPLAINED = "unexplained"
ENTRIES = {"title", "title_growth", "title_reach", "names", "rows", "axis", "scores", "curves", "verdicts"}


def read_index(home: Path = EXPERIMENTS) -> dict[str, dict[str, Any]]:
    """The entries of each experiment of index.yaml. A TableError says what none may have."""
    index: dict[str, dict[str, Any]] = yaml.safe_load((home / "index.yaml").read_text())
    if unknown := {key for entry in index.values() for key in entry} - ENTRIES:
        raise TableError(f"index.yaml: {', '.join(sorted(unknown))}: not one of {', '.join(sorted(ENTRIES))}")
    return index


def entry_of(name: str, home: Path = EXPERIMENTS) -> dict[str, Any]:
    """The entries of an experiment; none of one that the index lacks."""
    return read_index(home).get(name, {})


def folders(home: Path = EXPERIMENTS) -> dict[str, Path]:
    """The folder of each experiment, by its name; several may share a page in the folder above."""
    return {path.parent.name: path.parent for path in sorted(home.rglob("results.csv"))}


def published_text(home: Path) -> str:
    """The text of published.csv: a row for each published figure of the experiments with verdicts."""
    known, rows = folders(home), list[dict[str, Any]]()
    for name, entry in read_index(home).items():
        for verdict in entry.get("verdicts", []):
            rows += _rows(known[name], verdict)
    return str(pd.DataFrame(rows).to_csv(index=False, float_format="%.6g"))


def _rows(folder: Path, stated: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of one source."""
    ours = matching(read_table(folder / "results.csv"), stated.get("setting", "").split())
    published = read_table(folder / PUBLISHED)
    keys = [key for key in setting_keys(ours) if key in published]
    for _, row in published[published["source"] == stated["source"]].iterrows():
        setting = [f"{key}={word(row[key])}" for key in keys]
        told = {"source": stated["source"], "experiment": folder.name, "setting": " ".join(setting)}
        for name, figure in row.drop(["source", *keys]).dropna().items():
            if name in ours:
                judged = _judged(matching(ours, setting), name, figure, stated.get("explained", UNEXPLAINED))
                yield told | {"figure": name, "published": figure} | judged


def _judged(part: pd.DataFrame, name: str, published: float, explained: str | dict[str, str]) -> dict[str, Any]:
    """Our figure, its seeds, the margin, the verdict and its reason."""
    if part.empty:
        return {"verdict": "not run"}
    if part[name].isna().all():
        return {"seeds": len(part), "verdict": "not judged", "reason": "no run of ours reached it"}
    (mean, low, high), (_, *bounds), seeds = interval(part, name), over_runs(part, name), int(part[name].notna().sum())
    margin = (bounds[1] - bounds[0]) / 2 * math.sqrt(seeds + 1)  # of one more run: the variance of the mean times that
    ours = {"ours": mean, "ours_low": low, "ours_high": high, "seeds": seeds, "margin": margin}
    if math.isnan(margin):
        return ours | {"verdict": "not judged", "reason": "one seed of ours"}
    if low <= published <= high or abs(published - mean) <= margin:
        wide = margin > 0.5 * mean and margin > (0.1 if name.startswith(REACH) else 0)  # of shares ten points, too
        return ours | {"verdict": "agrees", "reason": "wide margin" if wide else ""}
    reason = explained.get(name, UNEXPLAINED) if isinstance(explained, dict) else explained
    return ours | {"verdict": "differs", "reason": reason}
