"""Figures of the experiments, made of their csv files: `python -m experiments.tools.figures [EXPERIMENT ...]`.

Scores and learning curves, as those of a sweep, of results.csv; figures of their own of the experiments that have one
of the files in `OWN`, and of reach.csv. `collect`, which has the blocks of the runs, draws curves with more points.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from omegaconf import OmegaConf

from experiments.tools import (
    EXPERIMENTS,
    budgets,
    curve,
    own_steps,
    reach_rates,
    replica_curves,
    snapshots,
    value_errors,
    variants,
)
from experiments.tools.index import entry_of, setting_keys
from experiments.tools.marks import GAP, Drawn, mark_optimum, mark_published
from experiments.tools.others import MEAN, THOUSAND
from experiments.tools.setting_rows import rows_figure
from experiments.tools.tables import read_table, settings
from tdl.results.design import followers, ordered
from tdl.results.style import MILLIONS, caption, save
from tdl.results.sweep_figure import sweep_figure, sweep_panels

SCORES = {"expected": "expected score", "greedy_mean": "mean score after training"}
"""Columns of results.csv with the scores of a trained network, the first that is there; else the last block's mean."""

SPEED = "moves_per_second"

ALONG = ("moves", "seconds")
"""What learning curves may go by, where they do not go by episodes."""

TOLD = ("episodes", "budget.moves", "budget.seconds", "evaluate.episodes")
"""Keys of an experiment's file that the text under its figure says."""

GAMES = {"eval_low": "_low", "eval_high": "_high"}
"""Columns of `tdl.results.runs` with the interval of a score over games, and how their names end in results.csv."""

EVALUATED = {
    "eval_mean": "greedy_mean", "eval_expected": "expected", "eval_optimal": "optimal",
    **{ours: f"greedy_mean{side}" for ours, side in GAMES.items()},
}  # fmt: skip
"""Columns of `tdl.results.runs` and their names in results.csv."""

OWN = {
    "seconds.csv": budgets.draw,
    "snapshots.csv": snapshots.draw,
    "curves.csv": replica_curves.draw,
    "stages.csv": value_errors.draw,
    "best.csv": own_steps.draw,
    "power.csv": variants.draw,
}
"""Experiments with a figure of their own: the file by which they are known, and what draws it."""


def draw_runs(runs: pd.DataFrame, blocks: pd.DataFrame, keys: list[str], path: Path, home: Path = EXPERIMENTS) -> None:
    """Scores and learning curves of runs; scores are exact where the game is solved, else of games after training."""
    if len(blocks):
        blocks = blocks.assign(**blocks.groupby("run")[[*ALONG]].cumsum())
    _draw(
        runs.rename(columns=EVALUATED),
        list(runs.columns.drop([*EVALUATED], errors="ignore")),
        blocks,
        keys,
        path,
        home,
    )


def draw_results(results: Path, path: Path, home: Path = EXPERIMENTS) -> None:
    """Scores and learning curves of the rows of a results.csv, each of which is a run."""
    rows = read_table(results)
    keys = [key for key in setting_keys(rows) if rows[key].nunique(dropna=False) > 1]
    keys = [key for key in keys if key not in followers(rows, keys)]
    for key in keys:
        rows[key] = _with_booleans(rows[key])
    rows["run"] = [f"row {i}" for i in rows.index]
    rows["status"] = rows.get("status", pd.Series("finished", rows.index))
    rows["error"] = rows["status"].map({"failed": "learning diverged"})  # no other failures are collected
    blocks = _blocks(rows, keys)
    if "episodes" not in rows and len(blocks):
        rows["episodes"] = _last(blocks)
    columns = [name for name in dict.fromkeys([*keys, "run", "seed", "status", "error", "episodes"]) if name in rows]
    _draw(rows, columns, blocks, ordered(rows, keys), path, home)


def _draw(
    rows: pd.DataFrame, columns: list[str], blocks: pd.DataFrame, keys: list[str], path: Path, home: Path
) -> None:
    """The figure of runs and of their blocks, whose moves and seconds are those since the run began.

    `columns` of the rows are what its text may be of; the others are figures.
    """
    entry, last = entry_of(path.parent.name, home), _last(blocks)
    rows, score, label = _scores(rows, blocks, last, entry)
    blocks = blocks[:0] if entry.get("curves") == "none" else blocks
    along = entry["curves"] if entry.get("curves") in ALONG else "episodes"
    if "rows" in entry:
        save(rows_figure(rows, blocks, entry, path.parent, score, label), path)
        return
    table = rows[columns].assign(eval_mean=rows[score], **_budget(path.parent.name, columns, home))
    games = {ours: f"{score}{side}" for ours, side in GAMES.items()}
    if {*games.values()} <= {*rows}:
        table = table.assign(**{ours: rows[name] for ours, name in games.items()})
    if along in ALONG and len(blocks):
        blocks = pd.concat([_along(along, part) for _, part in settings(blocks, keys)], ignore_index=True)
    shown = table, blocks, keys
    figure = sweep_figure(*shown)
    if figure is None:
        raise ValueError(f"{path}: no scores and no curves")
    drawn = Drawn.of(figure, rows, keys, score, sweep_panels(*shown), along)
    _name_axes(drawn, label)
    if notes := _mark(drawn, path.parent, entry):
        caption(figure, " ".join([figure.get_supxlabel().replace("\n", " "), *notes]))
    save(figure, path)


