"""Makes the csv files and the figure of an experiment with one base and variants that change a key or two of it.

    python -m experiments.tools.variants EXPERIMENT BASE FOLDER [FOLDER ...] [into=FOLDER]

The other folders have runs of variants, and evaluations of the networks of the base. A variant is called by the keys
in which it differs from the base. results.csv: a row for each run, the best variants first. differences.csv: each
variant less the base, and less the variant with one of its keys. power.csv: which difference the seeds could show.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.tools import arguments, write
from experiments.tools.contrasts import differences, power
from experiments.tools.drawing import draw_means, in_words, panels
from experiments.tools.runs import GREEDY, NOT_COMPARED, ended, network_seed
from tdl.results.design import NO_FACTORS
from tdl.results.style import GREY
from tdl.storage.titles import value_text

BASE = "base"
PLAYED = ("evaluate.", "search.")  # keys of games after training, which do not change the networks
CUSTOM = "custom"  # the value of a group some of whose keys have other values than its file, which are named
NOT_NAMED = ("eval_", "evaluate.episodes", "evaluate.record", *NOT_COMPARED)
TRAINED = ("episodes", "moves", "seconds")
REACHES = {f"eval_reach_{tile}": f"reach_{tile}" for tile in (2048, 4096, 8192, 16384)}


def rows_of(base: str, folders: list[str]) -> pd.DataFrame:
    """The rows of results.csv."""
    runs = ended([base, *folders])
    if "checkpoint" in runs:
        played = runs["checkpoint"].notna()
        runs.loc[played, "seed"] = runs.loc[played, "checkpoint"].map(network_seed)
        runs.loc[played, [*TRAINED]] = None  # the row of the base has them
    rows = runs.to_dict("records")
    words = [_words(row, rows[0]) for row in rows]
    runs["variant"] = [" ".join(changes.values()) or BASE for changes in words]
    runs["networks"] = [BASE if all(key.startswith(PLAYED) for key in changes) else "own" for changes in words]
    runs = runs.rename(columns=GREEDY | REACHES | {"evaluate.episodes": "games"})
    runs["mean"] = runs.groupby("variant")["greedy_mean"].transform("mean").where(runs["variant"] != BASE, np.inf)
    runs = runs.sort_values(["mean", "variant", "seed"], ascending=[False, True, True])
    columns = ["variant", "seed", "networks", "status", *TRAINED, "games", *GREEDY.values(), *REACHES.values()]
    return runs.reindex(columns=columns).round(dict.fromkeys(["seconds", *GREEDY.values()], 1))


def _words(row: dict[str, Any], base: dict[str, Any]) -> dict[str, str]:
    """KEY=VALUE for each key with another value than the base, by the whole key; those of the search last."""
    words: dict[str, str] = {}
    for key in sorted(row, key=lambda key: key.startswith("search.")):
        text, group = value_text(key, row[key]), key.partition(".")[0]
        if key in NO_FACTORS or key.startswith(NOT_NAMED) or group in words:
            continue
        if text in (value_text(key, base[key]), CUSTOM):
            continue
        if pd.isna(row.get("checkpoint")) or (key.startswith(PLAYED) and text != "null"):
            words[key] = f"{key.rpartition('.')[2]}={text.replace(' ', '')}"
    return words


def compare(folder: Path) -> None:
    """Write differences.csv and power.csv, of results.csv."""
    rows = pd.read_csv(folder / "results.csv")
    parts = {str(name): part.sort_values("seed") for name, part in rows.groupby("variant", sort=False)}
    pairs = [(name, BASE) for name in parts if name != BASE]
    words = {name: set(name.split()) for name, _ in pairs}
    pairs += [(name, less) for name in words for less in words if words[less] < words[name]]
    shared = set(rows[rows["networks"] == BASE]["variant"])
    paired = [pair for pair in pairs if set(pair) <= shared]
    scores = {name: part["greedy_mean"].to_numpy() for name, part in parts.items()}
    trained = {name: scores[name] for name in parts if name == BASE or name not in shared}
    widest = max(trained, key=lambda name: trained[name].var())
    rest = [trained[name] for name in trained if name != widest]
    spreads, tested = {"all": [*trained.values()], f"all but {widest}": rest}, len(pairs) - len(paired)
    shown = [{"spread_of": name} | power(each, tested) for name, each in spreads.items() if each]
    write(folder, differences=differences(parts, pairs, paired), power=pd.DataFrame(shown))


def draw(folder: Path) -> str:
    """Mean scores of the variants, with that of the base as a line, into figure.png; returns its caption."""
    rows = pd.read_csv(folder / "results.csv")
    base = rows.loc[rows["variant"] == BASE, "greedy_mean"].mean()
    rows["variant"], rows["networks"] = in_words(rows["variant"], folder), rows["networks"] + " networks"
    with panels(folder / "figure.png", 0.8 + 0.24 * rows["variant"].nunique()) as axes:
        axes.axvline(base, color=GREY, linewidth=1)
        draw_means(axes, rows, "variant", "networks")
        axes.set_xlim(left=0)
    return f"Means over {rows['seed'].nunique()} seeds with 95% intervals (Student's t); faint: seeds; line: base."


def main(experiment: str, *words: str) -> None:
    (base, *folders), target, _ = arguments(experiment, words)
    write(target, results=rows_of(base, folders))
    compare(target)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
