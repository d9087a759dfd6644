"""Warnings about a sweep that is allowed and says less than it seems to."""

import sys

from hydra.core.override_parser.types import Glob, Override
from omegaconf import DictConfig

from tdl.config.files import group_file, group_names
from tdl.storage.titles import value_text
from tdl.sweeps import swept


def warn(config: DictConfig) -> None:
    """Print the warnings about a sweep, one line each, before its first job."""
    if line := forced_step_size(config):
        print(f"tdl: {line}", file=sys.stderr)


def forced_step_size(config: DictConfig) -> str:
    """What is wrong with one step size for learners with different ones of their own; empty where nothing is."""
    words = swept.words(config)
    own = {name: group_file("learner", name)["alpha"] for name in _learners(words.get("learner"))}
    key = next((key for key in ("alpha", "learner.alpha") if key in words), None)
    if key is None or len(set(own.values())) < 2 or words[key].is_sweep_override():
        return ""
    given = words[key].value()
    if not isinstance(given, int | float):  # null: each has its own
        return ""
    sizes = ", ".join(f"{name} {value_text('alpha', alpha)}" for name, alpha in own.items())
    return (
        f"warning: {key}={given} is the step size of all learners of this sweep, whose own are {sizes}; without {key} "
        f"each has its own, and with a command for each into one folder (out=FOLDER) each is swept around its own"
    )


def _learners(word: Override | None) -> list[str]:
    """The learners that a sweep goes over."""
    if word is None or not word.is_choice_sweep() or isinstance(word.value(), Glob):
        return []
    names = group_names("learner")
    return [name for name in word.sweep_string_iterator() if name in names]
