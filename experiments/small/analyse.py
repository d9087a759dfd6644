"""What networks cost and score as float16, their weights rounded to steps in points: a csv file, from their folders.

    python -m experiments.small.analyse FOLDER ... [into=FOLDER] [file=sizes] [steps=0,8] [plies=1] [games=3000]

A row for each network, step (0: none) and number of plies. `megabytes`: the weights, packed as `tdl export` packs
them. The games have the same drops; `difference` is from the network as it was trained.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray

import tdl
import tdl.results
from experiments.tools import arguments, write
from tdl.formats.compact import rounded
from tdl.statistics.intervals import mean_interval
from tdl.storage.planes import deflated

SEED = 1000  # of the games, with which no recipe was chosen
BOUNDS = ("", "_low", "_high")


def figures(name: str, values: NDArray[Any]) -> dict[str, float]:
    """A mean and its interval."""
    numbers = (values.mean(), *mean_interval(values))
    return {name + bound: round(float(number), 1) for bound, number in zip(BOUNDS, numbers, strict=True)}


def rows_of(run: dict[Any, Any], steps: list[float], plies: list[int], games: int) -> Iterator[dict[str, Any]]:
    """The rows of a network."""
    player: Any = tdl.load(run["run"])
    known = {"network": Path(run["run"]).name, "seed": run["seed"], "moves": run["moves"]}
    known |= {"seconds": round(run["seconds"]), "entries": player.network.weights.size}
    for depth in plies:
        trained = player.evaluate(games, SEED, plies=depth)["score"] if len(steps) > 1 else None
        for step in steps:
            small = rounded(player.network, step)
            records = player.with_network(small).evaluate(games, SEED, plies=depth)
            row = known | {"step": step, "megabytes": round(len(deflated(small.weights)) / 1e6, 3), "plies": depth}
            row |= {"games": games} | figures("greedy_mean", records["score"])
            row["points_per_megabyte"] = round(row["greedy_mean"] / row["megabytes"])
            row["reach_16384"] = round((records["max_tile"] >= 16384).mean(), 4)
            yield row | ({} if trained is None else figures("difference", records["score"] - trained))


def main(*words: str) -> None:
    folders, target, options = arguments("small", words, "file", "steps", "plies", "games")
    steps = [float(step) for step in options.get("steps", "0,8").split(",")]
    plies = [int(number) for number in options.get("plies", "1").split(",")]
    runs = [run for folder in folders for run in tdl.results.runs(folder).to_dict("records")]
    rows = [row for run in runs for row in rows_of(run, steps, plies, int(options.get("games", 3000)))]
    write(target, **{options.get("file", "sizes"): pd.DataFrame(rows)})


if __name__ == "__main__":
    main(*sys.argv[1:])
