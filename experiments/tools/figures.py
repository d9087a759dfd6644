"""Figures of the experiments, made of their csv files: `python -m experiments.tools.figures [EXPERIMENT ...]`.

Scores and learning curves, as those of a sweep, of results.csv; figures of their own of the experiments that have one
of the files in `OWN`, and of reach.csv. `collect`, which has the blocks of the runs, draws curves with more points.
"""

import sys
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
from tdl.results.style import FONT, MILLIONS, caption, save
from tdl.results.sweep_figure import SCORES as SCORE_AXES
from tdl.results.sweep_figure import panel_title, sweep_figure

SCORES = {"greedy_mean": "mean score", "expected": "expected score"}
"""Columns of results.csv with the scores of a trained network, the first that is there; else the last block's mean."""

SPEED = "moves_per_second"
SPEEDS = ("fib_engines",)
"""Experiments whose question is of speed, not of scores."""

WITHOUT_CURVES = ("gap",)
"""Experiments whose learning curves would be many small panels that no question asks for."""

BY_SECONDS = ("best_300s",)
"""Experiments with a budget of seconds: their curves go by seconds of training, not by episodes."""

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
    """Scores of the games after training, or exact ones where the game is solved, and learning curves."""
    exact = "eval_expected" in runs
    if exact:
        runs = runs.assign(eval_mean=runs["eval_expected"])
    figure = sweep_figure(runs, blocks, keys)
    if figure is None:
        raise ValueError(f"{path}: no scores and no curves")
    rows = runs.rename(columns={"eval_optimal": "optimal"})
    _finish(figure, rows, keys, path.parent, "expected score" if exact else "mean score")
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
    blocks = blocks[:0] if path.parent.name in WITHOUT_CURVES else blocks
    score = SPEED if path.parent.name in SPEEDS else next((name for name in SCORES if name in rows), None)
    last = max(blocks["episode"]) if len(blocks) else 0
    rows["eval_mean"] = rows[score] if score else rows[f"{MEAN}{last // THOUSAND}k"]
    if "episodes" not in rows:
        rows["episodes"] = last or None
    names = dict.fromkeys([*keys, "run", "seed", "status", "error", "eval_mean", "episodes"])
    by_seconds = path.parent.name in BY_SECONDS
    figure = sweep_figure(rows[list(names)], _by_seconds(blocks, rows) if by_seconds else blocks, ordered(rows, keys))
    assert figure is not None
    if by_seconds:
        figure.axes[-1].set_xlabel("seconds of training")
    name = "moves a second" if score == SPEED else SCORES[score] if score else f"mean score at {last:,}"
    _finish(figure, rows, ordered(rows, keys), path.parent, name)
    save(figure, path)


def _finish(figure: Figure, rows: pd.DataFrame, keys: list[str], folder: Path, name: str) -> None:
    """Name the axes of scores, and mark what optimal play earns and what was published."""
    scores = [axes for axes in figure.axes if axes.get_label() == SCORE_AXES]
    for axes in scores:
        if axes.get_ylabel():
            axes.set_ylabel(name)
        if name == "moves a second":
            axes.yaxis.set_major_formatter(MILLIONS)
    notes = []
    if "optimal" in rows:
        notes += ["Expected scores are exact, of greedy play after training."]
        notes += ["Curves are of games of training."] * (len(scores) < len(figure.axes))
        for axes in scores:
            _mark_optimum(axes, rows, keys[2:])
        for axes in scores:  # as before: one range for all
            axes.set_ylim(top=max(each.get_ylim()[1] for each in scores))
    published, told = _published(folder)
    if told and _mark_published(figure, published, keys):
        notes += [f"Black stars and lines: {told}."]
    if notes:
        caption(figure, " ".join([figure.get_supxlabel().replace("\n", " "), *notes]))


def _published(folder: Path) -> tuple[pd.DataFrame, str]:
    """The rows of published.csv and the means over seeds of peers.csv, and what they are, nothing where neither is."""
    parts, told = [], []
    if (folder / "published.csv").exists():
        parts, told = [pd.read_csv(folder / "published.csv")], ["published figures"]
    if (folder / "peers.csv").exists():
        peers = pd.read_csv(folder / "peers.csv")
        keys = list(peers.columns[list(peers.columns).index("command") + 1 : list(peers.columns).index("seed")])
        settings = peers.groupby(keys or "program", sort=False)
        parts.append(settings.mean(numeric_only=True).reset_index())
        told.append(f"means of {peers['program'].iloc[0]} over its seeds")
    return pd.concat(parts) if parts else pd.DataFrame(), " and ".join(told)


def _mark_optimum(axes: Axes, rows: pd.DataFrame, panel_keys: list[str]) -> None:
    """A line at what optimal play earns, in a panel of one game."""
    if panel_keys:
        titles = [panel_title(row, panel_keys) for _, row in rows.iterrows()]
        rows = rows[[title == axes.get_title() for title in titles]]
    (optimum,) = rows["optimal"].unique()
    axes.axhline(optimum, color="black", linestyle="--", linewidth=0.9)
    axes.annotate(
        "optimal play", (1, optimum), (-2, 2), ("axes fraction", "data"), "offset points", ha="right", size=FONT - 1
    )
    axes.set_ylim(top=max(axes.get_ylim()[1], 1.1 * optimum))


def _mark_published(figure: Figure, published: pd.DataFrame, keys: list[str]) -> bool:
    """Stars at published scores: where there is one panel of each kind. False: there are none to mark."""
    scores, curves = [
        [axes for axes in figure.axes if (axes.get_label() == SCORE_AXES) == kind] for kind in (True, False)
    ]
    marked = False
    if len(curves) == 1 and curves[0].get_xlabel() == "episodes":
        for name in published:
            if name.startswith(MEAN) and name.endswith("k"):
                episode = int(name.removeprefix(MEAN)[:-1]) * THOUSAND
                values = published[name].dropna()
                curves[0].plot([episode] * len(values), values, "k*", markersize=6, zorder=5, clip_on=False)
                marked |= len(values) > 0
    score = next((name for name in SCORES if name in published), None)
    if len(scores) != 1 or score is None:
        return marked
    if not keys:
        for value in published[score].dropna():
            scores[0].axhline(value, color="black", linewidth=0.9)
            _hold(scores[0], value)
            marked = True
    elif keys[0] in published:
        ticks = {
            text.get_text(): x for x, text in zip(scores[0].get_xticks(), scores[0].get_xticklabels(), strict=True)
        }
        for value, score_value in zip(published[keys[0]], published[score], strict=True):
            if str(value) in ticks and pd.notna(score_value):
                scores[0].plot([ticks[str(value)]], [score_value], "k*", markersize=6, zorder=5, clip_on=False)
                _hold(scores[0], score_value)
                marked = True
    return marked


def _hold(axes: Axes, value: float) -> None:
    """Make the axis hold a value and some room around it."""
    low, high = axes.get_ylim()
    room = 0.06 * (max(high, value) - min(low, value))
    axes.set_ylim(min(low, value - room), max(high, value + room))


def _by_seconds(blocks: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """The blocks with the mean seconds of training in the place of their episodes."""
    seconds = {episode: rows[f"seconds_{episode // THOUSAND}k"].mean() for episode in blocks["episode"].unique()}
    return blocks.assign(episode=blocks["episode"].map(seconds))


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
