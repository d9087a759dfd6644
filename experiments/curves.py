"""From the folder of a sweep or of a run to results.csv, figure.png and the table of an experiment.

    python experiments/curves.py FOLDER EXPERIMENT [COLUMN]

COLUMN tells apart what is compared (learner.order); runs that differ in the seed alone are taken together. A single
run has no interval.
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import seaborn as sns

import tdl.results
from tdl.statistics import mean_text

HERE = Path(__file__).parent
BLOCKS = [1_000, 2_000, 10_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]


def main(folder: str, experiment: str, column: str = "learner.order") -> None:
    """Write the files and print the table."""
    blocks = tdl.results.load(folder)
    runs = tdl.results.runs(folder).set_index("run")["eval_mean"].round(1)
    last = blocks["episode"].max()
    at = [episode for episode in sorted({*BLOCKS, last}) if (blocks["episode"] == episode).any()]
    table = blocks.pivot(index=["run", column, "seed"], columns="episode", values="mean")[at]
    table = table.join(runs).round(1).reset_index().drop(columns="run").sort_values([column, "seed"])
    table.columns = [column.split(".")[-1], "seed", *(f"mean_{n // 1000}k" for n in at), "greedy_mean"]
    table.to_csv(HERE / experiment / "results.csv", index=False)

    print("|", " | ".join([table.columns[0], *table.columns[2:]]), "|")
    print("|---" * (len(table.columns) - 1) + "|")
    for choice, rows in table.groupby(table.columns[0]):
        cells = (mean_text(rows[name].to_numpy()).removesuffix(" [nan, nan]") for name in table.columns[2:])
        print("|", " | ".join([str(choice), *cells]), "|")

    sns.set_theme(style="whitegrid")
    axes = sns.lineplot(blocks, x="episode", y="mean", hue=column, errorbar=("ci", 95), seed=0)
    games = blocks["block"].max()
    axes.set(xlabel="episodes", ylabel=f"mean score of {games:,} games", xlim=(0, None), ylim=(0, None))
    axes.ticklabel_format(style="plain")
    axes.legend(title=table.columns[0])
    axes.figure.savefig(HERE / experiment / "figure.png", dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
