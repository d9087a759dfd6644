"""From the sweep's folder to results.csv and the table: `python analysis.py SWEEP_FOLDER`."""

import sys
from pathlib import Path

import tdl.results
from tdl.statistics import mean_text

HERE = Path(__file__).parent


def main(sweep: str) -> None:
    """Write the file and print the table."""
    blocks = tdl.results.load(sweep)
    last = blocks[blocks["episode"] == 10_000].astype({"lanes": str})
    table = last.pivot(index=["learner.order", "seed"], columns="lanes", values="mean").reset_index()
    table.columns = ["order", "seed", "lanes_1", "lanes_auto"]
    table.round(1).to_csv(HERE / "results.csv", index=False)
    print("| order | lanes=1 | lanes=auto | auto - 1, seed by seed |\n|---|---|---|---|")
    for order, rows in table.groupby("order"):
        one, auto = rows["lanes_1"].to_numpy(), rows["lanes_auto"].to_numpy()
        print(f"| {order} | {mean_text(one)} | {mean_text(auto)} | {mean_text(auto - one)} |")


if __name__ == "__main__":
    main(sys.argv[1])
