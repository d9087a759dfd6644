"""What the networks of `experiment=best` score by training moves, for the program that says it before a run begins.

    python -m experiments.curve.analyse

It makes tdl/runs/reached.csv of results.csv: a row for each budget, with the least and the most of its networks.
"""

import pandas as pd

from experiments.tools import EXPERIMENTS, ROOT

RECIPE = "tuples == '8x6_count_redundant' and start == 'milestone' and plies == 1"
COLUMNS = {"score": "greedy_mean", "16384": "reach_16384", "32768": "reach_32768"}


def table() -> pd.DataFrame:
    """The rows of reached.csv."""
    networks = pd.read_csv(EXPERIMENTS / "curve" / "results.csv").query(RECIPE).groupby("budget")
    columns = {f"{name}_{end}": (column, end) for name, column in COLUMNS.items() for end in ("min", "max")}
    rows = networks.agg(games=("episodes", "mean"), moves=("moves", "mean"), **columns)
    return rows.round({"games": 0, "moves": 0}).astype({"games": int, "moves": int})


def main() -> None:
    table().to_csv(ROOT / "tdl" / "runs" / "reached.csv", index=False)


if __name__ == "__main__":
    main()
