"""The configuration of a run: every check of a value.

The values themselves stand in `conf/`. Hydra checks names and types while it composes; everything else is checked by
`check`, before the first game. The types are in `tdl.config.schema`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from omegaconf import DictConfig

from tdl.checks import check_fields
from tdl.config import agent as agent_config
from tdl.config.build import learning, placing, rules, schedule, searching, stages, tuple_set_of
from tdl.config.compose import composed, typed
from tdl.config.files import group_file, group_names
from tdl.config.schema import RunConfig, TuplesConfig
from tdl.errors import ConfigError, nearest, refuse
from tdl.game.rules import GAMES, parse_size


def read(cfg: DictConfig) -> RunConfig:
    """The configuration Hydra composed, as a `RunConfig` whose every value has been checked.

    Raises
    ------
    ConfigError : names the key, what was given, what is allowed, and the nearest valid name.
    """
    return from_plain(composed(cfg))


def from_plain(plain: Mapping[str, Any]) -> RunConfig:
    """The same from plain dictionaries, as `meta.json` and `result.json` hold them."""
    config = typed(plain, RunConfig)
    check(config)
    return config


def check(config: RunConfig) -> None:
    """Check every value: what the agent has use for, the game, each value alone, then what goes together.

    Raises
    ------
    ConfigError : the first value that is not allowed.
    """
    agent_config.check(config)
    _check_game(config)
    check_fields(config)
    if config.agent.kind == "ntuple":
        _check_network(config)
    elif config.agent.kind == "dqn":
        agent_config.choices(config).check("agent.")
    _check_games(config)


def _check_game(config: RunConfig) -> None:
    if config.game.name not in GAMES:
        raise refuse("game.name", config.game.name, f"one of {', '.join(GAMES)}{nearest(config.game.name, GAMES)}")
    rules(config)


def _check_games(config: RunConfig) -> None:
    """Check the games after training against the rest."""
    games = config.evaluate
    if games.average > config.save.keep:
        raise refuse("evaluate.average", games.average, f"at most save.keep, {config.save.keep}")
    if games.solution is not None and config.placer.kind != "random":
        raise refuse("evaluate.solution", games.solution, "null unless placer.kind=random")


def _check_network(config: RunConfig) -> None:
    """Check what an n-tuple network is, and how it learns and plays; each object checks itself."""
    board = rules(config)
    _check_numbering(config)
    tuple_set_of(config).check_board(board.rows, board.cols)
    learning(config).check(
        "learner.", stages=stages(config).count, extras=bool(config.tuples.orders or config.tuples.counts)
    )
    placing(config).check("placer.", judged=config.placer.network is not None)
    searching(config).check("search.")
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
