"""From the sweep's folder to results.csv, figure.png and the table: `python analysis.py SWEEP_FOLDER`."""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import seaborn as sns

import tdl.results
from tdl.statistics import mean_interval

HERE = Path(__file__).parent
BLOCKS = [1_000, 2_000, 10_000, 100_000]


def main(sweep: str) -> None:
    """Write the files and print the table."""
    blocks = tdl.results.load(sweep)
    runs = tdl.results.runs(sweep).set_index("run")["eval_mean"].round(1)
    table = blocks.pivot(index=["run", "learner.order", "seed"], columns="episode", values="mean")[BLOCKS]
    table = table.join(runs).round(1).reset_index().drop(columns="run").sort_values(["learner.order", "seed"])
    table.columns = ["order", "seed", *(f"mean_{n // 1000}k" for n in BLOCKS), "greedy_mean"]
    table.to_csv(HERE / "results.csv", index=False)

    print("| order |", " | ".join(table.columns[2:]), "|")
    print("|---|" + "---|" * len(table.columns[2:]))
    for order, rows in table.groupby("order"):
        cells = []
        for column in table.columns[2:]:
            low, high = mean_interval(rows[column].to_numpy())
            cells.append(f"{rows[column].mean():,.0f} [{low:,.0f}, {high:,.0f}]")
        print(f"| {order} |", " | ".join(cells), "|")

    sns.set_theme(style="whitegrid")
    axes = sns.lineplot(blocks, x="episode", y="mean", hue="learner.order", errorbar=("ci", 95), seed=0)
    axes.set(xlabel="episodes", ylabel="mean score of 1,000 games", xlim=(0, None), ylim=(0, None))
    axes.legend(title="order")
    axes.figure.savefig(HERE / "figure.png", dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(sys.argv[1])
