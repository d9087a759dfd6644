"""The configuration of a run: every check of a value, and the live objects built from it.

The values themselves stand in `conf/`. Hydra checks names and types while it composes; everything else is checked by
`check`, before the first game. The types are in `tdl.schema`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf

from tdl import agentconfig
from tdl.agents.player import Player, load
from tdl.agents.trainer import Trainer, check_threads, lane_count
from tdl.checks import check_above_zero, check_choice, check_value, check_whole
from tdl.errors import ConfigError, nearest, refuse
from tdl.game.engine import ENGINES
from tdl.game.rules import GAMES, Rules, parse_size
from tdl.groups import group_file, group_names
from tdl.learning.choices import Learning
from tdl.learning.schedule import MAX_ALPHA, Schedule
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.schema import AgentConfig, GameConfig, PlacerConfig, RunConfig, SearchOptions, TilesConfig, TuplesConfig
from tdl.search.placing import Placing, check_same_board
from tdl.search.searching import Searching, check_plies
from tdl.search.solution import Solution
from tdl.search.solution import load as load_solution

Schema = TypeVar("Schema")


OLDER: Mapping[str, Any] = {
    "size": "4x4",
    "engine": "bits",
    "tuples": {"board": "4x4"},
    "evaluate": {"solution": None, "plies": 1, "drops": "all"},
    "search": dataclasses.asdict(Searching()),
    "placer": {**dataclasses.asdict(Placing()), "network": None},
    "agent": dataclasses.asdict(AgentConfig("ntuple")),
}
"""What was so in all runs before these keys existed."""

CHANGEABLE = ("episodes", "threads", "budget", "evaluate", "save", "resume")
"""Keys that may differ when a run is resumed: they do not change what has been learned. (A schedule that counts by the
episodes of the run does count by the new ones from there on.)"""


def register(schema: type = RunConfig) -> None:
    """Make the types of a program known to Hydra, under the name `schema` that each file of `conf` begins with."""
    ConfigStore.instance().store(name="schema", node=schema)


def read(cfg: DictConfig) -> RunConfig:
    """The configuration Hydra composed, as a `RunConfig` whose every value has been checked.

    Raises
    ------
    ConfigError : names the key, what was given, what is allowed, and the nearest valid name.
    """
    return from_plain(composed(cfg))


def composed(cfg: DictConfig) -> dict[str, Any]:
    """The configuration Hydra composed, as plain dictionaries."""
    plain = OmegaConf.to_container(cfg, resolve=True)
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}


def from_plain(plain: Mapping[str, Any]) -> RunConfig:
    """The same from plain dictionaries, as `meta.json` and `result.json` hold them."""
    check_keys(plain, RunConfig, "")  # before what older runs lack is filled in
    config = typed(completed(plain), RunConfig)
    check(config)
    return config


def typed(plain: Mapping[str, Any], schema: type[Schema]) -> Schema:
    """Plain dictionaries as an object of a schema: names and types are checked, values are not."""
    check_keys(plain, schema, "")
    config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(schema), dict(plain)))
    assert isinstance(config, schema)
    return config


def completed(plain: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of a run that may be older than some keys, with these."""
    filled = OmegaConf.to_container(OmegaConf.merge(dict(OLDER), dict(plain)))
    assert isinstance(filled, dict)
    return {str(key): value for key, value in filled.items()}


def to_plain(config: RunConfig) -> dict[str, Any]:
    """The configuration as plain dictionaries."""
    return dataclasses.asdict(config)


def key_hash(plain: Mapping[str, Any]) -> str:
    """Eight hex digits that identify a configuration; `resume` and Hydra's own keys do not count."""
    counted = {key: value for key, value in plain.items() if key not in ("hydra", "resume")}
    return hashlib.sha256(json.dumps(counted, sort_keys=True, default=str).encode()).hexdigest()[:8]


def check_keys(plain: Mapping[str, Any], schema: type, prefix: str) -> None:
    """Refuse keys that the schema does not have: Hydra lets `+name=value` through.

    Raises
    ------
    ConfigError : names the key and the nearest valid one.
    """
    fields = {f.name: f.default_factory for f in dataclasses.fields(schema)}
    for key, value in plain.items():
        if key not in fields:
            raise ConfigError(f"{prefix}{key}: no such key; expected one of {', '.join(fields)}{nearest(key, fields)}")
        if dataclasses.is_dataclass(fields[key]) and isinstance(value, Mapping):
            check_keys(value, fields[key], f"{prefix}{key}.")  # type: ignore[arg-type]


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
    agentconfig.check(config)
    if config.agent.kind == "ntuple":
        _check_network(config)
    check_threads(config.threads)
    lane_count(config.lanes, 0)
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
    learning(config).check(
        "learner.", stages=stages(config).count, extras=bool(config.tuples.orders or config.tuples.counts)
    )
    placing(config).check("placer.", judged=config.placer.network is not None)
    searching(config).check("search.")
    check_plies("evaluate.plies", config.evaluate.plies)
    check_value("learner.initial_value", config.learner.initial_value)
    check_above_zero("learner.alpha", config.learner.alpha, MAX_ALPHA)
    schedule(config)


