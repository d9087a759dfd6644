"""A key has two homes, and they agree: a field in Python with its type, default and range, and a line in YAML.

Trusts the text of the files in `conf/`.
"""

import re
from dataclasses import MISSING, fields
from importlib import resources

import pytest

from tdl.cli import evaluate, games, help, match, move, play, serve, solve
from tdl.config.files import file, group_file, group_names
from tdl.config.schema import RUN, STAGES
from tdl.dqn.options import DQNOptions
from tdl.learning.options import LearnerOptions
from tdl.learning.schedule import Schedule
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.search.options import PlacerOptions, SearchOptions

CONF = resources.files("tdl.conf")

PROGRAMS = {
    "run": RUN,
    "evaluate": evaluate.SCHEMA,
    "games": games.SCHEMA,
    "solve": solve.SCHEMA,
    "play": play.SCHEMA,
    "serve": serve.SCHEMA,
    "move": move.SCHEMA,
    "match": match.SCHEMA,
}

HOMES = {group: f"{group}/{name}" for group, name in help.HOMES.items()}
"""The file of each group in which every key has its comment."""

OPTIONS = {
    "learner/td": (LearnerOptions, Schedule, Stages),
    "placer/random": (PlacerOptions,),
    "search/expectimax": (SearchOptions,),
    "agent/dqn": (DQNOptions,),
    "tuples/4x6": (TupleSet,),
    "run": (LearnerOptions,),
}
"""The options in Python whose defaults a file has, too."""

NAMES = {"schedule": "form", **{key: name for name, key in STAGES.items()}}
"""Fields in Python whose key is another word."""

WITHOUT_DEFAULT = {
    "learner/td": {"alpha", "initial_value"},  # Python has no usual step size; of V, a network's argument
    "placer/random": {"network"},  # a folder; in Python the player itself is passed
    "agent/dqn": {"kind"},  # in Python the class
    "tuples/4x6": {"board", "cells"},  # what the file is there for
}
"""Keys that no options in Python have a default for."""


def lines(path):
    """The keys of a file, nested ones with dots, with their comments."""
    section, found = "", {}
    for indent, key, rest in re.findall(r"^( *)(\w+):(.*)$", (CONF / f"{path}.yaml").read_text(), re.MULTILINE):
        section = section if indent else key
        found[f"{section}.{key}" if indent else key] = rest.partition("#")[2].strip()
    return found


def default_of(key, options):
    """Python's default of a key."""
    (default,) = (field.default for cls in options for field in fields(cls) if field.name == NAMES.get(key, key))
    assert default is not MISSING, f"{key} has no default in Python"
    return list(default) if isinstance(default, tuple) else default


def values_of(path):
    """What a file sets: of the file of an agent its section, of the run's the keys that options have."""
    if path == "run":
        names = {each.name for each in fields(LearnerOptions)}
        return {key: value for key, value in file("run").items() if key in names}
    values = group_file(*path.split("/"))
    return values["agent"] if path.startswith("agent/") else values


@pytest.mark.parametrize("path", OPTIONS)
def test_values_are_pythons_defaults(path):
    values, own = values_of(path), WITHOUT_DEFAULT.get(path, set())
    assert own <= set(values)
    defaults = {key: default_of(key, OPTIONS[path]) for key in values if key not in own}
    assert defaults, "the file has none of these options"
    assert {key: values[key] for key in defaults} == defaults


def test_a_run_looks_ahead_as_far_as_python():
    assert file("run")["search"] == {"plies": SearchOptions().plies}


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_key_has_a_line_with_a_comment_and_every_line_is_a_key(program):
    told, known = lines(program), set(PROGRAMS[program].keys)
    for key in known:
        group, _, name = key.partition(".")
        comment = told.get(key) or (name and lines(HOMES[group]).get(f"agent.{name}" if group == "agent" else name))
        assert comment, f"{key} has no line with a comment in conf/{program}.yaml or conf/{HOMES.get(group)}.yaml"
    values = {key: value for key, value in file(program).items() if key not in ("defaults", "hydra")}
    for key, value in values.items():
        names = {f"{key}.{name}" for name in value} if isinstance(value, dict) else {key}
        assert names <= known


@pytest.mark.parametrize(("group", "home"), HOMES.items())
def test_every_line_of_a_group_is_a_key(group, home):
    known = set(RUN.keys_in(group))
    for name in group_names(group):
        values = group_file(group, name)
        assert set(values["agent"] if group == "agent" else values) <= known


def test_programs_share_their_usual_values():
    run, evaluate = file("run"), file("evaluate")
    for key in ("seed", "threads", "lanes", "engine"):
        assert run[key] == evaluate[key]
    shared = set(run["evaluate"]) & set(evaluate["evaluate"])
    assert {key: run["evaluate"][key] for key in shared} == {key: evaluate["evaluate"][key] for key in shared}
