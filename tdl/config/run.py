"""The configuration of a run: every check of a value.

The values themselves are in `conf/`. Hydra checks names and types while it composes; everything else is checked by
`check`, before the first game. The types are in `tdl.config.schema`.
"""

from collections.abc import Mapping
from typing import Any

from omegaconf import DictConfig

from tdl.agents.lookahead import check_depth
from tdl.checks import check_fields
from tdl.config import agent as agent_config
from tdl.config.build import learner, placer, replicas, rules, schedule, search, stages, tuple_set_of
from tdl.config.compose import typed
from tdl.config.files import group_file, group_names
from tdl.config.schema import RunConfig, TuplesConfig
from tdl.errors import ConfigError, refuse
from tdl.game.rules import Rules, parse_size


def read(cfg: DictConfig | Mapping[str, Any]) -> RunConfig:
    """The configuration Hydra composed, as a `RunConfig` whose every value has been checked."""
    config = typed(cfg, RunConfig)
    check(config)
    return config


def from_plain(plain: Mapping[str, Any]) -> RunConfig:
    """The same from plain dictionaries, as `meta.json` and `result.json` hold them."""
    return read(plain)


def check(config: RunConfig) -> None:
    """Check every value: first each alone, then what goes together. What has rules of its own is built and asked."""
    check_fields(config)
    agent_config.check(config)
    games = config.evaluate
    if games.average > config.save.keep:
        raise refuse("evaluate.average", games.average, f"at most save.keep, {config.save.keep}")
    if games.solution is not None and config.placer.kind != "random":
        raise refuse("evaluate.solution", games.solution, "null unless placer.kind=random")
    board = rules(config)
    if config.agent.kind == "ntuple":
        _check_network(config, board)
    elif config.agent.kind == "dqn":
        agent_config.choices(config).check("agent.")
    check_depth(config.evaluate.plies, config.agent.kind)


def _check_network(config: RunConfig, board: Rules) -> None:
    """Check what an n-tuple network is, and how it learns and plays."""
    _check_numbering(config, board)
    tuples = tuple_set_of(config)
    tuples.check_board(board.rows, board.cols)
    tuples.check_repeats(board.rows, board.cols)
    extras = bool(config.tuples.orders or config.tuples.counts)
    if config.init is not None and config.learner.initial_value:
        raise refuse("learner.initial_value", config.learner.initial_value, "0 with init, which gives the values")
    if not config.init_accumulators and (config.init is None or config.learner.step != "coherent"):
        raise refuse("init_accumulators", False, "true unless init names a run and learner.step=coherent")
    learner(config).check("learner.", stages=stages(config).count, extras=extras)
    placer(config.placer).check("placer.", judged=config.placer.network is not None)
    search(config.search, config.search.plies).check("search.")
    games = config.evaluate
    plies = max(config.search.plies, games.plies if games.episodes else 1)  # the limit holds in training and in these
    search(config.search, plies).check_seconds("search.plies, evaluate.plies")
    schedule(config)
    replicas(config).check(learner(config), config.threads)


def _check_numbering(config: RunConfig, board: Rules) -> None:
    """Refuse a named set whose cells are numbered on another board: there the same numbers are other shapes.

    Cells given on top of a named set are meant for the board of the run, whatever the set's own board is.
    """
    size = config.tuples.board
    if size in (None, config.size):
        return
    sets = {name: group_file("tuples", name) for name in group_names("tuples")}
    named = [name for name, shape in sets.items() if shape.get("board") == size and _repeats(config.tuples, shape)]
    if parse_size(size, "tuples.board") == (board.rows, board.cols) or not named:
        return
    fitting = ", ".join(name for name, shape in sets.items() if shape.get("board") == config.size)
    raise ConfigError(
        f"tuples: the cells of {named[0]} are numbered on a {size} board, and size is {config.size}; expected "
        f"{f'a set of that size ({fitting}), ' if fitting else ''}tuples.cells of your own, or "
        f"tuples.board=null to take the numbers as they are"
    )


def _repeats(shape: TuplesConfig, named: Mapping[str, Any]) -> bool:
    """Whether the numbers of cells are those of a named set."""
    return any(cells and cells == named.get(key) for key, cells in (("cells", shape.cells), ("orders", shape.orders)))
