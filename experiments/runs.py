"""From the folder of a sweep or of a run to runs.csv and a table: a row for every run of an experiment.

    python experiments/runs.py FOLDER EXPERIMENT [TILE,TILE,...]

Training seconds up to some episodes; mean score and reach rates of the greedy games, with 95% intervals over games.
"""

import sys
from pathlib import Path

import pandas as pd

import tdl.results
from tdl.statistics import share_interval

HERE = Path(__file__).parent
EPISODES = [10_000, 50_000, 100_000, 1_000_000]
TILES = "4096,8192,16384"
SWEPT = ["tiles", "placer", "placer.first_empty", "seed"]


def main(folder: str, experiment: str, given: str = TILES) -> None:
    """Write the file and print the table."""
    tiles = given.split(",")
    seconds = tdl.results.load(folder).pivot(index="episode", columns="run", values="seconds").cumsum()
    at = [episode for episode in EPISODES if episode in seconds.index]
    rows = []
    runs = tdl.results.runs(folder)
    varied = [key for key in SWEPT if key == "seed" or runs[key].nunique() > 1]
    for run in runs.sort_values(varied).to_dict("records"):
        row = {key: run[key] for key in varied} | {
            f"seconds_{n // 1000}k": round(seconds.loc[n, run["run"]], 1) for n in at
        }
        row |= {f"greedy_{name}": round(run[f"eval_{name}"], 1) for name in ("mean", "low", "high")}
        games = row["games"] = run["evaluate.episodes"]
        for tile in tiles:
            reached = run.get(f"eval_reach_{tile}")
            rate = row[f"reach_{tile}"] = 0.0 if pd.isna(reached) else reached  # no column, or none in this run's
            low, high = share_interval(round(rate * games), games)
            row |= {f"reach_{tile}_low": round(low, 4), f"reach_{tile}_high": round(high, 4)}
        rows.append(row)
    table = pd.DataFrame(rows)
    table.to_csv(HERE / experiment / "runs.csv", index=False)

    plain = [*varied, *(f"seconds_{n // 1000}k" for n in at)]
    print("|", " | ".join([*plain, "greedy_mean", *(f"reach_{tile}" for tile in tiles)]), "|")
    print("|---" * (len(plain) + 1 + len(tiles)) + "|")
    for row in table.to_dict("records"):
        cells = [str(row[name]) if name in SWEPT else f"{row[name]:,.0f}" for name in plain]
        cells.append("{greedy_mean:,.0f} [{greedy_low:,.0f}, {greedy_high:,.0f}]".format(**row))
        for name in (f"reach_{tile}" for tile in tiles):
            cells.append(f"{row[name]:.2%} [{row[name + '_low']:.2%}, {row[name + '_high']:.2%}]")
        print("|", " | ".join(cells), "|")


if __name__ == "__main__":
    main(*sys.argv[1:])
