"""Makes the csv files and the figure of learners that are compared each at its own best step size.

    python -m experiments.tools.own_steps EXPERIMENT TUNING JUDGED [into=FOLDER]

TUNING has the runs that choose the step sizes, JUDGED runs with these and with other seeds. tuning.csv: a row for each
run that chose. best.csv: the best step size of each learner, what finding it took, and the score of the seeds that
chose nothing. results.csv: a row for each of their runs; differences.csv: all differences between two of the learners;
by_episodes.csv: their learning curves.
"""

import sys
from itertools import combinations
from pathlib import Path

import pandas as pd

import tdl.results
from experiments.tools import split_options, target_of
from experiments.tools.contrasts import differences
from experiments.tools.summary import summary
from tdl.results.palette import DASHES, MARKERS, colours
from tdl.results.style import THOUSANDS, WIDTH, caption, from_zero, new_figure, save, style
from tdl.statistics.intervals import mean_interval

LEARNER, STEP, SCORE = ["learner", "learner.td_lambda"], "alpha", "greedy_mean"
TUNING = [*LEARNER, STEP, "seed", "status", "episodes", "moves", "seconds", SCORE]


def rows_of(folder: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of results.csv for the runs in a folder, and their blocks."""
    runs = tdl.results.runs(folder)
    runs = runs[(runs["status"] == "finished") | runs["error"].astype(str).str.contains("diverged")]
    blocks = tdl.results.load(folder)
    blocks = blocks[blocks["run"].isin(runs["run"])]
    return summary(runs.reset_index(drop=True), blocks, [*LEARNER, STEP]), blocks


def name_of(learner: tuple[str, float]) -> str:
    """A learner's name: TC(.5)."""
    return f"{learner[0].upper()}({learner[1]:g})".replace("0.", ".")


def best_steps(tuning: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """The rows of best.csv: `tuned` is the mean of the runs that chose, `judged` that of the others."""
    found = []
    for learner, part in tuning.groupby(LEARNER):
        scores = part[part.groupby(STEP)["status"].transform(lambda status: (status == "finished").all())]
        (best,) = tdl.results.best_by("learner", STEP, scores, SCORE).itertuples()
        played = judged[(judged[LEARNER] == list(learner)).all(axis=1) & (judged[STEP] == best.alpha)][SCORE]
        low, high = mean_interval(played.to_numpy(float))
        found.append({
            **dict(zip(LEARNER, learner, strict=True)), STEP: best.alpha,
            "tried": part[STEP].nunique(), "tried_runs": len(part), "tried_moves": part["moves"].sum(),
            "tuned": best.mean, "tuned_low": best.low, "tuned_high": best.high, "held_out": best.held_out,
            "judged": played.mean(), "judged_low": low, "judged_high": high,
        })  # fmt: skip
    table = pd.DataFrame(found)
    return table.round(dict.fromkeys(table.columns[table.columns.get_loc("tuned") :], 1))


def curves(blocks: pd.DataFrame) -> pd.DataFrame:
    """The rows of by_episodes.csv: means over seeds, with their intervals."""
    groups = blocks.groupby([*LEARNER, "episode"], as_index=False)
    table = groups["mean"].mean()
    table[["low", "high"]] = [mean_interval(part["mean"].to_numpy()) for _, part in groups]
    return table.round(1)


def draw(folder: Path) -> None:
    """Scores against the step size, and learning curves at each learner's own best one, into figure.png."""
    tuning, best, episodes = (pd.read_csv(folder / f"{name}.csv") for name in ("tuning", "best", "by_episodes"))
    learners = [(row[0], row[1]) for row in best[LEARNER].itertuples(index=False)]
    colour, lambdas = colours([*dict.fromkeys(best["learner"])]), [*dict.fromkeys(best[LEARNER[1]])]
    with style():
        figure = new_figure(WIDTH, 3.1)
        steps, along = figure.subplots(1, 2)
        for learner in learners:
            place = lambdas.index(learner[1])
            look = {"color": colour[learner[0]], "linestyle": DASHES[place]}
            marker = MARKERS[place]
            _draw_steps(steps, _of(tuning, learner), look | {"marker": marker})
            row = _of(best, learner).iloc[0]
            steps.plot(row[STEP], row["judged"], marker=marker, markersize=9, markerfacecolor="none",
                       color=colour[learner[0]])  # fmt: skip
            curve = _of(episodes, learner)
            along.fill_between(curve["episode"], curve["low"], curve["high"], color=colour[learner[0]], alpha=0.15,
                               linewidth=0)  # fmt: skip
            along.plot(curve["episode"], curve["mean"], **look, label=f"{name_of(learner)}, alpha {row[STEP]:g}")
        steps.set(xscale="log", xlabel="alpha", ylabel="mean score", xticks=sorted(tuning[STEP].unique()))
        steps.xaxis.set_major_formatter("{x:g}")
        steps.minorticks_off()
        steps.tick_params(axis="x", labelrotation=45)
        along.set(xlabel="episodes", ylabel="mean score of 1,000 games")
        along.xaxis.set_major_formatter(THOUSANDS)
        for axes in (steps, along):
            from_zero(axes)
        along.legend(loc="lower right")
        caption(figure, _text(tuning))
    save(figure, folder / "figure.png")


def _of(table: pd.DataFrame, learner: tuple[str, float]) -> pd.DataFrame:
    return table[(table[LEARNER] == list(learner)).all(axis=1)]


def _draw_steps(axes: object, rows: pd.DataFrame, look: dict[str, str]) -> None:
    """Means of the runs that chose, with intervals; a cross at 0 where a run diverged."""
    finished = rows.groupby(STEP)["status"].agg(lambda status: (status == "finished").all())
    groups = rows[rows[STEP].map(finished)].groupby(STEP)[SCORE]
    means, bounds = groups.mean(), groups.agg(lambda scores: mean_interval(scores.to_numpy())[1])
    axes.errorbar(means.index, means, bounds - means, markersize=4, capsize=2, elinewidth=1, linewidth=1, **look)  # type: ignore[attr-defined]
    lost = finished.index[~finished]
    axes.plot(lost, [0] * len(lost), "x", color=look["color"], clip_on=False)  # type: ignore[attr-defined]


def _text(tuning: pd.DataFrame) -> str:
    diverged = " A cross at 0: runs diverged." if (tuning["status"] != "finished").any() else ""
    return (
        "Left: 1,000 games after training against the step size; filled the seeds that chose it, with 95% intervals "
        f"(Student's t), open the seeds that are judged.{diverged} Right: games of training of the latter at their "
        "own best step size, with intervals as bands."
    )


def main(experiment: str, *words: str) -> None:
    """Write the five files and the figure."""
    (chose, played), options = split_options(words, "into")
    target = target_of(options, experiment)
    judged, blocks = rows_of(played)
    tuning = rows_of(chose)[0][TUNING]
    tuning.to_csv(target / "tuning.csv", index=False)
    judged.to_csv(target / "results.csv", index=False)
    curves(blocks).to_csv(target / "by_episodes.csv", index=False)
    compare(target)
    draw(target)


def compare(folder: Path) -> None:
    """Write best.csv and differences.csv, of tuning.csv and results.csv."""
    tuning, judged = (pd.read_csv(folder / name) for name in ("tuning.csv", "results.csv"))
    best_steps(tuning, judged).to_csv(folder / "best.csv", index=False)
    samples = {name_of(learner): part[SCORE].to_numpy() for learner, part in judged.groupby(LEARNER)}
    names = sorted(samples, key=lambda name: -samples[name].mean())
    differences(samples, combinations(names, 2)).to_csv(folder / "differences.csv", index=False)


if __name__ == "__main__":
    main(*sys.argv[1:])
