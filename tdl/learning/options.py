"""What can be chosen of a learner, and which choices exclude each other. The one home of both."""

import math
from dataclasses import dataclass

from tdl.base.checks import above_zero, check_fields, checked, choice, flag, share, whole
from tdl.errors import nearest, refuse

TARGETS = ("afterstate", "state")

ORDERS = ("backward", "forward", "delayed")

ACCUMULATORS = "sums"
"""Temporal coherence's E and A: float32, shape (entries, 2)."""

STEP_ARRAYS: dict[str, dict[str, int]] = {"fixed": {}, "coherent": {ACCUMULATORS: 2}}
"""By step-size rule the arrays that it keeps beside the weights: their names, and the float32 of each entry.

In the order of `StepKind` in `stepsize.pxd`. Replicas merge `ACCUMULATORS` and no other array: rules with others are
refused there.
"""

STEPS = tuple(STEP_ARRAYS)

PER = ("total", "entry")

EXPECTATIONS = ("auto", "shared", "direct")

STARTS = ("empty", "restart", "milestone", "carousel")

BATCH_SUMS = ("none", "mean", "capped")

CLEARED = ("afterstate", "state")

MAX_COUNT = 2**31 - 1
"""What the kernels count moves and games of an episode with."""

MAX_HISTORY = 4096
"""Afterstates a forward learner may keep for later; 4,096 is lambda = 0.9994."""

TRUNCATION = 0.1
"""Forward lambda-returns leave out weights below this one (Jaskowski 2018, section on delayed TC(lambda))."""


def history_of(td_lambda: float) -> int:
    """Boards that forward and delayed TD(lambda) move at once: max(1, ceil(log_lambda 0.1)); lambda below 1."""
    if not td_lambda:
        return 1
    return max(1, math.ceil(math.log(TRUNCATION) / math.log(td_lambda)))


def check_cleared(key: str, value: object) -> None:
    """Refuse anything but false and `CLEARED`, and true, which older runs have for "afterstate"."""
    if not isinstance(value, bool) and value not in CLEARED:
        raise refuse(key, value, f"false, {' or '.join(CLEARED)}{nearest(str(value), CLEARED)}")


