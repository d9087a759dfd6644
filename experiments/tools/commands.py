"""The commands of a page, commands.sh beside it, and the same commands for a fiftieth of the budget."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from experiments.tools import EXPERIMENTS, ROOT

REDUCED = "outputs/reduced/"
"""The folder of reduced runs and of their results."""

PART = 50
LEAST = {"episodes": 40, "budget.seconds": 2, "budget.moves": 4_000}

TOO_LARGE = "fib_unshared"
"""An experiment that needs 13 GB of memory for any number of games; folders of such runs of others begin so, too."""

TOOLS = ("tools.collect", "tools.curve", "tools.own_steps", "tools.variants",
         "basic_learners.analyse", "replicas.analyse", "values.analyse")  # fmt: skip
"""Programs of experiments that make tables of reduced runs, too."""


def commands(page: str, home: Path = EXPERIMENTS) -> list[list[str]]:
    """The commands of a page, in words as after `python -m`; # begins a comment."""
    lines = (home / page / "commands.sh").read_text().replace("\\\n", " ").splitlines()
    written = [words for line in lines if (words := shlex.split(line, comments=True))]
    return [words if words[0] == "tdl" else words[2:] for words in written]


def reduced(words: list[str]) -> list[str] | None:
    """The same command for a fiftieth of the budget, three seeds and folders in outputs/reduced; None: left out."""
    if any(word.startswith("resume=") or "/kept/" in word for word in words):
        return None
    rest = [word for word in words if TOO_LARGE not in word]
    if rest != words and (words[0] == "tdl" or TOO_LARGE in words[1]):
        return None  # but what a table is made of is there without it
    program, *words = (word.replace("outputs/", REDUCED) for word in rest)
    if program == "tdl":
        return [program, words[0], *REDUCTIONS[words[0]](words[1:])]
    return [program, *_into_reduced(program, words)] if program.removeprefix("experiments.") in TOOLS else None


def _fewer_games(words: list[str]) -> list[str]:
    given = dict(word.split("=", 1) for word in words if "=" in word)
    files = [OmegaConf.load(ROOT / "conf" / name) for name in (f"experiment/{given['experiment']}.yaml", "run.yaml")]

    def setting(key: str) -> Any:
        return given.get(key) or next(filter(None, (OmegaConf.select(file, key) for file in files)), "null")

    budgets = {key: setting(key) for key in LEAST if setting(key) != "null"}
    fewer = [f"{key}={max(LEAST[key], int(float(budget)) // PART)}" for key, budget in budgets.items()]
    several = setting("hydra.sweeper.params.seed") != "null" and "hydra.mode=RUN" not in words
    return [*words, *fewer, "evaluate.episodes=200", *["seed=0,1,2"] * several]


def _smaller_board(words: list[str]) -> list[str]:
    smaller = [word.replace("3x3", "2x3").replace("=1024", "=64").replace("=512", "=32") for word in words]
    name = "_".join(word.partition("=")[2] for word in smaller)
    return smaller if REDUCED in name else [*smaller, f"out={REDUCED}{name}"]


def _into_reduced(program: str, words: list[str]) -> list[str]:
    if any(word.startswith("into=") for word in words):  # tables beside the experiment's results
        return words
    page = program.split(".")[1] if words[0].startswith(REDUCED) else words[0]
    return [*words, f"into={REDUCED}{page}"]


REDUCTIONS = {
    "run": _fewer_games,
    "sweep": _fewer_games,
    "evaluate": lambda words: [*words, "evaluate.episodes=10"],
    "solve": _smaller_board,
}
"""How a command of `tdl` is made smaller."""
