"""Makes peers.csv of an experiment, from what TDL2048+ printed when it was run with several seeds.

    python -m experiments.tools.peers EXPERIMENT LOG [LOG ...] [into=FOLDER] [until=EPISODES]

The column `command` says how to make each log again, but for where the program lies: `2048 WORDS > LOG`. Lines that
begin with # are left out. With `until` the later part of a run is left out, and the games after training are those
played then. A row for each run; where the experiment compares `evaluate.plies`, for each set of games after training.

`mean_10k`, `max_10k` and `reach_2048_10k` are of the 1,000 training games that end with game 10,000, as in
results.csv, of those blocks that it has (the program prints means without their fraction); `moves_10k` and
`seconds_10k` are of all training until then, `episodes`, `moves` and `seconds` of the whole; `greedy_mean` and
`reach_8192` of the `greedy_games` after it.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools import EXPERIMENTS, split_options, target_of
from experiments.tools.summary import EPISODES, REACH
from experiments.tools.tables import GAMES, read_table

PROGRAM = "TDL2048+"
HEAD = re.compile(r"TDL2048\+ by Hung Guei\nDevelop Rev\.(\w+) .*\n(.+)\n")
RECIPE = re.compile(r"^(optimize|evaluate): (\d+)x(\d+)(.*)$", re.M)
AGAIN = re.compile(r" alpha=\S+ lambda=\S+ make=\S+ what=.*")
"""Where two parts of a run are alike the program says the words of its command once more."""
BLOCK = re.compile(r"^\d+/\d+ (\d+)ms ([\d.]+)ops\nlocal: +avg=(\d+) max=(\d+) tile=\d+ win=([\d.]+)%$", re.M)
TILE = re.compile(r"^(\d+) +(\d+) +\d+ +\d+ +[\d.]+% +[\d.]+%$", re.M)
ALL = re.compile(r"^summary .*\ntotal: +avg=(\d+) max=(\d+) ", re.M)
FAILED = re.compile(r"^# finished= (?!0$)(.*)$", re.M)

TUPLES = {"4x6patt": "4x6", "8x6patt": "8x6", "8x6patt mono num": "8x6_order_count"}
"""Our names of its networks."""

ORDERS = {"forward": "forward", "backward": "backward", "lambda": "backward"}
"""Our order of updates in its modes of training; `lambda` learns by whole lambda-returns, last board first."""

ONCE, RECIPES = {"-s", "-n", "-a", "-l", "-tt"}, {"-t", "-e"}
"""Options that a command may have; the recipes are the parts of a run, in their order."""

REACHED = (2048, 4096, 8192, 16384)
PLIES = "evaluate.plies"


class LogError(Exception):
    """A log that is not whole, or of a setting that is not known here."""


@dataclass(frozen=True)
class Training:
    """A block of training games: its last game, the figures of its games, and moves and seconds of all so far."""

    episode: int
    mean: int
    largest: int
    reach_2048: float
    moves: int
    seconds: float


@dataclass(frozen=True)
class Played:
    """Games after `episode` of training: plies, mean and largest score, and how many have which largest tile."""

    episode: int
    plies: int
    mean: int
    largest: int
    tiles: dict[int, int]


@dataclass(frozen=True)
class Run:
    """What a log says: revision, command, seed, the setting by our keys, and the parts of the run."""

    revision: str
    command: str
    seed: int
    setting: dict[str, Any]
    training: list[Training]
    played: list[Played]


def read(log: Path) -> Run:
    """A run of the program.

    Raises
    ------
    LogError : the log is of another program, of a setting not known here, or not whole.
    """
    text = log.read_text()
    if failed := FAILED.search(text):
        raise LogError(f"{log}: the program ended with {failed[1]}")
    text = re.sub(r"(?m)^#.*\n", "", text)
    head = HEAD.match(text)
    if head is None:
        raise LogError(f"{log}: does not begin as what {PROGRAM} prints")
    words = head[2].split()
    command = " ".join([Path(words[0]).name, *words[1:]])
    try:
        options = _options(words[1:])
        recipes, texts = [*RECIPE.finditer(text)], RECIPE.split(text)[5::5]
        modes = {AGAIN.sub("", match[4]).strip() for match in recipes if match[1] == "optimize"}
        setting = _setting(options, modes)
        if len(recipes) != sum(len(options.get(name, [])) for name in RECIPES):
            raise LogError("cut: not all parts of the command are there")
        training, played = _parts(recipes, texts)
        return Run(head[1], command, int(options["-s"][0][0]), setting, training, played)
    except LogError as error:
        raise LogError(f"{log}: {error}") from None


def _options(words: list[str]) -> dict[str, list[list[str]]]:
    """The words after each option, once for each time that it is there."""
    options: dict[str, list[list[str]]] = {}
    for word in words:
        if word.startswith("-"):
            options.setdefault(word, []).append([])
            last = options[word][-1]
        else:
            last.append(word)
    for name, given in options.items():
        if name not in ONCE | RECIPES or (name in ONCE and len(given) > 1):
            raise LogError(f"unknown words {name} {' '.join(given[-1])}")
    if missing := {"-s", "-n", "-a"} - set(options):
        raise LogError(f"no {' '.join(sorted(missing))} in its command")
    return options


def _setting(options: dict[str, list[list[str]]], modes: set[str]) -> dict[str, Any]:
    """The setting by our keys; a step size of 1 is coherent."""
    network, decay = " ".join(options["-n"][0]), float(options.get("-l", [["0"]])[0][0])
    alpha, *more = options["-a"][0]
    known = {f"mode={mode}" for mode in ORDERS if (mode == "lambda") == (decay > 0)}
    if network not in TUPLES or not modes or modes - known or len(modes) > 1 or more:
        raise LogError(f"unknown setting -n {network} -a {' '.join([alpha, *more])} -l {decay:g} {' '.join(modes)}")
    return {
        "tuples": TUPLES[network],
        "learner": "tc" if float(alpha) >= 1 else "td",
        "alpha": float(alpha),
        "learner.order": ORDERS[modes.pop().removeprefix("mode=")],
        "learner.td_lambda": decay,
    }


def _parts(recipes: list[re.Match[str]], texts: list[str]) -> tuple[list[Training], list[Played]]:
    """The blocks of training and the games after it, of the parts of a run."""
    training: list[Training] = []
    played: list[Played] = []
    for recipe, text in zip(recipes, texts, strict=True):
        kind, loops, games, more = recipe.groups()
        blocks = BLOCK.findall(text)
        if len(blocks) != int(loops):
            raise LogError(f"cut: {len(blocks)} of {loops} blocks of {recipe[0].strip()}")
        if kind == "optimize":
            _learn(training, blocks, int(games))
        else:
            tiles = {int(tile): int(count) for tile, count in TILE.findall(text)}
            plies = re.search(r"search=(\d+)p", more)
            total = ALL.search(text)
            if total is None or sum(tiles.values()) != int(loops) * int(games):
                raise LogError(f"cut: no summary of all games of {recipe[0].strip()}")
            episode = training[-1].episode if training else 0
            played.append(Played(episode, int(plies[1]) if plies else 1, int(total[1]), int(total[2]), tiles))
    return training, played


def _learn(training: list[Training], blocks: list[tuple[str, ...]], games: int) -> None:
    """Append blocks of training; of moves the program prints the number a second."""
    if games != GAMES:
        raise LogError(f"blocks of {games} games; ours are of {GAMES:,}")
    for milliseconds, speed, mean, largest, win in blocks:
        before = training[-1] if training else Training(0, 0, 0, 0, 0, 0)
        seconds = int(milliseconds) / 1000
        moves, passed = before.moves + round(float(speed) * seconds), round(before.seconds + seconds, 3)
        reached = round(float(win) / 100, 4)
        training.append(Training(before.episode + games, int(mean), int(largest), reached, moves, passed))


def rows_of(run: Run, keys: list[str], until: int | None = None) -> list[dict[str, Any]]:
    """The rows of a run: the values of `keys`, the seed and the figures.

    Raises
    ------
    LogError : the run ends before game `until`.
    """
    training = [block for block in run.training if until is None or block.episode <= until]
    last = training[-1]
    if until not in (None, last.episode):
        raise LogError(f"{run.command}: has no block that ends with game {until}")
    played = [games for games in run.played if games.episode == last.episode]
    begin = {"program": PROGRAM, "revision": run.revision, "command": run.command}
    whole = {"episodes": last.episode, "moves": last.moves, "seconds": last.seconds}
    if PLIES in keys:
        settings: list[tuple[Any, dict[str, Any]]] = [(games.plies, _greedy(games)) for games in played]
    else:
        plain = [_greedy(games) for games in played if games.plies == 1]
        settings = [(1, _training(training) | (plain[-1] if plain else {}))]
    return [
        begin | {key: (run.setting | {PLIES: plies})[key] for key in keys} | {"seed": run.seed} | whole | figures
        for plies, figures in settings
    ]


def _training(training: list[Training]) -> dict[str, Any]:
    """Figures of the blocks that end at one of the episodes of results.csv."""
    figures: dict[str, Any] = {}
    for block in training:
        end = f"{block.episode // 1000}k"
        if block.episode in EPISODES:
            figures |= {f"mean_{end}": block.mean, f"moves_{end}": block.moves, f"seconds_{end}": block.seconds}
        if block.episode in (10_000, training[-1].episode):
            figures |= {f"max_{end}": block.largest, f"{REACH}2048_{end}": block.reach_2048}
    return figures


def _greedy(games: Played) -> dict[str, Any]:
    """Figures of games after training."""
    count = sum(games.tiles.values())
    reached = {tile: sum(n for largest, n in games.tiles.items() if largest >= tile) for tile in REACHED}
    scores = {"greedy_games": count, "greedy_mean": games.mean, "greedy_max": games.largest}
    return scores | {f"{REACH}{tile}": round(n / count, 4) for tile, n in reached.items()}


def table(logs: list[Path], keys: list[str], until: int | None = None) -> pd.DataFrame:
    """The rows of peers.csv, by setting and seed.

    Raises
    ------
    LogError : a log cannot be read, has the setting and seed of another, or differs in a key that is not compared.
    """
    runs = {log: read(log) for log in logs}
    seen: dict[tuple[Any, ...], Path] = {}
    first = next(iter(runs.values())).setting
    for log, run in runs.items():
        if differing := [key for key in first if key not in keys and run.setting[key] != first[key]]:
            raise LogError(f"{log}: has another {differing[0]} than {logs[0]}")
        if (same := (run.seed, *run.setting.values())) in seen:
            raise LogError(f"{log}: has the setting and seed of {seen[same]}")
        seen[same] = log
    rows = pd.DataFrame([row for run in runs.values() for row in rows_of(run, keys, until)])
    return rows.sort_values([*keys, "seed"], ignore_index=True)


def main(experiment: str, *words: str) -> None:
    """Write peers.csv."""
    logs, options = split_options(words, "into", "until")
    target = target_of(options, experiment)
    columns = list(read_table(EXPERIMENTS / experiment / "results.csv"))
    known = {PLIES, "tuples", "learner", "alpha", "learner.order", "learner.td_lambda"}
    keys = [key for key in columns[: columns.index("seed")] if key in known]
    until = int(options["until"]) if "until" in options else None
    rows = table([Path(log) for log in logs], keys, until)
    blocks = {name: re.search(r"_(\d+k)$", name) for name in rows}
    rest = [name for name, block in blocks.items() if block and f"mean_{block[1]}" not in columns]
    rows.drop(columns=rest).to_csv(target / "peers.csv", index=False)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except LogError as error:
        sys.exit(str(error))
