"""From the folder of a sweep of `tdl.evaluate` to evaluations.csv and a table: a row for each depth and network.

    python experiments/plies.py FOLDER EXPERIMENT [TILE,TILE,...]

Mean scores and reach rates with 95% intervals over games, then the mean over the networks with one over them.
"""

import sys
from pathlib import Path

import pandas as pd

import tdl.results
from tdl.statistics import mean_text, share_interval

HERE = Path(__file__).parent
TILES = "2048,4096,8192,16384"


def main(folder: str, experiment: str, given: str = TILES) -> None:
    """Write the file and print the table."""
    tiles, rows = given.split(","), []
    for run in tdl.results.runs(folder).sort_values(["evaluate.plies", "checkpoint"]).to_dict("records"):
        games = run["evaluate.episodes"]
        row = {"plies": run["evaluate.plies"], "network": Path(run["checkpoint"]).name.split("_")[0], "games": games}
        row |= {name: round(run[f"eval_{name}"], 1) for name in ("mean", "low", "high", "median", "max")}
        row["moves_per_second"] = run["eval_moves_per_second"]
        for tile in tiles:
            rate = run.get(f"eval_reach_{tile}", 0.0)
            low, high = share_interval(round(rate * games), games)
            row |= {f"reach_{tile}": rate, f"reach_{tile}_low": round(low, 4), f"reach_{tile}_high": round(high, 4)}
        rows.append(row)
    table = pd.DataFrame(rows)
    table.to_csv(HERE / experiment / "evaluations.csv", index=False)

    print("|", " | ".join(["plies", "network", "games", "mean", *(f"reach_{tile}" for tile in tiles)]), "|")
    print("|---" * (4 + len(tiles)) + "|")
    for plies, part in table.groupby("plies"):
        for row in part.to_dict("records"):
            cells = [f"{plies}", row["network"], f"{row['games']:,}"]
            cells.append("{mean:,.0f} [{low:,.0f}, {high:,.0f}]".format(**row))
            for name in (f"reach_{tile}" for tile in tiles):
                cells.append(f"{row[name]:.1%} [{row[name + '_low']:.1%}, {row[name + '_high']:.1%}]")
            print("|", " | ".join(cells), "|")
        if len(part) > 1:
            shares = (f"{part[f'reach_{tile}'].mean():.1%}" for tile in tiles)
            print(f"| {plies} | all | | {mean_text(part['mean'].to_numpy())} |", " | ".join(shares), "|")


if __name__ == "__main__":
    main(*sys.argv[1:])
