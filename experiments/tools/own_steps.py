"""Makes the csv files and the figure of learners that are compared each at its own best step size.

    python -m experiments.tools.own_steps EXPERIMENT TUNING JUDGED [into=FOLDER] [by=KEY,KEY]

TUNING has the runs that choose the step sizes, JUDGED runs with these and with other seeds. A setting that has a best
step size is a learner and its lambda, or what `by` names; what that names beside the learner is the game. tuning.csv:
a row for each run that chose. best.csv: the best step size of each setting, what finding it took, and the score of
other seeds. results.csv: a row for each of their runs. differences.csv: all differences between two learners of one
game. by_episodes.csv: their learning curves, as far as all runs of a setting go.
"""

import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import seaborn as sns

import tdl.results
from experiments.tools import arguments, write
from experiments.tools.contrasts import differences
from experiments.tools.drawing import BARS, BOUNDS, in_words, panels, with_bounds
from experiments.tools.runs import ended, summary
from experiments.tools.tables import interval, settings
from tdl.results.style import PLAYERS
from tdl.statistics.intervals import mean_interval

LEARNER, STEP, SCORE = ["learner", "learner.td_lambda"], "alpha", "greedy_mean"
TUNING = [STEP, "seed", "status", "episodes", "moves", "seconds", SCORE]  # of tuning.csv after those of the setting
CROSSES = {"style": None, "marker": "x", "clip_on": False, "in_layout": False}


def keys_of(table: pd.DataFrame) -> list[str]:
    """The keys of the settings: the columns before the step size."""
    return [*table.columns[: table.columns.get_loc(STEP)]]


def rows_of(folder: str, keys: list[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of results.csv for the runs in a folder, and their blocks."""
    runs, blocks = ended(folder), tdl.results.load(folder)
    blocks = blocks[blocks["run"].isin(runs["run"])]
    return summary(runs, blocks, [*keys, STEP]), blocks


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
    by_setting = dict(settings(judged, [*keys, STEP]))
    for setting, part in tuning.groupby(keys):
        scores = part[part.groupby(STEP)["status"].transform(lambda status: (status == "finished").all())]
        (best,) = tdl.results.best_by("learner", STEP, scores, SCORE).itertuples()
        mean, low, high = interval(by_setting[*setting, best.alpha], SCORE)
        found.append({
            **dict(zip(keys, setting, strict=True)), STEP: best.alpha,
            "tried": part[STEP].nunique(), "tried_runs": len(part), "tried_moves": part["moves"].sum(),
            "tuned": best.mean, "tuned_low": best.low, "tuned_high": best.high, "held_out": best.held_out,
            "judged": mean, "judged_low": low, "judged_high": high,
        })  # fmt: skip
    table = pd.DataFrame(found)
    return table.round(dict.fromkeys(table.columns[table.columns.get_loc("tuned") :], 1))


def curves(blocks: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The rows of by_episodes.csv: means over the seeds, with their intervals, of the blocks that all of them have."""
    blocks = blocks.assign(seconds=blocks.groupby("run")["seconds"].cumsum())
    counts = blocks.groupby([*keys, "episode"])["run"].transform("nunique")
    groups = blocks[counts == blocks.groupby(keys)["run"].transform("nunique")].groupby([*keys, "episode"])
    table = groups.agg({"seconds": "mean", "mean": "mean"}).reset_index()
    table[["low", "high"]] = [mean_interval(part["mean"].to_numpy()) for _, part in groups]
    return table.round(1)


def compare(folder: Path) -> None:
    """Write best.csv and differences.csv, of tuning.csv and results.csv."""
    tuning, judged = (pd.read_csv(folder / name) for name in ("tuning.csv", "results.csv"))
    keys = keys_of(judged)
    parts = dict([*judged.groupby(keys)])
    pairs = rivals(keys, sorted(parts, key=lambda setting: -parts[setting][SCORE].mean()))
    named = {name_of(keys, setting): part for setting, part in parts.items()}
    write(folder, best=best_steps(tuning, judged), differences=differences(named, pairs))


def draw(folder: Path) -> str:
    """Scores by step size, and curves at each learner's best one, a row for a game, into figure.png; its caption."""
    tuning, judged, along = (pd.read_csv(folder / f"{name}.csv") for name in ("tuning", "results", "by_episodes"))
    keys, ticks = keys_of(tuning), sorted(tuning[STEP].unique())
    game_keys = [key for key in keys if key not in LEARNER]
    games, curves_of = settings(tuning, game_keys), dict(settings(along, game_keys))
    by_games = (judged.groupby(keys)["episodes"].nunique() == 1).all()  # runs that end by time have others
    axis, label = ("episode", "training games") if by_games else ("seconds", "seconds of training")
    shape = {"nrows": len(games), "ncols": 2, "squeeze": False, "sharex": "col", "sharey": "row"}
    with panels(folder / "figure.png", 0.9 + 2.2 * len(games), **shape) as grid:
        for (game, rows), (steps, learning) in zip(games, grid, strict=True):
            lost = rows.groupby([*keys, STEP])["status"].transform(lambda status: (status != "finished").any())
            tried, crosses = rows[~lost], rows[lost].assign(**{SCORE: 0.0})
            curve = with_bounds(curves_of[game], "mean", "low", "high")
            sns.lineplot(tried, x=STEP, y=SCORE, **_style(tried), **BARS, legend=False, ax=steps)
            sns.scatterplot(crosses, x=STEP, y=SCORE, **_style(crosses) | CROSSES, legend=False, ax=steps)
            band = BOUNDS | {"markers": False, "legend": learning is grid[0, 1] and "auto"}
            sns.lineplot(curve, x=axis, y="mean", **_style(curve) | band, ax=learning)
            words = in_words(pd.Series(game, dtype=object), folder)
            steps.set(title=", ".join([*words, "after training"]), ylabel="mean score", ylim=(0, None), xscale="log")
            learning.set(title=", ".join([*words, "in training"]), xlabel=label)
        steps.set(xlabel="step size alpha")
        steps.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=45)
        steps.minorticks_off()
    left = f"Left: means over {tuning['seed'].nunique()} tuning seeds with 95% intervals; crosses: a run diverged."
    return f"{left} Right: {judged['seed'].nunique()} test seeds at each learner's best step; bands: 95% intervals."


def _style(rows: pd.DataFrame) -> dict[str, Any]:
    """For seaborn: learners have colours and lambdas dashes, both with names in words."""
    styles = {"hue": rows[LEARNER[0]].str.upper(), "palette": {name.upper(): hue for name, hue in PLAYERS.items()}}
    if LEARNER[1] in rows:
        style = rows[LEARNER[1]].map("{:g}".format).rename("lambda")
        styles |= {"style": style, "markers": dict(zip(style.unique(), "os^DvPX", strict=False))}
    return styles


def main(experiment: str, *words: str) -> None:
    (chose, played), target, options = arguments(experiment, words, "by")
    keys = options["by"].split(",") if "by" in options else LEARNER
    judged, blocks = rows_of(played, keys)
    tuning = rows_of(chose, keys)[0][[*keys, *TUNING]]
    write(target, tuning=tuning, results=judged, by_episodes=curves(blocks, keys))
    compare(target)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