class OfGame(Protocol):
    """What the configuration of each program says of the game."""

    game: GameConfig
    tiles: TilesConfig
    size: str


def rules(config: OfGame) -> Rules:
    """The game's rules."""
    rows, cols = parse_size(config.size)
    return Rules(config.game.name, rows, cols, drop=tuple(config.tiles.drop), start=tuple(config.tiles.start))


def tuple_set_of(config: RunConfig) -> TupleSet:
    """The network's shape."""
    return _tuple_set(dataclasses.asdict(config.tuples))


def _tuple_set(plain: Mapping[str, Any]) -> TupleSet:
    """The set that a group file or the configuration describes; `board` belongs to the numbers, not to the set."""
    return TupleSet(**{key: value for key, value in plain.items() if key != "board"})


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


def alpha(config: RunConfig) -> float:
    """The total step size: `alpha`, or the learner's own."""
    return config.learner.alpha if config.alpha is None else config.alpha


def learning(config: RunConfig) -> Learning:
    """The choices of the learner."""
    elsewhere: dict[str, Any] = {"alpha_per": config.alpha_per, "gamma": config.gamma}
    names = [each.name for each in dataclasses.fields(Learning) if each.name not in elsewhere]
    return Learning(**{name: getattr(config.learner, name) for name in names}, **elsewhere)


def schedule(config: RunConfig) -> Schedule:
    """The step size over the episodes."""
    learner = config.learner
    return Schedule(
        alpha(config), learner.step, learner.schedule, config.episodes, learner.fixed_share, learner.fixed_alpha
    )


def placing(config: RunConfig) -> Placing:
    """Who puts the tiles."""
    return placing_of(config.placer)


def placing_of(placer: PlacerConfig) -> Placing:
    """Who puts the tiles, by these keys."""
    return Placing(**{each.name: getattr(placer, each.name) for each in dataclasses.fields(Placing)})


def searching(config: RunConfig, plies: int | None = None) -> Searching:
    """How the player looks ahead, in training or, with `plies` given, so far."""
    return searching_of(config.search, config.search.plies if plies is None else plies)


def searching_of(options: SearchOptions, plies: int) -> Searching:
    """How a player looks ahead so far."""
    names = [each.name for each in dataclasses.fields(SearchOptions)]
    given = {name: getattr(options, name) for name in names}
    if isinstance(given["by_empty"], list):  # as Hydra makes it; anything else is refused by `Searching.check`
        given["by_empty"] = tuple(tuple(p) if isinstance(p, list) else p for p in given["by_empty"])
    return Searching(plies, **given)


def solution(config: RunConfig) -> Solution | None:
    """The solved game that learned play is held against, if any.

    Raises
    ------
    CheckpointError : it is missing or damaged.
    ConfigError : it is of other rules, of probabilities, or folded.
    """
    if config.evaluate.solution is None:
        return None
    solved = load_solution(config.evaluate.solution)
    key, ours = f"evaluate.solution: {config.evaluate.solution}", rules(config)
    if solved.rules != ours:
        raise ConfigError(
            f"{key}: of other rules than the run's: it has {solved.rules.to_dict()}, not {ours.to_dict()}"
        )
    if solved.objective != "score" or solved.boards.folded:
        raise ConfigError(f"{key}: play is held against a solution made with objective=score and fold=false")
    return solved


def judge(config: RunConfig) -> Player | None:
    """The player whose values an adversary goes by, where it is another than the one that plays."""
    return judge_of(config.placer, rules(config))


def judge_of(placer: PlacerConfig, played: Rules) -> Player | None:
    """The same, in games of the rules `played`.

    Raises
    ------
    CheckpointError : its checkpoint is missing or damaged.
    ConfigError : it is of another game or board.
    """
    if placer.network is None:
        return None
    player = load(placer.network)
    check_same_board(player.network.rules, played)
    return player


def stages(config: RunConfig) -> Stages:
    """The stages of the network."""
    return Stages(tuple(config.learner.stages), config.learner.stage_by, config.learner.promotion)


def build_network(config: RunConfig) -> NTupleNetwork:
    """A new network.

    Raises
    ------
    ConfigError : it does not fit into the memory that is free.
    """
    return NTupleNetwork(
        rules(config), tuple_set_of(config), stages=stages(config), initial_value=config.learner.initial_value
    )


def build_trainer(config: RunConfig, network: NTupleNetwork, episode: int) -> Trainer:
    """The trainer of `network`, whose next episode is number `episode`."""
    learner = config.learner
    return Trainer(
        network,
        alpha=alpha(config),
        schedule=learner.schedule,
        fixed_share=learner.fixed_share,
        fixed_alpha=learner.fixed_alpha,
        episodes=config.episodes,
        seed=config.seed,
        lanes=config.lanes,
        threads=config.threads,
        engine=config.engine,
        placing=placing(config),
        judge=judge(config),
        searching=searching(config),
        episode=episode,
        **dataclasses.asdict(learning(config)),
    )


def tuple_set(name: str) -> TupleSet:
    """One of the named tuple sets of `conf/tuples`, for use in Python: `tuple_set("4x6")`.

    Raises
    ------
    ConfigError : there is none of this name.
    """
    return _tuple_set(group_file("tuples", name))