def _scores(
    rows: pd.DataFrame, blocks: pd.DataFrame, last: int, entry: dict[str, Any]
) -> tuple[pd.DataFrame, str, str]:
    """The rows, the column of their scores, and what these are of: as index.yaml says, else of what the rows have."""
    kind = entry.get("scores")
    if kind == "speed":
        return rows, SPEED, "moves a second"
    if kind == "gap":
        return rows.assign(gap=rows["optimal"] - rows["expected"]), GAP, "optimum less expected score"
    score = None if kind == "training" else next((each for each in SCORES if each in rows), None)
    if score:
        return rows, score, SCORES[score]
    name = f"{MEAN}{last // THOUSAND}k"
    return rows.assign(**{name: _means_at(blocks, last, rows["run"])}), name, f"mean score in training, game {last:,}"


def _budget(experiment: str, known: Sequence[str], home: Path) -> dict[str, Any]:
    """What the file of an experiment in conf/ says of its budget and of its games after training."""
    file = home.parent / "conf" / "experiment" / f"{experiment}.yaml"
    if not file.exists():
        return {}
    said = OmegaConf.load(file)
    found = {name: OmegaConf.select(said, name) for name in TOLD if name not in known}
    return {name: value for name, value in found.items() if value}


def _name_axes(drawn: Drawn, name: str) -> None:
    """Say what scores are of, and what curves go by."""
    for axes, _ in drawn.scores:
        if axes.get_ylabel():
            axes.set_ylabel(name.replace(", ", ",\n"))  # one line is longer than a panel is high
        if drawn.score == SPEED:
            axes.yaxis.set_major_formatter(MILLIONS)
        if drawn.score == GAP:
            axes.set_yscale("log")
            axes.set_ylim(0.7 * drawn.rows[GAP].min(), 1.4 * drawn.rows[GAP].max())
            axes.yaxis.set_major_formatter("{x:g}")
    for axes, _ in drawn.curves:
        if drawn.along in ALONG and axes.get_xlabel():
            axes.set_xlabel(f"{drawn.along} of training")
            if drawn.along == "moves":
                axes.xaxis.set_major_formatter(MILLIONS)


def _mark(drawn: Drawn, folder: Path, entry: dict[str, Any]) -> list[str]:
    """Mark what optimal play earns and what was published; what the text under the figure says of it."""
    notes = []
    if "optimal" in drawn.rows:
        mark_optimum(drawn)
        notes += ["Expected scores are exact, of greedy play after training."]
        notes += ["Curves are of games of training."] * bool(drawn.curves)
    return [note for note in (*notes, mark_published(drawn, folder, entry)) if note]


def _with_booleans(column: pd.Series) -> pd.Series:
    """A key's values; where some of them are names, a csv file has the others, true and false, as words."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    return column.map(lambda value: {"True": True, "False": False}.get(value, value)).astype(object)


def _last(blocks: pd.DataFrame) -> int:
    """The episode at which the longest run ended."""
    return int(blocks["episode"].max()) if len(blocks) else 0


def _means_at(blocks: pd.DataFrame, episode: int, runs: pd.Series) -> pd.Series:
    """The mean of the block that ends at an episode, for each run; nan for one that did not come so far."""
    at: Any = blocks[blocks["episode"] == episode].set_index("run")["mean"] if len(blocks) else {}
    return runs.map(at).astype(float)


def _along(name: str, blocks: pd.DataFrame) -> pd.DataFrame:
    """The scores of a setting's blocks after as many moves or seconds, between two blocks in a straight line.

    Where all its runs have some, so that a mean is of all runs everywhere: the slow ones have fewer blocks. As
    dense as the blocks of the run that has most, which take little early in training.
    """
    runs = [run for _, run in blocks.groupby("run", sort=False)]
    first, last = max(run[name].iloc[0] for run in runs), min(run[name].iloc[-1] for run in runs)
    at = np.unique(max(runs, key=len)[name].clip(first, last))
    return pd.concat(
        [run.iloc[[0] * len(at)].assign(episode=at, mean=np.interp(at, run[name], run["mean"])) for run in runs],
        ignore_index=True,
    )


def _blocks(rows: pd.DataFrame, keys: Sequence[str]) -> pd.DataFrame:
    """The columns `mean_10k` and so on as blocks, with `moves_10k` and `seconds_10k` where there are such."""
    names = [
        name for name in map(str, rows) if name.startswith(MEAN) and name.endswith("k") and rows[name].notna().any()
    ]
    fixed = list(dict.fromkeys([*keys, "run", "seed", "status"]))
    parts = []
    for name in names:
        thousands = name.removeprefix(MEAN)
        until = {along: rows.get(f"{along}_{thousands}") for along in ALONG}
        parts.append(rows[fixed].assign(episode=int(thousands[:-1]) * THOUSAND, mean=rows[name], **until))
    blocks = pd.concat(parts).dropna(subset="mean") if parts else pd.DataFrame()
    return blocks.sort_values(["run", "episode"], ignore_index=True) if parts else blocks


def _own(folder: Path, home: Path) -> Callable[[Path], None] | None:
    """What draws the figure of an experiment that has one of its own."""
    if entry_of(folder.name, home).get("curves") == "budgets":
        return curve.draw
    return next((draw for file, draw in OWN.items() if (folder / file).exists()), None)


def main(*experiments: str, home: Path = EXPERIMENTS) -> None:
    """Draw the figures of experiments, or of all, anew."""
    for folder in [home / name for name in experiments] or sorted(path.parent for path in home.glob("*/results.csv")):
        if draw := _own(folder, home):
            draw(folder)
        elif (folder / "figure.png").exists():
            draw_results(folder / "results.csv", folder / "figure.png", home)
        if (folder / "reach.csv").exists():
            reach_rates.draw(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
