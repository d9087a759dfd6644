"""Replicas: how many networks learn apart, and how many episodes they play between two merges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tdl.base.checks import check_fields, check_whole, checked, whole
from tdl.errors import refuse
from tdl.learning.options import ACCUMULATORS, STEP_ARRAYS, LearnerOptions
from tdl.learning.schedule import points

MAX_REPLICAS = 256

ALONE = 2500
"""With "auto", episodes that the first replica plays alone; after as many more the third joins in, and so on."""

FEWEST, SHARE = 100, 0.05
"""A round of "auto" is this share of the episodes before it, and at least `FEWEST`. With 0.1 from 20,000 episodes on,
4x6 with TC(.5) learned less by 100,000, with 4 replicas and with 8 (one seed each)."""

ROUNDS = "auto, a number of episodes, or a list of episode:episodes as [0:200,10000:2000]"


def check_round(key: str, form: object) -> None:
    """Refuse anything but "auto", a number of episodes, and pairs of episode and number."""
    if isinstance(form, int):
        check_whole(key, form, 1)
    elif form != "auto":
        _lengths(key, form)


def _lengths(key: str, form: Any) -> list[tuple[float, int]]:
    pairs = points(key, form, ROUNDS, number=int)
    for _, length in pairs:
        check_whole(key, length, 1)
    return pairs


@dataclass(frozen=True)
class ReplicaOptions:
    """How many networks learn apart, and how long.

    The episodes of a *round* are shared among the replicas, in equal and consecutive parts; each plays its own and
    learns alone. Then they are merged (`tdl.learning.merge`) and go on from the same network. What is learned depends
    on these options, and not on how many threads or processes carry the replicas.

    Attributes
    ----------
    replicas : number of networks, 1 to 256; 1 learns without merges.
    round : episodes of a round, of all replicas together: a number; pairs of an episode and the number from there on;
        or "auto", which grows with the episodes played, since what changes fast has to be merged often. There one
        replica begins alone, and the others join in one after the other.
    """

    replicas: int = whole(1, least=1, most=MAX_REPLICAS)
    round: int | str | Sequence[Any] | Mapping[Any, Any] = checked("auto", check_round)

    @property
    def several(self) -> bool:
        """Whether there is anything to merge."""
        return self.replicas > 1

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.several and self.round != "auto":
            raise refuse("round", self.round, "auto unless replicas is above 1")

    def check_learner(self, learner: LearnerOptions, threads: int) -> None:
        """Refuse what replicas do not go with."""
        if not self.several:
            return
        if threads > self.replicas:
            raise refuse("threads", threads, f"at most replicas, {self.replicas}: each is played by one thread")
        if learner.target == "state" and learner.expectation == "shared":
            expected = "auto or direct with replicas: shared expectations cannot be merged"
            raise refuse("learner.expectation", "shared", expected)
        if learner.memory is not None:
            raise refuse("learner.memory", learner.memory, "null with replicas: what was forgotten cannot be merged")
        for name in STEP_ARRAYS[learner.step]:
            if name != ACCUMULATORS:
                expected = f"1 where learner.step={learner.step}, whose {name} cannot be merged"
                raise refuse("replicas", self.replicas, expected)

    def own_learner(self, learner: LearnerOptions) -> LearnerOptions:
        """How a replica learns: as `learner`, without expectations that are shared between drops."""
        return replace(learner, expectation="direct") if self.several and learner.target == "state" else learner

    def round_at(self, episode: int) -> int:
        """The length in episodes of a round that begins with this one, at least one for each replica."""
        if self.round == "auto":
            length = max(FEWEST, int(SHARE * episode))
        elif isinstance(self.round, int):
            length = self.round
        else:
            pairs = _lengths("round", self.round)
            length = next((number for first, number in reversed(pairs) if first <= episode), pairs[0][1])
        return max(length, self.replicas)

    def stretch(self, episode: int, block: int) -> int:
        """Episodes to play at once, from this one on, so that no round is cut: a block, or as many as fill one."""
        if not self.several:
            return block
        return block * max(1, round(self.round_at(episode) / block))

    def borders(self, first: int, episodes: int) -> list[int]:
        """Where the rounds of the episodes from `first` on begin, and where the last one ends; all are alike."""
        rounds = max(1, round(episodes / self.round_at(first)))
        return [first + episodes * number // rounds for number in range(rounds + 1)]

    def part(self, replica: int, first: int, end: int) -> tuple[int, int]:
        """The episodes of a round that a replica plays: the first of them, and their number, which may be 0."""
        active = self.active(first)
        low, high = ((end - first) * min(number, active) // active for number in (replica, replica + 1))
        return first + low, high - low

    def active(self, episode: int) -> int:
        """How many replicas play in a round that begins with this episode: first games have little to share."""
        return min(self.replicas, 1 + episode // ALONE) if self.round == "auto" else self.replicas
