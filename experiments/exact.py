"""From the folders of sweeps on a solved game to results.csv, figure.png and a table of an experiment.

    python experiments/exact.py EXPERIMENT FOLDER [FOLDER ...]

The exact expected score of the greedy play learned, its gap to the best play, and the largest error of its values over
the boards it comes to: mean and 95% interval over seeds.
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import seaborn as sns

import tdl.results
from tdl.statistics import mean_text

HERE = Path(__file__).parent
FIGURES = ["expected", "gap", "largest_value_error"]


def main(experiment: str, *folders: str) -> None:
    """Write the files and print the table."""
    runs = tdl.results.runs(folders).rename(
        columns={f"eval_{name}": name for name in FIGURES}
        | {"learner.initial_value": "initial", "learner.epsilon": "epsilon"}
    )
    keys = ["learner", "initial", "epsilon", "episodes"]
    runs = runs.sort_values([*keys, "seed"])
    optimal = runs["eval_optimal"].iloc[0]
    print("|", " | ".join([*keys, "seeds", *FIGURES]), "|")
    print("|---" * (len(keys) + 1 + len(FIGURES)) + "|")
    for setting, rows in runs.groupby(keys):
        cells = [f"{each:,}" if isinstance(each, int) else f"{each}" for each in setting]
        print("|", " | ".join([*cells, str(len(rows)), *(mean_text(rows[name].to_numpy()) for name in FIGURES)]), "|")
    runs[[*keys, "seed", *FIGURES]].round(4).to_csv(HERE / experiment / "results.csv", index=False)

    sns.set_theme(style="whitegrid")
    runs["learning"] = [
        f"{row.learner}, from {row.initial:g}, epsilon {row.epsilon:g}, {row.episodes // 1000}k games"
        for row in runs.itertuples()
    ]
    axes = sns.stripplot(runs, x="expected", y="learning", hue="learning", legend=False)
    axes.axvline(optimal, color="black", linestyle="--")
    axes.set(xlabel=f"expected score of the play learned (best play, dashed: {optimal:,.1f})", ylabel="")
    axes.set_xlim(left=0)
    axes.figure.savefig(HERE / experiment / "figure.png", dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
