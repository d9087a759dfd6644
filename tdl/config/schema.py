"""The types of all keys of a run: sections derived from the options of each package, and the keys of the run itself.

The values are in `conf/`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING

from tdl.base.checks import above_zero, check_value, checked, choice, whole
from tdl.config.sections import key_of, section
from tdl.dqn.options import DEVICES, DQNOptions
from tdl.errors import refuse
from tdl.game.rules import GAMES, unknown_game
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import MAX_ALPHA, Schedule
from tdl.network.tuples import TupleSet
from tdl.players.kinds import KINDS
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.training.options import PlayOptions

DROPS = ("all", "one")

LOGGERS = ("none", "tensorboard", "wandb")


def check_game(key: str, name: str) -> None:
    """Refuse anything but the name of a game."""
    if name not in GAMES:
        raise unknown_game(key, name)


AUTO = "auto"


def check_final(key: str, value: object) -> None:
    """Refuse anything but true, false and auto."""
    if not isinstance(value, bool) and value != AUTO:
        raise refuse(key, value, "true, false or auto")


def check_marks(key: str, value: Any) -> None:
    """Refuse anything but a list of numbers of moves, ascending."""
    expected = "null, or numbers of moves in ascending order, as [1000000,10000000]"
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        raise refuse(key, value, expected)
    for mark in value:
        if isinstance(mark, bool) or not isinstance(mark, int) or mark < 1:
            raise refuse(key, mark, expected)
    if list(value) != sorted(set(value)):
        raise refuse(key, list(value), expected)


@dataclass
class GameConfig:
    """Which game."""

    name: str = checked(MISSING, check_game)


@dataclass
class TilesConfig:
    """The drop law and the start law."""

    drop: list[Any] = MISSING
    start: list[Any] = MISSING


@section(optional=("radix", "orders", "counts", "count_cap"))
class TuplesConfig(TupleSet):
    """The n-tuple network's shape, and the board on which its cells are numbered."""

    board: str | None = None


@section("alpha_per", "gamma", "episodes", "form", optional=("running_value",))  # older checkpoints do not have it
class LearnerConfig(LearnerOptions, Schedule):
    """How the network learns, and by which step size; from `stages` on the keys make a `Stages`."""

    alpha: float = above_zero(MISSING, most=MAX_ALPHA)
    schedule: Any = MISSING
    initial_value: float = checked(MISSING, check_value)
    stages: list[Any] = MISSING
    stage_by: str = MISSING
    promotion: bool = MISSING
    stage_downgrade: Any = None  # older checkpoints do not have it
    promotion_share: float = 1.0  # nor this


@section()
class PlacerConfig(PlacerOptions):
    """Who puts the tiles, and the checkpoint whose values an adversary uses."""

    network: str | None = MISSING


@section("plies")
class SearchKeys(SearchOptions):
    """How the player looks ahead, beside how far."""


@section()
class SearchConfig(SearchOptions):
    """The same with how far, in training."""


@section("gamma", null=True)
class AgentConfig(DQNOptions):
    """Who learns and plays; all but `kind` is of the deep Q-learner, and null where another one is."""

    kind: str = choice(MISSING, tuple(KINDS))


@dataclass(frozen=True)
class Budget:
    """Further ends of a run."""

    seconds: float | None = above_zero(MISSING, null=True)
    moves: int | None = whole(MISSING, least=1, null=True)

    def spent(self, moves: int, seconds: float) -> float:
        """The share of the budget that is used up; 0 without one."""
        pairs = (moves, self.moves), (seconds, self.seconds)
        return max((used / limit for used, limit in pairs if limit is not None), default=0.0)


@dataclass(frozen=True)
class EvaluationOptions:
    """The games after training."""

    episodes: int = whole(MISSING, least=0)
    plies: int = MISSING  # by the agent
    drops: str = choice(MISSING, DROPS)
    average: int = whole(MISSING, least=1)
    solution: str | None = MISSING


@dataclass(frozen=True)
class Saving:
    """When checkpoints are written and how many stay."""

    every: int | None = whole(MISSING, least=1, null=True)
    seconds: float | None = above_zero(MISSING, null=True)
    keep: int = whole(MISSING, least=1)
    moves: Any = checked(None, check_marks, null=True)  # older checkpoints do not have it
    final: Any = checked(AUTO, check_final)  # nor this

    @property
    def most(self) -> int:
        """Checkpoints that stay: `keep`, or one for each number of `moves` and the last."""
        return max(self.keep, 1 + len(self.moves or ()))

    @property
    def chosen(self) -> bool:
        """Whether `every` or `moves` says which checkpoints are to stay."""
        return self.every is not None or self.moves is not None


@dataclass
class RunConfig:
    """All of `conf/run.yaml`."""

    game: GameConfig = field(default_factory=GameConfig)
    tiles: TilesConfig = field(default_factory=TilesConfig)
    tuples: TuplesConfig = field(default_factory=TuplesConfig)  # type: ignore[arg-type]  # no field is required
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    placer: PlacerConfig = field(default_factory=PlacerConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    agent: AgentConfig = field(default_factory=AgentConfig)
    size: str = MISSING
    engine: str = key_of(PlayOptions, "engine")
    alpha: float | None = MISSING
    alpha_per: str = MISSING
    gamma: float = MISSING
    episodes: int = whole(MISSING, least=0)
    block: int = whole(MISSING, least=1)
    seed: int = key_of(PlayOptions, "seed")
    lanes: Any = key_of(PlayOptions, "lanes")
    threads: int = key_of(PlayOptions, "threads")
    device: str = choice(DEVICES[0], DEVICES)  # older checkpoints do not have it
    replicas: int = key_of(ReplicaOptions, "replicas")
    round: Any = key_of(ReplicaOptions, "round")
    budget: Budget = field(default_factory=Budget)
    evaluate: EvaluationOptions = field(default_factory=EvaluationOptions)
    save: Saving = field(default_factory=Saving)
    init: str | None = None  # nor this
    init_accumulators: bool = True  # nor this
    logger: str = choice("none", LOGGERS)  # nor this
    resume: str | None = MISSING
