"""The commands of an experiment, commands.sh beside its page, and the same commands for a fiftieth of the budget."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from experiments.tools import EXPERIMENTS, ROOT

CONF = ROOT / "conf"
REDUCED = "outputs/reduced/"
"""The folder of reduced runs and of their results."""

PART = 50
MIN_EPISODES, MIN_SECONDS, MIN_MOVES = 40, 2, 4_000

TOO_LARGE = "fib_unshared"
"""An experiment that needs 13 GB of memory for any number of games; folders of such runs of others begin so, too."""


def commands(experiment: str, home: Path = EXPERIMENTS) -> list[list[str]]:
    """The commands of an experiment's page, in words that all begin as `python -m MODULE`; # begins a comment."""
    lines = (home / experiment / "commands.sh").read_text().replace("\\\n", " ").splitlines()
    return [as_module(words) for line in lines if (words := shlex.split(line, comments=True))]


def as_module(words: list[str]) -> list[str]:
    """A command of `tdl` by its module; others as they are.

    >>> as_module(["tdl", "run", "alpha=0.1"]), as_module(["tdl", "sweep", "alpha=0.1,0.3"])[2:4]
    (['python', '-m', 'tdl.run', 'alpha=0.1'], ['tdl.run', '-m'])
    """
    if words[0] != "tdl":
        return words
    program = ["tdl.run", "-m"] if words[1] == "sweep" else [f"tdl.{words[1]}"]
    return ["python", "-m", *program, *words[2:]]


def reduced(words: list[str]) -> list[str] | None:
    """The same command for a fiftieth of the budget, three seeds and folders in outputs/reduced; None: left out."""
    if any(word.startswith("resume=") or "/kept/" in word for word in words):
        return None
    rest = [word for word in words if TOO_LARGE not in word]
    if rest != words and (words[2].startswith("tdl.") or TOO_LARGE in words[3]):
        return None
    words = [word.replace("outputs/", REDUCED) for word in rest]  # what a table is made of is there without it
    reduce = REDUCTIONS.get(words[2])
    return reduce(words) if reduce else None


def _fewer_games(words: list[str]) -> list[str]:
    overrides = dict(word.split("=", 1) for word in words if "=" in word)
    defaults = OmegaConf.load(CONF / "run.yaml")
    experiment = OmegaConf.load(CONF / "experiment" / f"{overrides['experiment']}.yaml")

    def setting(key: str) -> Any:
        value = overrides.get(key) or OmegaConf.select(experiment, key) or OmegaConf.select(defaults, key)
        return None if value in (None, "null") else yaml.safe_load(str(value))

    words = [*words, f"episodes={max(MIN_EPISODES, setting('episodes') // PART)}", "evaluate.episodes=200"]
    for key, least in {"budget.seconds": MIN_SECONDS, "budget.moves": MIN_MOVES}.items():
        if setting(key):
            words.append(f"{key}={max(least, setting(key) // PART)}")
    one = "hydra.mode=RUN" in words
    return [*words, "seed=0,1,2"] if setting("hydra.sweeper.params.seed") and not one else words


def _smaller_board(words: list[str]) -> list[str]:
    return [word.replace("3x3", "2x3").replace("=1024", "=64").replace("=512", "=32") for word in words]


def _into_reduced(words: list[str]) -> list[str]:
    own = any(word.startswith("into=") for word in words)  # tables beside the experiment's results
    return words if own else [*words, f"into={REDUCED}{words[3].removeprefix(REDUCED)}"]


REDUCTIONS = {
    "tdl.run": _fewer_games,
    "tdl.evaluate": lambda words: [*words, "evaluate.episodes=10"],
    "tdl.solve": _smaller_board,
    **{f"experiments.tools.{tool}": _into_reduced for tool in ("collect", "curve", "own_steps", "variants")},
    **{f"experiments.{page}.analyse": _into_reduced for page in ("basic_learners", "replicas", "values")},
}
"""How a program's command is made smaller; those of other programs are left out."""
