"""Makes the csv files and the figure of learners that are compared each at its own best step size.

    python -m experiments.tools.own_steps EXPERIMENT TUNING JUDGED [into=FOLDER] [by=KEY,KEY]

TUNING has the runs that choose the step sizes, JUDGED runs with these and with other seeds. A setting that has a best
step size is a learner and its lambda, or what `by` names; what that names beside the learner is the game, and learners
of one game are compared. tuning.csv: a row for each run that chose. best.csv: the best step size of each setting, what
finding it took, and the score of the seeds that chose nothing. results.csv: a row for each of their runs;
differences.csv: all differences between two learners of one game; by_episodes.csv: their learning curves, as far as
all runs of a setting go.
"""

import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

import tdl.results
from experiments.tools import split_options, target_of
from experiments.tools.contrasts import differences
from experiments.tools.summary import summary
from experiments.tools.tables import errors_of, settings
from tdl.results.palette import DASHES, MARKERS, colours
from tdl.results.style import THOUSANDS, WIDTH, caption, from_zero, new_figure, save, style
from tdl.statistics.intervals import mean_interval

LEARNER, STEP, SCORE = ["learner", "learner.td_lambda"], "alpha", "greedy_mean"

BESIDE = 1.06
"""The place of judged seeds on the logarithmic axis: their step times this."""

TUNING = [STEP, "seed", "status", "episodes", "moves", "seconds", SCORE]
"""Columns of tuning.csv after those of the setting."""


def keys_of(table: pd.DataFrame) -> list[str]:
    """The keys of the settings: the columns before the step size."""
    return [*table.columns[: table.columns.get_loc(STEP)]]


