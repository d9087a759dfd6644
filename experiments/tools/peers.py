"""Makes peers.csv of an experiment, from what TDL2048+ printed when it was run with several seeds.

    python -m experiments.tools.peers EXPERIMENT LOG [LOG ...] [into=FOLDER] [until=EPISODES]

The column `command` says how to make each log again, but for where the program lies: `2048 WORDS > LOG`. Lines that
begin with # are left out. With `until` the later part of a run is left out, and the games after training are those
played then. A row for each run; where the experiment compares `evaluate.plies`, for each set of games after training.

The columns are those of results.csv, of the blocks that it has: `mean_10k` is of the 1,000 training games that end
with game 10,000, `moves_10k` of all training until then. The program prints means without their fraction.
"""

import re
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools import EXPERIMENTS, arguments, write
from experiments.tools.tables import GAMES, REACH, read_table, setting_keys, training_means

HEAD = re.compile(r"TDL2048\+ by .*\nDevelop Rev\.(\w+) .*\n(.+)\n")
PART = re.compile(r"^(?P<kind>optimize|evaluate): (?P<loops>\d+)x(?P<games>\d+)(?:.*search=(?P<plies>\d+)p)?.*$", re.M)
BLOCK = re.compile(r"^\d+/\d+ (\d+)ms ([\d.]+)ops\nlocal: +avg=(\d+) max=(\d+) tile=\d+ win=([\d.]+)%$", re.M)
TILE = re.compile(r"^(\d+) +(\d+) +\d+ +\d+ +[\d.]+% +[\d.]+%$", re.M)
ALL = re.compile(r"^summary .*\ntotal: +avg=(\d+) max=(\d+) ", re.M)
FAILED = re.compile(r"^# finished= (?!0$)(.*)$", re.M)
TUPLES = {"4x6patt": "4x6", "8x6patt": "8x6", "8x6patt mono num": "8x6_order_count"}  # our names of its networks
ORDERS = {"forward": "forward", "backward": "backward", "lambda": "backward"}  # by its mode; lambda: last board first
REACHED, PLIES = (2048, 4096, 8192, 16384), "evaluate.plies"


class LogError(Exception):
    """A log that is cut, or of a program that failed."""


def read(log: Path) -> tuple[dict[str, Any], pd.DataFrame, list[tuple[int, int, dict[str, Any]]]]:
    """Whose a run is and its setting; blocks of training; episode, plies and figures of games after it."""
    text = log.read_text()
    if failed := FAILED.search(text):
        raise LogError(f"{log}: the program ended with {failed[1]}")
    text = re.sub(r"(?m)^#.*\n", "", text)
    head, parts = HEAD.match(text), [*PART.finditer(text)]
    if head is None or len(parts) != len(re.findall(" -[te] ", head[2])):
        raise LogError(f"{log}: cut, or of another program")
    training, played = [], []
    for part, printed in zip(parts, PART.split(text)[5::5], strict=True):
        blocks, tiles, total = BLOCK.findall(printed), TILE.findall(printed), ALL.search(printed)
        whole = len(blocks) == int(part["loops"])
        if whole and part["kind"] == "optimize" and int(part["games"]) == GAMES:
            training += blocks
        elif whole and total and sum(int(count) for _, count in tiles) == int(part["loops"]) * int(part["games"]):
            played.append((GAMES * len(training), int(part["plies"] or 1), _games(total, tiles)))
        else:
            raise LogError(f"{log}: cut, or not in blocks of {GAMES:,} games: {part[0].strip()}")
    command = re.sub(r"^\S*/", "", " ".join(head[2].split()))
    options = {name: words.strip() for name, words in re.findall(r"(-\w+) ([^-]+)", command)}
    whose = {"program": "TDL2048+", "revision": head[1], "command": command, "seed": int(options["-s"])}
    order = ORDERS[re.findall(r"mode=(\S+)", text)[0]]
    return whose | {"tuples": TUPLES[options["-n"]], "learner.order": order}, _training(training), played


def _training(blocks: list[tuple[str, ...]]) -> pd.DataFrame:
    """The blocks of training; moves, which the program prints by the second, and seconds are of all so far."""
    table = pd.DataFrame(blocks, columns=["seconds", "moves", "mean", "max", f"{REACH}2048"]).astype(float)
    seconds = table["seconds"] / 1000
    table = table.assign(seconds=seconds.cumsum().round(3), moves=(table["moves"] * seconds).round().cumsum())
    table[f"{REACH}2048"] = (table[f"{REACH}2048"] / 100).round(4)
    return table.astype({"moves": int, "mean": int, "max": int}).assign(episodes=GAMES * (table.index + 1))


def _games(total: re.Match[str], tiles: list[tuple[str, str]]) -> dict[str, Any]:
    """Figures of games after training, of which so many have which largest tile."""
    counts = {int(tile): int(count) for tile, count in tiles}
    games = sum(counts.values())
    figures = {"greedy_games": games, "greedy_mean": int(total[1]), "greedy_max": int(total[2])}
    reached = {least: sum(counts[tile] for tile in counts if tile >= least) for least in REACHED}
    return figures | {f"{REACH}{tile}": round(count / games, 4) for tile, count in reached.items()}


def rows_of(log: Path, keys: list[str], ends: list[int], until: int | None = None) -> list[dict[str, Any]]:
    """The rows of a run: the values of `keys`, the seed and the figures, of blocks that end at one of `ends`."""
    whose, blocks, played = read(log)
    blocks = blocks[blocks["episodes"] <= (until or GAMES * len(blocks))]
    whole = {"seed": whose["seed"]} | blocks[["episodes", "moves", "seconds"]].to_dict("records")[-1]
    if until not in (None, whole["episodes"]):
        raise LogError(f"{log}: has no block that ends with game {until}")
    played = [(plies, figures) for episode, plies, figures in played if episode == whole["episodes"]]
    if PLIES not in keys:
        values = [figures for plies, figures in played if plies == 1]
        played = [(1, _figures(blocks, ends) | (values[-1] if values else {}))]
    begin = {name: whose[name] for name in ("program", "revision", "command")}
    settings = [(whose | {PLIES: plies}, figures) for plies, figures in played]
    return [begin | {key: setting[key] for key in keys} | whole | figures for setting, figures in settings]


def _figures(blocks: pd.DataFrame, ends: list[int]) -> dict[str, Any]:
    """Figures of the blocks that end at one of the episodes."""
    figures: dict[str, Any] = {}
    for block in blocks[blocks["episodes"].isin(ends)].to_dict("records"):
        last = block["episodes"] in (10_000, blocks["episodes"].iloc[-1])
        names = ["mean", "moves", "seconds", *(["max", f"{REACH}2048"] if last else [])]
        figures |= {f"{name}_{block['episodes'] // 1000}k": block[name] for name in names}
    return figures


def main(experiment: str, *words: str) -> None:
    logs, target, options = arguments(experiment, words, "until")
    ours = read_table(EXPERIMENTS / experiment / "results.csv")
    keys = [key for key in setting_keys(ours) if key in (PLIES, "tuples", "learner.order")]
    ends, until = [*training_means(ours).values()], int(options["until"]) if "until" in options else None
    rows = [row for log in logs for row in rows_of(Path(log), keys, ends, until)]
    write(target, peers=pd.DataFrame(rows).sort_values([*keys, "seed"]))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except LogError as error:
        sys.exit(str(error))
