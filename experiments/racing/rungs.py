"""How far settings catch up after a rung, and what races with rungs do, of sweeps played in full. Writes rungs.csv.

    python -m experiments.racing.rungs outputs/learners_tuning outputs/racing_grid [into=FOLDER]

`behind` is how far, at most, a setting was behind another at a share of the budget and ended no worse: the difference
of the means over seeds of the logarithms of their scores. `catch_up` is `behind` by the logarithm of 1/share, which
`tdl.statistics.racing.CATCH_UP` has to exceed. `rank` is Spearman's correlation of the scores there and at the end.
`races` are those that each pair of seeds plays with a rung at this share; in `lost` of them it stops every setting
within 1% of the best; `saved` is the share of the pair's games that are not played.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.tools import arguments, write
from tdl.results import runs
from tdl.results.design import factors, setting_of
from tdl.runs.final_summary import objective, objective_at
from tdl.statistics.racing import DIVERGED, standing
from tdl.storage.run_folder import FINISHED, RunFolder

SHARES, NEAR = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7), 0.01

Scores = NDArray[np.float64]


def scores_of(folder: Path, shares: Sequence[float]) -> Scores:
    """Scores at shares of the budget and at its end, of settings and seeds."""
    table = runs(folder)
    cells = table.assign(setting=setting_of(table, factors(table)).astype(str)).pivot(
        index="setting", columns="seed", values="run"
    )
    rows = [[_run_scores(RunFolder(run), shares) for run in seeds] for seeds in cells.dropna().to_numpy()]
    return np.moveaxis(np.array(rows), 2, 0)


def _run_scores(run: RunFolder, shares: Sequence[float]) -> list[float]:
    result = run.read_result()
    early = [objective_at(run, share, result["config"]["episodes"], None) for share in shares]
    end = objective(run) if result["status"] == FINISHED else None
    return [DIVERGED if score is None else score for score in (*early, end)]


def row(scores: Scores, share: float) -> dict[str, Any]:
    """The figures of a sweep at a share; `scores` there and at the end."""
    finished = np.isfinite(scores).all(axis=(0, 2))
    early, end = np.log(scores[:, finished]).mean(axis=2)
    behind = max(
        early.max(initial=-math.inf, where=end <= last) - first for first, last in zip(early, end, strict=True)
    )
    rank = pd.Series(early).corr(pd.Series(end), method="spearman")
    races = [*_races(scores, share)]
    lost, saved = np.array(races, float).T
    return {"settings": len(finished), "seeds": scores.shape[2], "share": share, "behind": behind,
            "catch_up": behind / math.log(1 / share), "rank": rank,
            "races": len(races), "lost": lost.sum(), "saved": saved.mean()}  # fmt: skip


def _races(scores: Scores, share: float) -> Iterator[tuple[bool, float]]:
    """Of each pair of seeds whether the rung stops all that are near the best, and the games that it saves."""
    final = scores[1].mean(axis=1)
    near = final >= (1 - NEAR) * final.max()
    for pair in combinations(range(scores.shape[2]), 2):
        stopped = standing(scores[:, :, pair], rungs=(share,)).looks[0].stopped
        yield bool(stopped[near].all()), float(stopped.mean() * (1 - share))


def main(*words: str) -> None:
    folders, target, _ = arguments("racing", words)
    table = []
    for folder in map(Path, folders):
        scores = scores_of(folder, SHARES)
        table += [{"sweep": folder.name} | row(scores[[i, -1]], share) for i, share in enumerate(SHARES)]
    write(target, rungs=pd.DataFrame(table).round(4))


if __name__ == "__main__":
    main(*sys.argv[1:])
