"""From the folder of a sweep or of a run to reach.csv, reach.png and a table of an experiment.

    python experiments/reach.py EXPERIMENT FOLDER [into=FOLDER]

Seed by seed, the share of the last 10,000 training games that reached 8192 and 16384.
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import seaborn as sns
from matplotlib.ticker import PercentFormatter

import tdl.results

HERE = Path(__file__).parent
TILES = [8192, 16384]
GAMES = 10_000
COLUMNS = 10
"""Of the printed table; the file has every 10,000 games."""


def main(experiment: str, folder: str, into: str | None = None) -> None:
    """Write the files and print the table."""
    files = Path(into.removeprefix("into=")) if into else HERE / experiment
    blocks = tdl.results.load(folder).rename(columns={f"reach_{tile}": tile for tile in TILES})
    blocks["episode"] = (blocks["episode"] + GAMES - 1) // GAMES * GAMES
    long = blocks.melt(["episode", "seed"], TILES, "tile", "share")
    long = long.groupby(["episode", "seed", "tile"], as_index=False)["share"].mean()
    table = long.pivot(index="episode", columns=["tile", "seed"], values="share").sort_index(axis=1).round(4)

    step = max(1, len(table) // COLUMNS)
    some = table.iloc[step - 1 :: step]
    print("| tile | seed |", " | ".join(f"{episode // 1000}k" for episode in some.index), "|")
    print("|---" * (len(some) + 2) + "|")
    for (tile, seed), shares in some.items():
        print(f"| {tile} | {seed} |", " | ".join(f"{share:.1%}" for share in shares), "|")

    table.columns = [f"reach_{tile}_seed_{seed}" for tile, seed in table.columns]
    table.to_csv(files / "reach.csv")

    sns.set_theme(style="whitegrid")
    axes = sns.lineplot(long.astype({"seed": str, "tile": str}), x="episode", y="share", hue="seed", style="tile")
    axes.set(xlabel="episodes", ylabel="share of 10,000 games that reached the tile", xlim=(0, None), ylim=(0, 1))
    axes.ticklabel_format(style="plain", axis="x")
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    sns.move_legend(axes, "center left", bbox_to_anchor=(1, 0.5))
    axes.figure.savefig(files / "reach.png", dpi=110, bbox_inches="tight")


if __name__ == "__main__":
    main(*sys.argv[1:])
