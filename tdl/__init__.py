"""Temporal-difference learning of n-tuple networks for 2048 and its relatives."""

import os.path
import sys

_IS_PROGRAM = sys.argv[:1] == ["-m"] and sys.orig_argv[-len(sys.argv)].removeprefix("-m") in ("tdl", "tdl.run")

if _IS_PROGRAM and not sys.flags.safe_path and sys.path[0] != os.path.dirname(__path__[0]):
    del sys.path[0]  # the current folder, where modules may be anybody's

from importlib import import_module  # noqa: E402 - only now
from importlib.util import find_spec  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

if TYPE_CHECKING:
    from tdl import gym as gym
    from tdl import results as results
    from tdl.cli.python_evaluation import evaluate
    from tdl.cli.python_runs import train
    from tdl.conformance.check import rules_check
    from tdl.sessions import pictures as picture

__version__ = "0.1.0"

MODULES = {"gym": "tdl.gym", "picture": "tdl.sessions.pictures", "results": "tdl.results"}
FUNCTIONS = {
    "evaluate": "tdl.cli.python_evaluation",
    "rules_check": "tdl.conformance.check",
    "train": "tdl.cli.python_runs",
}

try:
    from tdl.config.tuple_sets import tuple_set
    from tdl.errors import TdlError
    from tdl.game.engine import Engine, Stream
    from tdl.game.merge_laws import register_game
    from tdl.game.rules import Rules
    from tdl.network.ntuple import NTupleNetwork
    from tdl.network.tuples import TupleSet
    from tdl.players.ensemble import average
    from tdl.players.player import Player, load
    from tdl.training.trainer import Trainer
except ModuleNotFoundError as error:
    if error.name and error.name.startswith("tdl."):
        raise ImportError(
            f"{error.name} is not built here ({__path__[0]}). Run `make build` in the source folder, or, to use an "
            "installed tdl, start Python from another folder or with `python -P`."
        ) from error
    raise


def __getattr__(name: str) -> Any:
    """What is imported when it is asked for: pandas takes half a second, Hydra a fifth, Gymnasium is an extra."""
    if name in MODULES:
        return import_module(MODULES[name])
    if name in FUNCTIONS:
        return getattr(import_module(FUNCTIONS[name]), name)
    raise AttributeError(f"module 'tdl' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, whether they were imported or not."""
    return [*__all__, "__version__", *(["gym"] if find_spec("gymnasium") else [])]


__all__ = [
    "Engine",
    "NTupleNetwork",
    "Player",
    "Rules",
    "Stream",
    "TdlError",
    "Trainer",
    "TupleSet",
    "average",
    "evaluate",
    "load",
    "picture",
    "register_game",
    "results",
    "rules_check",
    "train",
    "tuple_set",
]
