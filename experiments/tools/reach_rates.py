"""Makes an experiment's reach.csv and reach.png, and prints a table, from the folder of a sweep or a run.

    python -m experiments.tools.reach_rates EXPERIMENT FOLDER [into=FOLDER]

For each seed: the share of the last 10,000 training games that reached the tiles 8192 and 16384.
"""

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import pandas as pd
import seaborn as sns
from matplotlib.ticker import PercentFormatter

import tdl.results
from experiments.tools import EXPERIMENTS, split_options
from experiments.tools.tables import markdown

TILES = [8192, 16384]
GAMES = 10_000
COLUMNS = 10
"""Columns of the printed table; reach.csv has a row for every 10,000 games."""


def reach_rates(folder: str) -> pd.DataFrame:
    """Share of the last 10,000 games that reached a tile: columns episode, seed, tile, share."""
    blocks = tdl.results.load(folder).rename(columns={f"reach_{tile}": tile for tile in TILES})
    blocks["episode"] = (blocks["episode"] + GAMES - 1) // GAMES * GAMES
    rates = blocks.melt(["episode", "seed"], TILES, "tile", "share")
    return rates.groupby(["episode", "seed", "tile"], as_index=False)["share"].mean()


def draw(rates: pd.DataFrame, path: Path) -> None:
    """Shares against episodes: a colour for each seed, a line style for each tile."""
    sns.set_theme(style="whitegrid")
    axes = sns.lineplot(rates.astype({"seed": str, "tile": str}), x="episode", y="share", hue="seed", style="tile")
    axes.set(xlabel="episodes", ylabel="share of 10,000 games that reached the tile", xlim=(0, None), ylim=(0, 1))
    axes.ticklabel_format(style="plain", axis="x")
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    sns.move_legend(axes, "center left", bbox_to_anchor=(1, 0.5))
    axes.figure.savefig(path, dpi=110, bbox_inches="tight")


def main(experiment: str, *words: str) -> None:
    """Write reach.csv and reach.png, and print the table."""
    (folder,), options = split_options(words, "into")
    target = Path(options.get("into", EXPERIMENTS / experiment))
    rates = reach_rates(folder)
    table = rates.pivot(index="episode", columns=["tile", "seed"], values="share").sort_index(axis=1).round(4)

    step = max(1, len(table) // COLUMNS)
    shown = table.iloc[step - 1 :: step]
    head = ["tile", "seed", *(f"{episode // 1000}k" for episode in shown.index)]
    rows = [[str(tile), str(seed), *(f"{share:.1%}" for share in shares)] for (tile, seed), shares in shown.items()]
    print(markdown([head, *rows]))

    table.columns = [f"reach_{tile}_seed_{seed}" for tile, seed in table.columns]
    table.to_csv(target / "reach.csv")
    draw(rates, target / "reach.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
