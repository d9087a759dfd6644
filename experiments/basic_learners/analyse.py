"""Makes an experiment's reach.csv and reach.png from the folder of a sweep or a run.

    python -m experiments.basic_learners.analyse PART FOLDER [into=FOLDER]

For each seed: the share of the last 10,000 training games that reached the tiles 8192 and 16384.
"""

import sys
from pathlib import Path

import pandas as pd
import seaborn as sns

import tdl.results
from experiments.tools import arguments
from experiments.tools.drawing import panels
from tdl.results.style import tile_colour

TILES = [8192, 16384]
GAMES = 10_000


def reach_rates(folder: str) -> pd.DataFrame:
    """Share of the last 10,000 games that reached a tile, by episode: a column for each tile and seed."""
    blocks = tdl.results.load(folder)
    blocks["episode"] = (blocks["episode"] + GAMES - 1) // GAMES * GAMES
    tables = {tile: blocks.pivot_table(f"reach_{tile}", "episode", "seed").round(4) for tile in TILES}
    return pd.concat([rates.add_prefix(f"reach_{tile}_seed_") for tile, rates in tables.items()], axis=1)


def draw(folder: Path) -> str:
    """Shares of reach.csv against episodes, a line for each tile and seed, into reach.png; returns its caption."""
    rates = pd.read_csv(folder / "reach.csv").melt("episode", value_name="share")
    rates[["tile", "seed"]] = rates["variable"].str.extract(r"reach_(\d+)_seed_(\d+)")
    rates["share"] *= 100
    styles = {"hue": "tile", "palette": [*map(tile_colour, TILES)], "units": "seed", "estimator": None}
    with panels(folder / "reach.png", 3.2) as axes:
        sns.lineplot(rates, x="episode", y="share", **styles, ax=axes)
        axes.set(xlabel="training games", ylabel="% of games that reach the tile", ylim=(0, 100))
    return f"Each line is one of {rates['seed'].nunique()} seeds. A point is the share of {GAMES:,} training games."


FIGURES = {"reach.csv": ("reach.png", draw)}


def main(part: str, *words: str) -> None:
    (folder,), target, _ = arguments(f"basic_learners/{part}", words)
    reach_rates(folder).to_csv(target / "reach.csv")
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
