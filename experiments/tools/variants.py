"""Makes the csv files and the figure of an experiment with one base and variants that change a key or two of it.

    python -m experiments.tools.variants EXPERIMENT BASE FOLDER [FOLDER ...] [into=FOLDER]

BASE has the runs of the base, the other folders those of variants, and evaluations of the networks of the base. A
variant is called by the keys in which it differs from the base. results.csv: a row for each run, the best variants
first. differences.csv: each variant less the base, and less the variant with one of its keys. power.csv: which
difference the seeds could show.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tdl.results
from experiments.tools import split_options, target_of
from experiments.tools.contrasts import differences, power
from experiments.tools.drawing import draw_means, in_words, panels
from experiments.tools.networks import network_seed
from experiments.tools.summary import GREEDY, NOT_COMPARED
from experiments.tools.tables import errors_of
from tdl.results.comparison import NO_FACTORS
from tdl.results.palette import GREY
from tdl.storage.titles import value_text

BASE = "base"
PLAYED = ("evaluate.", "search.")
"""Keys of games after training: variants that change no other have the networks of the base."""

CUSTOM = "custom"
"""The value of a group of which keys have other values than its file."""

NOT_NAMED = ("eval_", "evaluate.episodes", "evaluate.record", *NOT_COMPARED)

TRAINED = ("episodes", "moves", "seconds")
REACHES = {f"eval_reach_{tile}": f"reach_{tile}" for tile in (2048, 4096, 8192, 16384)}


def rows_of(base: str, folders: list[str]) -> pd.DataFrame:
    """The rows of results.csv."""
    runs = tdl.results.runs([base, *folders])
    runs = runs[runs["status"].isin(["finished", "failed"])].reset_index(drop=True)
    if "checkpoint" in runs:
        played = runs["checkpoint"].notna()
        runs.loc[played, "seed"] = runs.loc[played, "checkpoint"].map(network_seed)
        runs.loc[played, [*TRAINED]] = None  # the row of the base has them
    rows = runs.to_dict("records")
    words = [_words(row, rows[0]) for row in rows]
    runs["variant"] = [" ".join(each.values()) or BASE for each in words]
    runs["networks"] = [BASE if all(key.startswith(PLAYED) for key in each) else "own" for each in words]
    runs = runs.rename(columns=GREEDY | REACHES)
    runs["mean"] = runs.groupby("variant")["greedy_mean"].transform("mean").where(runs["variant"] != BASE, np.inf)
    runs = runs.sort_values(["mean", "variant", "seed"], ascending=[False, True, True])
    runs["games"] = runs["evaluate.episodes"]
    columns = ["variant", "seed", "networks", "status", *TRAINED, "games", *GREEDY.values(), *REACHES.values()]
    return runs.reindex(columns=columns).round(dict.fromkeys(["seconds", *GREEDY.values()], 1))


def _words(row: dict[str, Any], base: dict[str, Any]) -> dict[str, str]:
    """KEY=VALUE for each key with another value than the base, by the whole key; those of the search last."""
    words: dict[str, str] = {}
    for key in sorted(row, key=lambda key: key.startswith("search.")):
        text, group = value_text(key, row[key]), key.partition(".")[0]
        if key in NO_FACTORS or key.startswith(NOT_NAMED) or group in words or text == value_text(key, base[key]):
            continue
        if text == CUSTOM:  # the keys of the group say which
            continue
        if pd.isna(row.get("checkpoint")) or (key.startswith(PLAYED) and text != "null"):
            words[key] = f"{key.rpartition('.')[2]}={text.replace(' ', '')}"
    return words


def compare(folder: Path) -> None:
    """Write differences.csv and power.csv, of results.csv."""
    rows = pd.read_csv(folder / "results.csv")
    parts = {name: part.sort_values("seed") for name, part in _variants(rows)}
    samples = {name: part["greedy_mean"].to_numpy() for name, part in parts.items()}
    errors = {name: errors_of(part, "greedy_mean") for name, part in parts.items()}
    shared = set(rows[rows["networks"] == BASE]["variant"])
    pairs = [(name, BASE) for name in samples if name != BASE]
    words = {name: set(name.split()) for name in samples if name != BASE}
    pairs += [(name, less) for name in words for less in words if words[less] < words[name]]
    paired = [pair for pair in pairs if set(pair) <= shared]
    differences(samples, pairs, paired, errors).to_csv(folder / "differences.csv", index=False)
    trained = {name: scores for name, scores in samples.items() if name == BASE or name not in shared}
    widest = max(trained, key=lambda name: trained[name].var())
    rest = [scores for name, scores in trained.items() if name != widest]
    tested = len(pairs) - len(paired)
    shown = {"all": power([*trained.values()], tested)} | ({f"all but {widest}": power(rest, tested)} if rest else {})
    pd.concat(shown, names=["spread_of"]).droplevel(1).to_csv(folder / "power.csv")


def _variants(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    return [(str(name), part) for name, part in rows.groupby("variant", sort=False)]


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
    """Write the three files and the figure."""
    (base, *folders), options = split_options(words, "into")
    target = target_of(options, experiment)
    rows_of(base, folders).to_csv(target / "results.csv", index=False)
    compare(target)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
