"""What a run will take, and what that of `experiment=best` will reach by when, known before it begins."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.config.compose import key_hash
from tdl.config.setup import Setup
from tdl.network.tuples import tuple_set
from tdl.runs import disk_space
from tdl.runs.disk_space import size_text
from tdl.storage.checkpoint import Meta
from tdl.training.trainer import Trainer

TABLE = Path(__file__).with_name("reached.csv")
"""What networks of `experiment=best` reached: made by `python -m experiments.curve.analyse`, which says how."""

RECIPE = "f4d4593f"
"""The hash of the configuration that the table is of, without its `FREE` keys."""

FREE = ("seed", "episodes", "block", "engine", "threads", "lanes", "device", "budget", "evaluate", "save")
"""Keys on which what a network reaches by its moves does not depend, or hardly."""

TILES = (16384, 32768)
"""Those of the table, whose rates such a run shows."""

LARGE = 1_000_000_000
"""Bytes of memory from which on a run says what it takes."""

SMALL, SHARE = "4x5", 0.25
"""The set of tuples with which the speed is measured, as it touches no gigabytes, and what share of its speed `best`
has: 0.85 of 3.5 million moves a second."""

SECONDS = 1.0
"""Of the measurement."""

DAY = 86400.0

LEAST_SECONDS, LEAST_MOVES = 15.0, 1_000_000
"""Of a run of which something is said."""


def text_of(setup: Setup, meta: Meta | None = None) -> str:
    """What is said of a run before it begins, some lines, or none; the speed of a new one is measured for a second.

    `meta` describes the checkpoint from which it goes on.
    """
    lines, budget = [], setup.budget
    is_short = (budget.moves or LEAST_MOVES) < LEAST_MOVES or (budget.seconds or LEAST_SECONDS) < LEAST_SECONDS
    if is_best(setup) and not is_short:
        speed = meta["moves"] / meta["seconds"] if meta is not None and meta["seconds"] else measured(setup)
        lines.append(reached_text(setup, speed, 0.0 if meta is None else meta["seconds"]))
    replicas = setup.replicas
    memory = disk_space.checkpoint_bytes(setup) * (1 + replicas.replicas if replicas.several else 1)
    if setup.episodes != 0 and (lines or memory >= LARGE):
        disk = disk_space.of_run(setup)
        lines.append(f"memory {size_text(memory)}, disk up to {size_text(disk.records + disk.peak)}")
        if setup.saving.final is not False:
            lines[-1] += "; Ctrl-C ends it sooner and leaves the player so far"
    return "".join(f"{line}\n" for line in lines)


def is_best(setup: Setup) -> bool:
    """Whether a run is one of `experiment=best`, whatever its budget, of which the table tells."""
    return key_hash({key: value for key, value in setup.config.items() if key not in FREE}) == RECIPE


def measured(setup: Setup) -> float:
    """Moves a second that the run will make here with its threads, by its learner on a small network."""
    network = replace(setup.network, tuples=tuple_set(SMALL)).build(setup.rules)
    trainer = Trainer(network, learner=setup.learner, schedule=setup.schedule, play=setup.play)
    start = time.perf_counter()
    while (seconds := time.perf_counter() - start) < SECONDS:
        trainer.train(100)
    return SHARE * trainer.moves / seconds


@cache
def _table() -> dict[str, NDArray[Any]]:
    rows = np.genfromtxt(TABLE, delimiter=",", names=True, deletechars="")
    return {name: rows[name] for name in rows.dtype.names or ()}


def moves_of(setup: Setup, speed: float) -> float:
    """The moves after which a run ends that makes so many a second."""
    table, budget = _table(), setup.budget
    games = np.inf if setup.episodes is None else setup.episodes
    ends = [float(np.interp(games, table["games"], table["moves"], right=np.inf))]
    ends += [] if budget.moves is None else [budget.moves]
    ends += [] if budget.seconds is None else [budget.seconds * speed]
    return min(ends)


def reached_text(setup: Setup, speed: float, past: float = 0.0) -> str:
    """What a run reaches by when, of which `past` seconds are over."""
    moves, most = moves_of(setup, speed), float(_table()["moves"][-1])
    seconds, threads = max(0.0, moves / speed - past), setup.play.threads
    end = datetime.now() + timedelta(seconds=seconds)
    until = end.strftime("%H:%M" if seconds < DAY else "%Y-%m-%d %H:%M")
    here = f"{speed / 1e6:.2f} million a second here ({threads} {'thread' if threads == 1 else 'threads'})"
    scores = _between(moves, "score", lambda score: f"{round(score, -2):,.0f}")
    rates = [_between(moves, str(tile), lambda rate: f"{rate:.0%}") for tile in TILES]
    more = f"; none had more than {most / 1e6:,.0f} million moves" if moves > most else ""
    return (
        f"{moves / 1e6:,.0f} million moves in {time_text(seconds)}, until {until}, at {here}\n"
        f"such networks scored {scores} without search\n"
        f"and made {TILES[0]} in {rates[0]} of their games, {TILES[1]} in {rates[1]}{more}"
    )


def _between(moves: float, name: str, text: Callable[[float], str]) -> str:
    """The range of a figure after so many moves, between those of networks with fewer and with more."""
    table = _table()
    ends = (np.interp(np.log(moves), np.log(table["moves"]), table[f"{name}_{end}"]) for end in ("min", "max"))
    return " to ".join(dict.fromkeys(text(float(end)) for end in ends))


def time_text(seconds: float) -> str:
    """A time for people: "5 min", "2.5 h"."""
    for unit, size in (("days", DAY), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.0f} s"
