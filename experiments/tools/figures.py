"""Figures of the experiments, made of their csv files: `python -m experiments.tools.figures [EXPERIMENT ...]`.

Scores and learning curves, as those of a sweep, of results.csv; figures of their own of the experiments that have one
of the files in `OWN`, and of reach.csv. `collect`, which has the blocks of the runs, draws curves with more points.
"""

import sys
from pathlib import Path

import pandas as pd

from experiments.tools import (
    EXPERIMENTS,
    budgets,
    own_steps,
    reach_rates,
    replica_curves,
    snapshots,
    value_errors,
    variants,
)
from tdl.results.design import followers, ordered
from tdl.results.style import save
from tdl.results.sweep_figure import sweep_figure

SCORES = {"greedy_mean": "mean score", "expected": "expected score"}
"""Columns of results.csv with the scores of a trained network, the first that is there; else the last block's mean."""

MEAN, THOUSAND = "mean_", 1000

OWN = {
    "seconds.csv": budgets.draw,
    "snapshots.csv": snapshots.draw,
    "curves.csv": replica_curves.draw,
    "stages.csv": value_errors.draw,
    "best.csv": own_steps.draw,
    "power.csv": variants.draw,
}
"""Experiments with a figure of their own: the file by which they are known, and what draws it."""


def draw_runs(runs: pd.DataFrame, blocks: pd.DataFrame, keys: list[str], path: Path) -> None:
    """Scores of the games after training, and learning curves."""
    figure = sweep_figure(runs, blocks, keys)
    if figure is None:
        raise ValueError(f"{path}: no scores and no curves")
    save(figure, path)


def draw_results(results: Path, path: Path) -> None:
    """Scores and learning curves of the rows of a results.csv, each of which is a run."""
    rows = pd.read_csv(results)
    keys = list(rows.columns[: list(rows.columns).index("seed")])
    keys = [key for key in keys if rows[key].nunique(dropna=False) > 1]
    keys = [key for key in keys if key not in followers(rows, keys)]
    rows["run"] = [f"row {i}" for i in rows.index]
    rows["status"] = rows.get("status", pd.Series("finished", rows.index))
    rows["error"] = rows["status"].map({"failed": "learning diverged"})  # no other failures are collected
    blocks = _blocks(rows, keys)
    score = next((name for name in SCORES if name in rows), None)
    last = max(blocks["episode"]) if len(blocks) else 0
    rows["eval_mean"] = rows[score] if score else rows[f"{MEAN}{last // THOUSAND}k"]
    if "episodes" not in rows:
        rows["episodes"] = last or None
    names = dict.fromkeys([*keys, "run", "seed", "status", "error", "eval_mean", "episodes"])
    figure = sweep_figure(rows[list(names)], blocks, ordered(rows, keys))
    assert figure is not None
    name = SCORES[score] if score else f"mean score at {last:,}"
    for axes in figure.axes:
        if axes.get_ylabel() == "mean score":
            axes.set_ylabel(name)
    save(figure, path)


def _blocks(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The columns `mean_10k` and so on as blocks."""
    names = [name for name in rows if name.startswith(MEAN) and name.endswith("k") and rows[name].notna().any()]
    long = rows.melt([*dict.fromkeys([*keys, "run", "seed", "status"])], names, "episode", "mean").dropna(
        subset="mean"
    )
    long["episode"] = long["episode"].str.extract(r"(\d+)", expand=False).astype(int) * THOUSAND
    return long.sort_values(["run", "episode"], ignore_index=True)


def main(*experiments: str, home: Path = EXPERIMENTS) -> None:
    """Draw the figures of experiments, or of all, anew."""
    for folder in [home / name for name in experiments] or sorted(path.parent for path in home.glob("*/results.csv")):
        own = (draw for file, draw in OWN.items() if (folder / file).exists())
        if draw := next(own, None):
            draw(folder)
        elif (folder / "figure.png").exists():
            draw_results(folder / "results.csv", folder / "figure.png")
        if (folder / "reach.csv").exists():
            reach_rates.draw(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
