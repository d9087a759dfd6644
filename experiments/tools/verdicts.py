"""The table of docs/published.md: every figure of the reports beside ours, and whether they agree.

An experiment of index.yaml has a list of `verdicts`, one for each `source` of its published.csv: the `setting` of
ours, words KEY=VALUE, beside the keys that both files have, and `explained`, what explains a figure that does not
agree: a sentence, or one for each figure. A published figure is of one run: it agrees where it lies in the 95%
interval of our mean, or in that of a further run of ours; of a setting that we ran once, in that over its games.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools import EXPERIMENTS
from experiments.tools.index import filled, matching, read_index, select, setting_keys, word
from experiments.tools.tables import (
    INSIDE,
    NOT_REACHED,
    WITHIN,
    figure,
    number,
    position,
    read_table,
    tells_little,
    unseen,
)

HEAD = ["published by", "experiment", "setting", "figure", "published", "ours", "seeds", "unseen", "verdict"]

AGREES, UNEXPLAINED, NOT_RUN = "agrees", "unexplained", "not run"
LITTLE = "but our seeds are so few, or lie so far apart, that they rule out little"
ONE_SEED = "not judged: one seed of ours, and how far seeds lie apart is not known"


def verdict_rows(home: Path = EXPERIMENTS) -> list[list[str]]:
    """A row for each published figure of the experiments with verdicts; the first row is the head."""
    rows = [HEAD]
    for name, entry in (item for chapter in read_index(home).values() for item in chapter.items()):
        for verdict in entry.get("verdicts", []):
            rows += _rows(home / name, verdict)
    return rows


def _rows(folder: Path, verdict: dict[str, Any]) -> Iterator[list[str]]:
    """The rows of one source."""
    ours = select(read_table(folder / "results.csv"), verdict.get("setting", "").split())
    published = read_table(folder / "published.csv")
    page = f"[{folder.name}](../experiments/{folder.name}/README.md)"
    keys = [key for key in setting_keys(ours) if key in published]
    for _, row in published[published["source"] == verdict["source"]].iterrows():
        setting = [f"{key}={word(row[key])}" for key in keys]
        part = matching(ours, setting)
        for name in published.columns.drop(["source", *keys]):
            if pd.notna(row[name]) and name in part:
                cells = [number(name, row[name]), *_ours(part, name, row[name], verdict)]
                cells[-1] = filled(folder, cells[-1])
                yield [verdict["source"], page, " ".join(setting), name, *cells]


def _ours(part: pd.DataFrame, name: str, published: float, verdict: dict[str, Any]) -> list[str]:
    """Our figure, its seeds, the difference that they would not show, and the verdict."""
    if part.empty:
        return ["", "", "", NOT_RUN]
    verdict_text = _verdict(part, name, published, verdict)
    seeds = int(part[name].notna().sum()) or len(part)  # all, where none came so far
    return [figure(part, name) or NOT_REACHED, str(seeds), unseen(part, name), verdict_text]


def _verdict(part: pd.DataFrame, name: str, published: float, verdict: dict[str, Any]) -> str:
    """Whether a published figure agrees with ours, and if not, why."""
    if part[name].notna().sum() == 1:
        return ONE_SEED
    where = position(part, name, published)
    if where == INSIDE or where.endswith(WITHIN):
        return f"{AGREES}, {LITTLE}" if tells_little(part, name) else AGREES
    reason = verdict.get("explained", UNEXPLAINED)
    return str(reason.get(name, UNEXPLAINED) if isinstance(reason, dict) else reason)
