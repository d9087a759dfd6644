"""Makes an experiment's reach.csv and reach.png, and prints a table, from the folder of a sweep or a run.

    python -m experiments.tools.reach_rates EXPERIMENT FOLDER [into=FOLDER]

For each seed: the share of the last 10,000 training games that reached the tiles 8192 and 16384.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.ticker import PercentFormatter

import tdl.results
from experiments.tools import split_options, target_of
from experiments.tools.tables import markdown
from tdl.results.palette import tile_colour
from tdl.results.style import THOUSANDS, WIDTH, caption, new_figure, save, style
from tdl.statistics.intervals import mean_interval

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


def draw(folder: Path) -> None:
    """Shares of reach.csv against episodes, into reach.png: a colour for each tile, and a thin line for each seed."""
    table = pd.read_csv(folder / "reach.csv", index_col="episode")
    seeds = 0
    with style():
        figure = new_figure(0.75 * WIDTH, 3.2)
        axes = figure.subplots()
        for tile in TILES:
            shares = table[[name for name in table if name.startswith(f"reach_{tile}_")]].to_numpy(float)
            seeds = shares.shape[1]
            bounds = np.clip([mean_interval(row) for row in shares], 0, 1)
            colour = tile_colour(tile)
            axes.fill_between(table.index, *bounds.T, color=colour, alpha=0.15, linewidth=0)
            axes.plot(table.index, shares, color=colour, linewidth=0.5, alpha=0.5)
            axes.plot(table.index, shares.mean(axis=1), color=colour, label=str(tile))
        axes.set(xlabel="episodes", ylabel="games that reached the tile", xlim=(0, None), ylim=(0, 1))
        axes.xaxis.set_major_formatter(THOUSANDS)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.legend(title="tile", loc="center left", bbox_to_anchor=(1, 0.5))
        bands = "mean over seeds (thick) with its 95% interval (Student's t) as a band, and each seed (thin); "
        text = f"Share of {GAMES:,} games of training; " + (bands if seeds > 1 else "") + f"n = {seeds} seed"
        caption(figure, f"{text}{'s' if seeds > 1 else ''}.")
    save(figure, folder / "reach.png")


def main(experiment: str, *words: str) -> None:
    """Write reach.csv and reach.png, and print the table."""
    (folder,), options = split_options(words, "into")
    target = target_of(options, experiment)
    rates = reach_rates(folder)
    table = rates.pivot(index="episode", columns=["tile", "seed"], values="share").sort_index(axis=1).round(4)

    step = max(1, len(table) // COLUMNS)
    shown = table.iloc[step - 1 :: step]
    head = ["tile", "seed", *(f"{episode // 1000}k" for episode in shown.index)]
    rows = [[str(tile), str(seed), *(f"{share:.1%}" for share in shares)] for (tile, seed), shares in shown.items()]
    print(markdown([head, *rows]))

    table.columns = [f"reach_{tile}_seed_{seed}" for tile, seed in table.columns]
    table.to_csv(target / "reach.csv")
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