def rows_of(folder: str, keys: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of results.csv for the runs in a folder, and their blocks."""
    runs = tdl.results.runs(folder)
    runs = runs[(runs["status"] == "finished") | runs["error"].astype(str).str.contains("diverged")]
    blocks = tdl.results.load(folder)
    blocks = blocks[blocks["run"].isin(runs["run"])]
    return summary(runs.reset_index(drop=True), blocks, [*keys, STEP]), blocks


def name_of(keys: list[str], setting: tuple[Any, ...]) -> str:
    """A setting's name: TC(.5), or p90_10 TC."""
    words = dict(zip(keys, setting, strict=True))
    learner = str(words.pop(LEARNER[0])).upper()
    if LEARNER[1] in words:
        learner += f"({words.pop(LEARNER[1]):g})".replace("0.", ".")
    return " ".join([*map(str, words.values()), learner])


def rivals(keys: list[str], settings: list[tuple[Any, ...]]) -> list[tuple[str, str]]:
    """The names of all pairs of settings that are learners of one game."""
    games = [place for place, key in enumerate(keys) if key not in LEARNER]
    pairs = [(a, b) for a, b in combinations(settings, 2) if all(a[place] == b[place] for place in games)]
    return [(name_of(keys, a), name_of(keys, b)) for a, b in pairs]


def best_steps(tuning: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """The rows of best.csv: `tuned` is the mean of the runs that chose, `judged` that of the others."""
    found, keys = [], keys_of(tuning)
    for setting, part in tuning.groupby(keys):
        scores = part[part.groupby(STEP)["status"].transform(lambda status: (status == "finished").all())]
        (best,) = tdl.results.best_by("learner", STEP, scores, SCORE).itertuples()
        again = _of(judged, setting)
        again = again[again[STEP] == best.alpha]
        played = again[SCORE]
        low, high = mean_interval(played.to_numpy(float), errors_of(again, SCORE))
        found.append({
            **dict(zip(keys, setting, strict=True)), STEP: best.alpha,
            "tried": part[STEP].nunique(), "tried_runs": len(part), "tried_moves": part["moves"].sum(),
            "tuned": best.mean, "tuned_low": best.low, "tuned_high": best.high, "held_out": best.held_out,
            "judged": played.mean(), "judged_low": low, "judged_high": high,
        })  # fmt: skip
    table = pd.DataFrame(found)
    return table.round(dict.fromkeys(table.columns[table.columns.get_loc("tuned") :], 1))


def curves(blocks: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The rows of by_episodes.csv: means over the seeds, with their intervals, of the blocks that all of them have."""
    blocks = blocks.assign(seconds=blocks.groupby("run")["seconds"].cumsum())
    counts = blocks.groupby([*keys, "episode"])["run"].transform("nunique")
    blocks = blocks[counts == blocks.groupby(keys)["run"].transform("nunique")]
    groups = blocks.groupby([*keys, "episode"], as_index=False)
    table = groups.agg({"seconds": "mean", "mean": "mean"})
    table[["low", "high"]] = [mean_interval(part["mean"].to_numpy()) for _, part in groups]
    return table.round(1)


def draw(folder: Path) -> None:
    """Scores against the step size, and learning curves at each learner's own best one, into figure.png.

    A row of panels for each game. Runs that end by time have different episodes: their curves are by seconds.
    """
    tuning, best, along = (pd.read_csv(folder / f"{name}.csv") for name in ("tuning", "best", "by_episodes"))
    keys, judged = keys_of(best), pd.read_csv(folder / "results.csv")
    axis = "episode" if (judged.groupby(keys)["episodes"].nunique() == 1).all() else "seconds"
    games = settings(best, [key for key in keys if key not in LEARNER])
    with style():
        figure = new_figure(WIDTH, 0.7 + 2.4 * len(games))
        for (game, rows), panels in zip(games, figure.subplots(len(games), 2, squeeze=False), strict=True):
            _draw_game(panels, rows, _of(tuning, game), along, axis)
            for axes in panels:
                axes.set_title(" ".join(map(str, game)))
                from_zero(axes)
        figure.legend(*panels[1].get_legend_handles_labels(), loc="outside upper center", ncols=6)
        caption(figure, _text(tuning, axis))
    save(figure, folder / "figure.png")


def _draw_game(
    panels: Sequence[Axes], best: pd.DataFrame, tuning: pd.DataFrame, along: pd.DataFrame, axis: str
) -> None:
    """The two panels of a game."""
    steps, learning = panels
    keys = keys_of(best)
    own = [key for key in keys if key in LEARNER]
    for setting, look, marker in _looks(best[keys]):
        _draw_steps(steps, _of(tuning, setting), look | {"marker": marker})
        row, curve = _of(best, setting).iloc[0], _of(along, setting)
        _draw_judged(steps, row, look["color"], marker)
        learning.fill_between(curve[axis], curve["low"], curve["high"], color=look["color"], alpha=0.15, linewidth=0)
        learning.plot(curve[axis], curve["mean"], **look, label=name_of(own, tuple(row[own])))
    steps.set(xscale="log", xlabel="alpha", ylabel="mean score after training", xticks=sorted(tuning[STEP].unique()))
    steps.xaxis.set_major_formatter("{x:g}")
    steps.minorticks_off()
    steps.tick_params(axis="x", labelrotation=45)
    learning.set(xlabel={"episode": "episodes"}.get(axis, axis), ylabel="mean score in training")
    if axis == "episode":
        learning.xaxis.set_major_formatter(THOUSANDS)


def _looks(settings: pd.DataFrame) -> list[tuple[tuple[Any, ...], dict[str, str], str]]:
    """Each setting with its colour and line, and its marker: the colour tells the learner, the rest the other keys."""
    colour, others = colours([*dict.fromkeys(settings[LEARNER[0]])]), settings.drop(columns=LEARNER[0])
    rest = [*others.itertuples(index=False, name=None)]
    places = [[*dict.fromkeys(rest)].index(other) for other in rest]
    rows = zip(settings.itertuples(index=False, name=None), settings[LEARNER[0]], places, strict=True)
    return [(row, {"color": colour[name], "linestyle": DASHES[place]}, MARKERS[place]) for row, name, place in rows]


def _of(table: pd.DataFrame, setting: tuple[Any, ...]) -> pd.DataFrame:
    """The rows of a setting, whose keys are the first columns of all files."""
    keys: list[str] = [*table.columns[: len(setting)]]
    return table[(table[keys] == list(setting)).all(axis=1)]


def _draw_steps(axes: Axes, rows: pd.DataFrame, look: dict[str, str]) -> None:
    """Means of the runs that chose, with intervals; a cross on the axis where a run diverged."""
    finished = rows.groupby(STEP)["status"].agg(lambda status: (status == "finished").all())
    groups = rows[rows[STEP].map(finished)].groupby(STEP)[SCORE]
    means, bounds = groups.mean(), groups.agg(lambda scores: mean_interval(scores.to_numpy())[1])
    axes.errorbar(means.index, means, bounds - means, markersize=4, capsize=2, elinewidth=1, linewidth=1, **look)
    lost = finished.index[~finished]
    if len(lost):
        on_axis = axes.get_xaxis_transform()
        axes.plot(lost, [0] * len(lost), "x", color=look["color"], clip_on=False, transform=on_axis)


def _draw_judged(axes: Axes, row: pd.Series, colour: str, marker: str) -> None:
    """The mean of the seeds that are judged with its interval, beside those that chose the step."""
    bars = [[row["judged"] - row["judged_low"]], [row["judged_high"] - row["judged"]]]
    axes.errorbar([row[STEP] * BESIDE], [row["judged"]], bars, color=colour, marker=marker, markersize=7,
                  markerfacecolor="white", capsize=3, elinewidth=1, linestyle="none", zorder=4)  # fmt: skip


def _text(tuning: pd.DataFrame, axis: str) -> str:
    diverged = (
        " A cross on the axis: runs diverged, of several learners where their steps are the same."
        if (tuning["status"] != "finished").any()
        else ""
    )
    far = (
        "all runs of a learner go"
        if axis == "episode"
        else "all runs of a learner have games; seconds are means over the runs after as many games"
    )
    return (
        "Left: 1,000 games after training against the step size; filled the seeds that chose it, with 95% intervals "
        f"(Student's t), open beside them the seeds that are judged.{diverged} Right: games of training of the latter "
        f"at their own best step size, with intervals as bands, as far as {far}."
    )


def main(experiment: str, *words: str) -> None:
    """Write the five files and the figure."""
    (chose, played), options = split_options(words, "into", "by")
    target = target_of(options, experiment)
    keys = options["by"].split(",") if "by" in options else LEARNER
    judged, blocks = rows_of(played, keys)
    tuning = rows_of(chose, keys)[0][[*keys, *TUNING]]
    tuning.to_csv(target / "tuning.csv", index=False)
    judged.to_csv(target / "results.csv", index=False)
    curves(blocks, keys).to_csv(target / "by_episodes.csv", index=False)
    compare(target)
    draw(target)


def compare(folder: Path) -> None:
    """Write best.csv and differences.csv, of tuning.csv and results.csv."""
    tuning, judged = (pd.read_csv(folder / name) for name in ("tuning.csv", "results.csv"))
    best_steps(tuning, judged).to_csv(folder / "best.csv", index=False)
    keys, parts = keys_of(judged), dict([*judged.groupby(keys_of(judged))])
    names = sorted(parts, key=lambda setting: -parts[setting][SCORE].mean())
    named = {name_of(keys, setting): part[SCORE].to_numpy() for setting, part in parts.items()}
    errors = {name_of(keys, setting): errors_of(part, SCORE) for setting, part in parts.items()}
    differences(named, rivals(keys, names), errors=errors).to_csv(folder / "differences.csv", index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
