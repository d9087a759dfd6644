"""How games are played, as one object for training, evaluation and kernels; keywords sorted into such objects."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from tdl.base.checks import check_fields, check_instance, checked, choice, whole, without_numpy
from tdl.base.synonyms import like
from tdl.cuda.device import CPU, DEVICES
from tdl.errors import ConfigError, nearest, refuse
from tdl.game.engine import ENGINES
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import Schedule
from tdl.search.options import Evaluator, PlacerOptions, SearchOptions, check_same_board
from tdl.training.lane_state import MAX_LANES

MAX_IN_TURN = 64
"""Lanes of one thread."""

BATCH = 4096
"""Those of "auto"."""

MAX_THREADS = 256

NO_DEVICE = f"{CPU} unless learner=batch or agent=dqn"

FEW_FEATURES = 48
"""Between 4x6 (32 features: 3 lanes 1.07 times the speed of 2) and 8x6 (64: 2 lanes 1.05 times that of 3)."""

OnProgress = Callable[[int, int], None]
"""Called now and then while games are played: (episodes finished, moves played). May raise to give them up, or
`Enough`."""


class Enough(Exception):  # noqa: N818 - it is no error
    """Raised by `on_progress` of games without learning: the result is those before the first that is not finished."""


def check_lanes(key: str, lanes: object) -> None:
    """Refuse anything but "auto" and a number of lanes."""
    if lanes != "auto" and (type(lanes) is not int or not 1 <= lanes <= MAX_LANES):
        raise refuse(key, lanes, f"auto or a whole number from 1 to {MAX_IN_TURN}, with learner=batch to {MAX_LANES}")


@dataclass(frozen=True)
class PlayOptions:
    """How games are played, whoever learns from them.

    Attributes
    ----------
    seed : of the random streams, at least 0; episode k of a seed always meets the same drops.
    lanes : games played in turn by one thread, 1 to 64, or "auto"; 1 is the textbook algorithm move for move. Of a
        learner with a `batch_sum` games that play in step, 1 to 131,072.
    threads : threads that play at once, 1 to 256. Where they learn they use no locks: with one thread the result is
        the same bit for bit, always and everywhere; with more it is not, but with a `batch_sum`.
    engine : what boards are while they are played with, "bits" or "array" (a byte a cell). Both play the same games.
    device : what computes, "cpu" or "cuda", a graphics card, with the same bits: games without learning, and a learner
        with a `batch_sum`. What is learned lies there until `network`, `state` or `arrays` of the trainer is asked
        for, or it is saved.
    search : how the player looks ahead. A learner's target keeps its form: search changes the choice only.
    placer : who puts the tiles.
    evaluator : the `Player` whose values an adversary uses; None: those of the network that plays.
    """

    seed: int = whole(0, least=0)
    lanes: int | str = checked("auto", check_lanes)
    threads: int = whole(1, least=1, most=MAX_THREADS)
    engine: str = choice("bits", ENGINES)
    device: str = choice(CPU, DEVICES)
    search: SearchOptions = field(default_factory=SearchOptions)
    placer: PlacerOptions = field(default_factory=PlacerOptions)
    evaluator: Evaluator | None = None

    def __post_init__(self) -> None:
        check_instance("search", self.search, SearchOptions, "as SearchOptions(plies=2)")
        check_instance("placer", self.placer, PlacerOptions, 'as PlacerOptions("adversary")')
        check_fields(self)
        if self.evaluator is not None:
            self.placer.check_judged()

    def check_board(self, rules: Rules) -> None:
        """Refuse an evaluator of another game or board than these rules."""
        if self.evaluator is not None:
            check_same_board(self.evaluator.network.rules, rules)


def lane_count(lanes: int | str, features: int) -> int:
    """The number of lanes: `lanes` itself, or that of "auto" for a network of `features` features.

    "auto" is the fastest number on the machines measured (docs/dev/performance.md): 3, and 2 where the entries of one
    lane fill a cache by themselves. It depends on the configuration alone, so that a run is the same everywhere.
    """
    if isinstance(lanes, int):
        if lanes > MAX_IN_TURN:
            raise refuse("lanes", lanes, f"auto or a whole number from 1 to {MAX_IN_TURN} unless learner=batch")
        return lanes
    return 3 if features <= FEW_FEATURES else 2


def batch_lanes(play: PlayOptions) -> int:
    """The number of games in step: `lanes` itself, or that of "auto"."""
    return play.lanes if isinstance(play.lanes, int) else BATCH


def check_batch(learner: LearnerOptions, play: PlayOptions, replicas: ReplicaOptions) -> None:
    """Refuse lanes and a device that only games in step have, and what games in step do not go with."""
    if not learner.batched:
        lane_count(play.lanes, 0)
        if play.device != CPU:
            raise refuse("device", play.device, NO_DEVICE)
        return
    usual = PlayOptions()
    for key, value, expected in (
        ("replicas", replicas.replicas, 1),
        ("engine", play.engine, usual.engine),
        ("placer.kind", play.placer.kind, usual.placer.kind),
        *((f"search.{name}", getattr(play.search, name), getattr(usual.search, name)) for name in _AHEAD),
    ):
        if value != expected:
            text = {None: "null", (): "[]"}.get(expected, expected)
            raise refuse(key, value, f"{text} with learner.batch_sum={learner.batch_sum}")


_AHEAD = ("plies", "by_empty", "downgrade")


def sort_keywords(keywords: Mapping[str, Any], *classes: type) -> list[dict[str, Any]]:
    """Keywords by the dataclass that has a field of the name; one that several classes have goes to each.

    Raises
    ------
    ConfigError : no class has such a field; it names the one that is meant.
    """
    names = {option: [field.name for field in fields(option)] for option in classes}
    known = sorted(set().union(*names.values()))
    for keyword in keywords:
        if keyword not in known:
            expected = f"expected one of {', '.join(known)}{like(keyword, known)}"
            raise ConfigError(f"{keyword}: no such option; {expected}")
    values = {name: without_numpy(value) for name, value in keywords.items()}
    return [{name: value for name, value in values.items() if name in names[option]} for option in classes]


def play_options(play: PlayOptions | None, keywords: Mapping[str, Any]) -> PlayOptions:
    """How games are played, with the keywords in the place of the fields they name, those of the search among them."""
    if play is not None:
        check_instance("play", play, PlayOptions)
    fields, search = sort_keywords(keywords, PlayOptions, SearchOptions)
    options = replace(play or PlayOptions(), **fields)
    return replace(options, search=replace(options.search, **search))


def training_options(
    learner: LearnerOptions | None,
    schedule: Any,
    play: PlayOptions | None,
    replicas: ReplicaOptions | None,
    keywords: Mapping[str, Any],
) -> tuple[LearnerOptions, Schedule, PlayOptions, ReplicaOptions]:
    """The options of a training, with the keywords in the place of the fields they name.

    Parameters
    ----------
    schedule : a `Schedule`, or the `form` of one.
    """
    if learner is not None:
        check_instance("learner", learner, LearnerOptions, "its fields are keywords here; tdl.train takes names")
    if play is not None:
        check_instance("play", play, PlayOptions, "its fields are keywords here")
    if replicas is not None:
        check_instance("replicas", replicas, ReplicaOptions, "or a whole number")
    if not isinstance(schedule, Schedule | None):
        schedule, keywords = None, {**keywords, "form": schedule}
    classes = LearnerOptions, Schedule, PlayOptions, ReplicaOptions
    of_learner, of_schedule, of_play, of_replicas = sort_keywords(keywords, *classes)
    return (
        replace(learner or LearnerOptions(), **of_learner),
        Schedule(**of_schedule) if schedule is None else replace(schedule, **of_schedule),
        replace(play or PlayOptions(), **of_play),
        replace(replicas or ReplicaOptions(), **of_replicas),
    )


class Settled:
    """Base of classes with `__slots__`, whose public attributes are assigned once, but for those in `CHANGEABLE`."""

    __slots__ = ("__weakref__",)

    CHANGEABLE: ClassVar[tuple[str, ...]] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name not in self.CHANGEABLE and hasattr(self, name):
            can = f"what can be is {', '.join(self.CHANGEABLE)}" if self.CHANGEABLE else "nothing can be"
            raise AttributeError(f"{name}: cannot be changed in a {type(self).__name__}, {can}; make a new one")
        try:
            super().__setattr__(name, value)
        except AttributeError:
            raise AttributeError(
                f"{name}: no attribute of a {type(self).__name__}{nearest(name, dir(self))}"
            ) from None
