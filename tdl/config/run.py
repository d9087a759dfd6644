"""The configuration of a run: every check of a value, and the live objects built from it.

The values themselves stand in `conf/`. Hydra checks names and types while it composes; everything else is checked by
`check`, before the first game. The types are in `tdl.config.schema`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omegaconf import DictConfig

from tdl.agents.options import check_lanes, check_threads
from tdl.checks import check_above_zero, check_choice, check_value, check_whole
from tdl.config import agent as agent_config
from tdl.config.build import learner, placer, rules, schedule, search, stages, tuple_set_of
from tdl.config.compose import check_keys, completed, composed, typed
from tdl.config.files import group_file, group_names
from tdl.config.schema import RunConfig, TuplesConfig
from tdl.errors import ConfigError, nearest, refuse
from tdl.game.engine import ENGINES
from tdl.game.rules import GAMES, parse_size
from tdl.learning.schedule import MAX_ALPHA
from tdl.search.options import check_plies


def read(cfg: DictConfig) -> RunConfig:
    """The configuration Hydra composed, as a `RunConfig` whose every value has been checked.

    Raises
    ------
    ConfigError : names the key, what was given, what is allowed, and the nearest valid name.
    """
    return from_plain(composed(cfg))


def from_plain(plain: Mapping[str, Any]) -> RunConfig:
    """The same from plain dictionaries, as `meta.json` and `result.json` hold them."""
    check_keys(plain, RunConfig, "")  # before what older runs lack is filled in
    config = typed(completed(plain), RunConfig)
    check(config)
    return config


def check(config: RunConfig) -> None:
    """Check every value. Shape and laws are checked by the objects that own them.

    Raises
    ------
    ConfigError : the first value that is not allowed.
    """
    if config.game.name not in GAMES:
        raise refuse("game.name", config.game.name, f"one of {', '.join(GAMES)}{nearest(config.game.name, GAMES)}")
    rules(config)
    check_choice("engine", config.engine, ENGINES)
    agent_config.check(config)
    if config.agent.kind == "ntuple":
        _check_network(config)
    check_threads(config.threads)
    check_lanes(config.lanes)
    for key, value, least in (
        ("episodes", config.episodes, 0),
        ("block", config.block, 1),
        ("seed", config.seed, 0),
        ("evaluate.episodes", config.evaluate.episodes, 0),
        ("evaluate.average", config.evaluate.average, 1),
        ("save.keep", config.save.keep, 1),
        ("save.every", config.save.every, 1),
        ("budget.moves", config.budget.moves, 1),
    ):
        if value is not None:
            check_whole(key, value, least)
    if config.evaluate.average > config.save.keep:
        raise refuse("evaluate.average", config.evaluate.average, f"at most save.keep, {config.save.keep}")
    if config.evaluate.solution is not None and config.placer.kind != "random":
        raise refuse("evaluate.solution", config.evaluate.solution, "null unless placer.kind=random")
    for key, seconds in (("save.seconds", config.save.seconds), ("budget.seconds", config.budget.seconds)):
        if seconds is not None:
            check_above_zero(key, seconds)


def _check_network(config: RunConfig) -> None:
    """Check what an n-tuple network is, and how it learns and plays."""
    board = rules(config)
    _check_numbering(config)
    tuple_set_of(config).check_board(board.rows, board.cols)
    learner(config).check(
        "learner.", stages=stages(config).count, extras=bool(config.tuples.orders or config.tuples.counts)
    )
    placer(config.placer).check("placer.", judged=config.placer.network is not None)
    search(config.search, config.search.plies).check("search.")
    check_plies("evaluate.plies", config.evaluate.plies)
    check_value("learner.initial_value", config.learner.initial_value)
    check_above_zero("learner.alpha", config.learner.alpha, MAX_ALPHA)
    schedule(config)


def _check_numbering(config: RunConfig) -> None:
    """Refuse a named set whose cells are numbered on another board: there the same numbers are other shapes.

    Cells given on top of a named set are meant for the board of the run, whatever the set's own board is.
    """
    board = config.tuples.board
    if board is None or parse_size(board, "tuples.board") == parse_size(config.size):
        return
    files = {name: group_file("tuples", name) for name in group_names("tuples")}
    for name, file in files.items():
        if file.get("board") == board and _repeats(config.tuples, file):
            fitting = ", ".join(other for other, each in files.items() if each.get("board") == config.size)
            raise ConfigError(
                f"tuples: the cells of {name} are numbered on a {board} board, and size is {config.size}; expected "
                f"{f'a set of that size ({fitting}), ' if fitting else ''}tuples.cells of your own, or "
                f"tuples.board=null to take the numbers as they are"
            )


def _repeats(shape: TuplesConfig, file: Mapping[str, Any]) -> bool:
    """Whether the numbers of cells are those of a group file."""
    return any(given and given == file.get(key) for key, given in (("cells", shape.cells), ("orders", shape.orders)))
