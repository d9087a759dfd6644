"""The keys of a run, and the options that are its own; those of all programs. The values are in `conf/`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from omegaconf import MISSING

from tdl.base.checks import MAX_COUNT, above_zero, check_choice, check_fields, check_value, checked, choice, whole
from tdl.config.compose import Key, Schema, keys, options_of
from tdl.dqn.options import DQNOptions
from tdl.errors import of_key, refuse, within
from tdl.game.rules import GAMES, Rules, parse_size, unknown_game
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import Schedule
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.players.kinds import KINDS
from tdl.players.player import Player, load
from tdl.search.options import PlacerOptions, SearchOptions, check_same_board
from tdl.training.options import PlayOptions

DROPS = ("all", "one")

LOGGERS = ("none", "tensorboard", "wandb")

AUTO = "auto"

STAGES: Mapping[str, str] = {
    "thresholds": "stages",
    "by": "stage_by",
    "downgrade": "stage_downgrade",
    "share": "promotion_share",
}
"""Fields of `Stages` whose key, in the section `learner`, has another name."""


def _check_final(key: str, value: object) -> None:
    if not isinstance(value, bool) and value != AUTO:
        raise refuse(key, value, "true, false or auto")


def _check_marks(key: str, value: Any) -> None:
    """Refuse anything but a list of numbers of moves, ascending."""
    expected = "null, or numbers of moves in ascending order, as [1000000,10000000]"
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise refuse(key, value, expected)
    for mark in value:
        if isinstance(mark, bool) or not isinstance(mark, int) or mark < 1:
            raise refuse(key, mark, expected)
    if list(value) != sorted(set(value)):
        raise refuse(key, list(value), expected)


@dataclass(frozen=True)
class Budget:
    """Further ends of a run."""

    seconds: float | None = above_zero(MISSING, null=True)
    moves: int | None = whole(MISSING, least=1, null=True)

    def __post_init__(self) -> None:
        check_fields(self)

    def spent(self, moves: int, seconds: float) -> float:
        """The share of the budget that is used up; 0 without one."""
        pairs = (moves, self.moves), (seconds, self.seconds)
        return max((used / limit for used, limit in pairs if limit is not None), default=0.0)


@dataclass(frozen=True)
class EvaluationOptions:
    """The games after training."""

    episodes: int = whole(MISSING, least=0, most=MAX_COUNT)
    plies: int = MISSING  # by the agent
    drops: str = choice(MISSING, DROPS)
    average: int = whole(MISSING, least=1)
    solution: str | None = MISSING

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Saving:
    """When checkpoints are written and how many stay."""

    every: int | None = whole(MISSING, least=1, null=True)
    seconds: float | None = above_zero(MISSING, null=True)
    keep: int = whole(MISSING, least=1)
    moves: Any = checked(None, _check_marks, null=True)
    final: Any = checked(AUTO, _check_final)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def most(self) -> int:
        """Checkpoints that stay: `keep`, or one for each number of `moves` and the last."""
        return max(self.keep, 1 + len(self.moves or ()))

    @property
    def chosen(self) -> bool:
        """Whether `every` or `moves` says which checkpoints are to stay."""
        return self.every is not None or self.moves is not None


@dataclass(frozen=True)
class RunOptions:
    """What a run has of its own.

    Attributes
    ----------
    episodes : games to train for; None: until a budget is used up.
    block : games between two blocks of statistics, or moves where games are played in step.
    logger : where else the figures of each block go.
    resume : folder of the run to go on with; None: a new one.
    """

    episodes: int | None = whole(MISSING, least=0, most=MAX_COUNT, null=True)
    block: int = whole(MISSING, least=1)
    logger: str = choice("none", LOGGERS)
    resume: str | None = MISSING


@dataclass(frozen=True)
class NetworkOptions:
    """An n-tuple network.

    Attributes
    ----------
    tuples, stages : its shape.
    initial_value : V of every board before learning, in points.
    init : folder of a run, a checkpoint or an import whose tables it begins with; None: of none.
    init_accumulators : whether it begins with the E and A of that one, too.
    """

    tuples: TupleSet
    stages: Stages
    initial_value: float
    init: str | None = None
    init_accumulators: bool = True

    def __post_init__(self) -> None:
        check_value("learner.initial_value", self.initial_value)
        if self.init is not None and self.initial_value:
            raise refuse("learner.initial_value", self.initial_value, "0 with init, which gives the values")

    def check(self, rules: Rules, learner: LearnerOptions) -> None:
        """Refuse what does not go with these rules or this learner."""
        self.tuples.check_board(rules.rows, rules.cols)
        self.tuples.check_repeats(rules.rows, rules.cols)
        if not self.init_accumulators and (self.init is None or learner.step != "coherent"):
            raise refuse("init_accumulators", False, "true unless init names a run and learner.step=coherent")
        with within("learner", ("start", "stages", "expectation")):
            learner.check_network(self.stages.count, self.extras)

    @property
    def extras(self) -> bool:
        """Whether there are features that are not tuples."""
        return bool(self.tuples.orders or self.tuples.counts)

    def build(self, rules: Rules) -> NTupleNetwork:
        """A new network, without the tables of `init`."""
        return NTupleNetwork(rules, self.tuples, stages=self.stages, initial_value=self.initial_value)


GAME = {"game.name": Key(str)}

TILES = {"tiles.drop": Key(list[Any]), "tiles.start": Key(list[Any])}

PLACER = {**keys(PlacerOptions, "placer"), "placer.network": Key(str | None)}

SEARCH = keys(SearchOptions, "search", without=("plies",))
"""How a player looks ahead, beside how far: that is another key in most programs."""

PLAY = keys(PlayOptions, without=("search", "placer", "evaluator"))

_LEARNER = keys(LearnerOptions)

RUN = Schema(
    __name__,
    {
        **GAME,
        **TILES,
        **keys(TupleSet, "tuples"),
        "tuples.board": Key(str | None, None),
        **keys(LearnerOptions, "learner", without=("alpha_per", "gamma")),
        **keys(Schedule, "learner", without=("episodes",), names={"form": "schedule"}),
        "learner.initial_value": Key(float),
        **keys(Stages, "learner", names=STAGES),
        **PLACER,
        **keys(SearchOptions, "search"),
        **keys(DQNOptions, "agent", without=("gamma",), null=True),
        "agent.kind": Key(str, check=partial(check_choice, choices=tuple(KINDS))),
        "size": Key(str),
        "alpha": Key(float | None),
        "alpha_per": _LEARNER["alpha_per"],
        "gamma": _LEARNER["gamma"],
        **PLAY,
        **keys(ReplicaOptions),
        **keys(RunOptions),
        **keys(NetworkOptions, without=("tuples", "stages", "initial_value")),
        **keys(Budget, "budget"),
        **keys(EvaluationOptions, "evaluate"),
        **keys(Saving, "save"),
    },
)


def opened(keys: Mapping[str, Key]) -> dict[str, Key]:
    """These keys, where a checkpoint says what is not given: ??? stands for it, as in `GAME` and `TILES`."""
    return {name: key._replace(default=MISSING) for name, key in keys.items()}


def filled(values: Mapping[str, Any], checkpoint: Mapping[str, Any]) -> dict[str, Any]:
    """The values of such keys that are given, and the rest as the checkpoint has it."""
    return {**checkpoint, **{key: value for key, value in values.items() if value != MISSING}}


def rules_of(values: Mapping[str, Any]) -> Rules:
    """The game's rules, by the keys `game`, `tiles` and `size`."""
    if (name := values["game"]["name"]) not in GAMES:
        raise unknown_game("game.name", name)
    rows, cols = parse_size(values["size"])
    return options_of(Rules, "", values["tiles"], game=name, rows=rows, cols=cols)


def placer_of(values: Mapping[str, Any]) -> PlacerOptions:
    """Who puts the tiles, by the key `placer`."""
    placer = options_of(PlacerOptions, "placer", values["placer"])
    if values["placer"]["network"] is not None:
        placer.check_judged()
    return placer


def play_of(values: Mapping[str, Any], **plies: Any) -> PlayOptions:
    """How games are played, but for the values by which an adversary judges, which are a file."""
    search = options_of(SearchOptions, "search", values["search"], **plies)
    return options_of(PlayOptions, "", values, search=search, placer=placer_of(values))


def judge_of(network: str | None, rules: Rules) -> Player | None:
    """The player whose values an adversary uses in games of these rules; None: those of the player it faces."""
    if network is None:
        return None
    with of_key("placer.network"):
        player = load(network)
    check_same_board(player.network.rules, rules)
    return player