@dataclass(frozen=True)
class LearnerOptions:
    """The independent choices of a learner. Every combination that is not refused runs in `tdl.training.selfplay`.

    Attributes
    ----------
    target : "afterstate": V(s') is learned, moves are chosen by r + V(s'); "state": V(s) is learned, moves are chosen
        by r + the expectation of V(s'') over all drops.
    order : "backward" (after each game, last board first), "forward" (after each move) or "delayed" (forward, but
        each board is moved once, by the sum of the errors its lambda-return sees, when the last of them is known).
    td_lambda : 0 to 1, share of the rest of the game in each target (1: Monte Carlo, backward only).
    n_step : rewards in each target before it relies on a value; 1 unless td_lambda is 0.
    step : "fixed", or "coherent": temporal coherence, each entry's own share of alpha.
    memory : of coherent steps: each error first takes 1 / memory of the entry's E and A away, so that the share is
        that of about so many errors; None: that of all.
    alpha_per : what alpha is the step size of: "total" (each of the m active entries moves by alpha / m times the
        error) or "entry" (each moves by alpha times the error).
    gamma : discount of the next value, 0 to 1.
    epsilon : probability of a random legal move in training; the target is that of the move made (of the best one with
        `rechoose`).
    start : where games begin: "empty" (the start law), "restart" (each game is followed by others that begin in the
        middle of the one before), "milestone" (where the one before came to its last milestone) or "carousel" (by one
        game from a board of each later stage).
    restart_at, restart_moves : where in the game before, above 0 to 1, and the fewest moves it must have had.
    milestone, attempts : the sum of tiles whose multiples are milestones, and the most games in a row from one.
    batch_sum : "none": each error moves its entries at once. Else many games play in step, and each entry moves once a
        step: by the "mean" of its errors, or by their sum, "capped" where it would be too large.
    cap : of "capped": errors of an entry times its step size that count in full.
    moves_per_lane : a game in step for each so many moves that were played, from 64 on; None: all from the first step.
    expectation : of the state target: "shared" work between drops, "direct" evaluation of each successor, "auto".
    reward_shift, stored_value, running_value, update_symmetries, rechoose, clear_last : variants of published
        programs, see docs/choices.md.
    """

    target: str = choice("afterstate", TARGETS)
    order: str = choice("backward", ORDERS)
    td_lambda: float = share(0.0)
    n_step: int = whole(1, least=1, most=MAX_HISTORY)
    step: str = choice("fixed", STEPS)
    memory: int | None = whole(None, least=2, null=True)
    alpha_per: str = choice("total", PER)
    gamma: float = share(1.0)
    epsilon: float = share(0.0)
    start: str = choice("empty", STARTS)
    restart_at: float = above_zero(0.5, most=1)
    restart_moves: int = whole(10, least=1, most=MAX_COUNT)
    milestone: int = whole(4096, least=1)
    attempts: int = whole(3, least=1, most=MAX_COUNT)
    batch_sum: str = choice("none", BATCH_SUMS)
    cap: float = above_zero(1.0)
    moves_per_lane: int | None = whole(None, least=1, null=True)
    expectation: str = choice("auto", EXPECTATIONS)
    reward_shift: bool = flag(False)
    stored_value: bool = flag(False)
    running_value: bool = flag(False)
    update_symmetries: bool = flag(True)
    rechoose: bool = flag(False)
    clear_last: bool | str = checked(False, check_cleared)

    @property
    def cleared(self) -> str | None:
        """Which board of `CLEARED` has its entries set to 0 at the end of a game."""
        if isinstance(self.clear_last, str):
            return self.clear_last
        return CLEARED[0] if self.clear_last else None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.memory is not None and self.step != "coherent":
            raise refuse("memory", self.memory, "null unless step=coherent")
        self._check_return()
        self._check_variants()
        self._check_batch()

    @property
    def kept(self) -> float:
        """The share of an entry's E and A that an error leaves there."""
        return 1.0 if self.memory is None else 1 - 1 / self.memory

    @property
    def batched(self) -> bool:
        """Whether many games play in step, and an entry moves once a step."""
        return self.batch_sum != "none"

    def check_network(self, stages: int, extras: bool) -> None:
        """Refuse what a network of so many stages, or with features that are not tuples (`extras`), cannot learn."""
        if self.start == "carousel" and stages == 1:
            raise refuse("start", "carousel", "another one where stages is empty")
        if self.expectation == "shared" and self.target == "state" and (stages > 1 or extras):
            raise refuse("expectation", "shared", "auto or direct for networks of stages, order or count features")

    def _check_return(self) -> None:
        if self.n_step > 1 and self.td_lambda:
            raise refuse("n_step", self.n_step, "1 unless td_lambda=0")
        if self.n_step > 1 and self.order == "delayed":
            raise refuse("n_step", self.n_step, "1 unless order is backward or forward")
        if self.order == "backward":
            return
        if self.td_lambda == 1:
            raise refuse("td_lambda", self.td_lambda, "below 1 unless order=backward")
        if (history := history_of(self.td_lambda)) > MAX_HISTORY:
            expected = f"a history of at most {MAX_HISTORY} boards (this one has {history}) unless order=backward"
            raise refuse("td_lambda", self.td_lambda, expected)

    def _check_variants(self) -> None:
        backward, of_afterstates = self.order == "backward", self.target == "afterstate"
        both = "order=backward and target=afterstate"
        for variant, fits, where in (
            ("reward_shift", not of_afterstates, "target=state"),
            ("stored_value", backward and of_afterstates, both),
            ("running_value", backward, "order=backward"),
            ("rechoose", backward and of_afterstates, both),
            ("clear_last", backward and of_afterstates, both),
            ("update_symmetries", of_afterstates, "target=afterstate"),
        ):
            value, default = getattr(self, variant), getattr(LearnerOptions, variant)
            if value != default and not fits:
                raise refuse(variant, value, f"{default} unless {where}")
        if self.rechoose and (self.td_lambda or self.n_step > 1):
            raise refuse("rechoose", True, "False unless td_lambda=0 and n_step=1")
        if self.stored_value and self.rechoose:
            raise refuse("stored_value", True, "False where rechoose=true")
        for name in ("step", "update_symmetries", "rechoose", "clear_last"):
            if self.running_value and (other := getattr(self, name)) != getattr(LearnerOptions, name):
                raise refuse("running_value", True, f"False where {name}={str(other).lower()}")

    def _check_batch(self) -> None:
        """Refuse what games in step do not have, and what they alone have."""
        if self.batched:
            fixed = {"target": "afterstate", "order": "delayed", "epsilon": 0, "update_symmetries": True}
            for name, value in fixed.items():
                if (other := getattr(self, name)) != value:
                    raise refuse(name, other, f"{str(value).lower()} with batch_sum={self.batch_sum}")
            if self.start == "carousel":
                raise refuse("start", "carousel", f"empty, restart or milestone with batch_sum={self.batch_sum}")
        for name, where, fits in (
            ("cap", "batch_sum=capped", self.batch_sum == "capped"),
            ("moves_per_lane", "batch_sum is mean or capped", self.batched),
        ):
            if not fits and (value := getattr(self, name)) != (usual := getattr(LearnerOptions, name)):
                raise refuse(name, value, f"{'null' if usual is None else f'{usual:g}'} unless {where}")
