"""From a checked configuration to live objects."""

import dataclasses
from collections.abc import Mapping
from typing import Any, Protocol

from tdl.agents.description import read_accumulators, read_agent
from tdl.agents.options import PlayOptions
from tdl.agents.player import Player, checkpoint_folder, load
from tdl.agents.ranks import ALONE, Ranks
from tdl.agents.trainer import Trainer
from tdl.config.files import group_file
from tdl.config.schema import GameConfig, PlacerConfig, RunConfig, SearchConfig, SearchKeys, TilesConfig
from tdl.config.sections import options_of
from tdl.errors import ConfigError, refuse
from tdl.game.rules import Rules, parse_size
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import Schedule
from tdl.learning.state import ACCUMULATORS, LearnerState
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.network.tuples import tuple_set as tuple_set
from tdl.network.widening import widen
from tdl.search.options import PlacerOptions, SearchOptions, check_same_board
from tdl.solver.solution import Solution
from tdl.solver.solution import load as load_solution


class OfGame(Protocol):
    """What the configuration of each program says of the game."""

    game: GameConfig
    tiles: TilesConfig
    size: str


class OfGames(Protocol):
    """What the configuration says of how games are played."""

    seed: int
    lanes: Any
    threads: int
    engine: str
    search: Any
    placer: PlacerConfig


def rules(config: OfGame) -> Rules:
    """The game's rules."""
    rows, cols = parse_size(config.size)
    return Rules(config.game.name, rows, cols, drop=tuple(config.tiles.drop), start=tuple(config.tiles.start))


def tuple_set_of(config: RunConfig) -> TupleSet:
    """The network's shape."""
    return _tuple_set(dataclasses.asdict(config.tuples))


def _tuple_set(plain: Mapping[str, Any]) -> TupleSet:
    """The set of a group file or of the configuration; `board` belongs to the numbers of cells, not to the set."""
    return TupleSet(**{key: value for key, value in plain.items() if key != "board"})


def alpha(config: RunConfig) -> float:
    """The total step size: `alpha`, or the learner's own."""
    return config.learner.alpha if config.alpha is None else config.alpha


def learner(config: RunConfig) -> LearnerOptions:
    """How the network learns."""
    return options_of(LearnerOptions, config.learner, alpha_per=config.alpha_per, gamma=config.gamma)


def schedule(config: RunConfig) -> Schedule:
    """The step size over the episodes."""
    form = config.learner.schedule
    return options_of(Schedule, config.learner, alpha=alpha(config), form=form, episodes=config.episodes)


def replicas(config: RunConfig) -> ReplicaOptions:
    """How many networks learn apart, and for how long."""
    return options_of(ReplicaOptions, config)


def placer(config: PlacerConfig) -> PlacerOptions:
    """Who puts the tiles."""
    return options_of(PlacerOptions, config)


def search(config: SearchKeys | SearchConfig, plies: int) -> SearchOptions:
    """How the player looks `plies` moves ahead."""
    return options_of(SearchOptions, config, plies=plies)


def play(config: OfGames, rules: Rules, plies: int) -> PlayOptions:
    """How the games are played, by these rules."""
    look, puts, judge = search(config.search, plies), placer(config.placer), evaluator(config.placer, rules)
    return PlayOptions(config.seed, config.lanes, config.threads, config.engine, look, puts, judge)


def solution(config: RunConfig) -> Solution | None:
    """The solved game that learned play is compared with, if any."""
    if config.evaluate.solution is None:
        return None
    solved = load_solution(config.evaluate.solution)
    key, ours = f"evaluate.solution: {config.evaluate.solution}", rules(config)
    if solved.rules != ours:
        laws = f"it has {solved.rules.to_dict()}, not {ours.to_dict()}"
        raise ConfigError(f"{key}: of other rules than the run's: {laws}")
    if solved.objective != "score" or solved.boards.folded:
        raise ConfigError(f"{key}: play is held against a solution made with objective=score and fold=false")
    return solved


def evaluator(config: PlacerConfig, rules: Rules) -> Player | None:
    """The player whose values an adversary uses in games of these rules; None: those of the player it faces."""
    if config.network is None:
        return None
    player = load(config.network)
    check_same_board(player.network.rules, rules)
    return player


def stages(config: RunConfig) -> Stages:
    """The stages of the network."""
    keys = config.learner
    return Stages(tuple(keys.stages), keys.stage_by, keys.promotion, keys.stage_downgrade, keys.promotion_share)


def build_network(config: RunConfig) -> NTupleNetwork:
    """A new network."""
    return NTupleNetwork(
        rules(config), tuple_set_of(config), stages=stages(config), initial_value=config.learner.initial_value
    )


def initialise(network: NTupleNetwork, state: LearnerState, config: RunConfig) -> None:
    """Give a new network the tables of the one that `init` names, and their E and A where both sides have them.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, or not of an n-tuple network.
    ConfigError : one whose tables this network does not have, or whose values are of another target.
    """
    assert config.init is not None
    source, target = load(config.init), config.learner.target
    if source.target != target:
        raise refuse("init", f"a network of {source.target}s", f"one of {target}s: learner.target={target}")
    sums = None
    if config.init_accumulators and ACCUMULATORS in state:
        folder = checkpoint_folder(config.init)
        sums = read_accumulators(folder, read_agent(folder), len(source.network.weights))
    widen(network, source.network, beside=[] if sums is None else [(state[ACCUMULATORS], sums)])


def build_trainer(config: RunConfig, network: NTupleNetwork, episode: int, ranks: Ranks = ALONE) -> Trainer:
    """The trainer of `network`, whose next episode is number `episode`, in one of these processes."""
    games = play(config, network.rules, config.search.plies)
    return Trainer(
        network,
        learner=learner(config),
        schedule=schedule(config),
        play=games,
        replicas=replicas(config),
        ranks=ranks,
        episode=episode,
    )


@tuple_set.register
def _named_tuple_set(name: str, rules: Rules | None = None) -> TupleSet:
    """One of the named tuple sets of `conf/tuples`."""
    shape = group_file("tuples", name)
    board, size = shape.get("board"), None if rules is None else f"{rules.rows}x{rules.cols}"
    if board and size and board != size:
        raise ConfigError(
            f"tuples: the cells of {name} are numbered on a {board} board, and the rules have {size}; expected lists "
            f"of cells, or tdl.tuple_set({name!r}) to take the numbers as they are"
        )
    return _tuple_set(shape)
