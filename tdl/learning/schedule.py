"""The step size over the episodes of a run."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from tdl.base.checks import above_zero, check_above_zero, check_fields, check_whole, or_null, share, without_numpy
from tdl.errors import ConfigError, refuse

MAX_ALPHA = 10.0
"""Above 2 a single entry diverges; experiments with divergence need somewhat more."""

Number = TypeVar("Number", int, float)

Form = Callable[[int], float]

PERCENT = "%"

FORMS = "null, linear, halving:EPISODES, or a list of episode:alpha as [0:0.1,50000:0.01] or [1000:0.1,90%:0.01]"


@dataclass(frozen=True)
class Schedule:
    """The step size by the number of the next episode, looked up at the beginning of every block.

    Attributes
    ----------
    alpha : step size, above 0.
    form : None (alpha always), "linear" (from alpha at episode 0 down to 0 at `episodes`), "halving:N" (half of it
        every N episodes) or pairs of an episode and the step size from there on; before the first of them alpha.
        The last pairs, or all, may name shares of the run instead of episodes, as "90%": of its episodes, its moves or
        its seconds, whichever are used up first. The last pair that is reached holds. Or a function, of the number of
        the episode that a block begins with, whose result is the step size of the block, above 0.
    episodes : of the whole run; "linear", `fixed_share` and shares count by it. None: by the share of the run that is
        over, of which `at` and `is_fixed` are told.
    fixed_share : 0 to 1, share of the episodes that are learned with a fixed step before the learner's own begins (the
        OTD+TC of Guei, Chen and Wu (2021), Optimistic Temporal Difference Learning for 2048: 0.9). `form` counts from
        the first episode of the run all the same.
    fixed_alpha : step size of that first part.
    """

    alpha: float = 0.1
    form: Form | str | Sequence[Any] | Mapping[Any, Any] | None = None
    episodes: int | None = None
    fixed_share: float = share(0.0)
    fixed_alpha: float = above_zero(0.1, most=MAX_ALPHA)

    def __post_init__(self) -> None:
        if callable(self.alpha):
            raise refuse("alpha", self.alpha, "a number; a function of the episode is given as schedule")
        check_above_zero("alpha", self.alpha, MAX_ALPHA)
        check_fields(self, "learner.")
        or_null(partial(check_whole, least=0))("episodes", self.episodes)
        if isinstance(self.form, str):
            self._halving()
        elif not callable(self.form):
            self._points()

    def to_dict(self) -> dict[str, Any]:
        """The description in a checkpoint: the arguments that make the schedule again. A function has none."""
        if callable(self.form):
            raise refuse("schedule", self.form, "pairs as {0: 0.1, 50000: 0.01}: a function cannot be saved")
        form = [*self.form.items()] if isinstance(self.form, Mapping) else self.form
        return vars(self) | {"form": form if form is None or isinstance(form, str) else without_numpy([*form])}

    @property
    def by_share(self) -> bool:
        """Whether pairs of `form` name shares of the run."""
        return not isinstance(self.form, str) and not callable(self.form) and PERCENT in str(self.form)

    def check_counted(self) -> None:
        """Refuse a schedule that counts by the episodes of the run where their number is not known."""
        if self.episodes is None and (self.form == "linear" or self.fixed_share or self.by_share):
            raise refuse("episodes", None, "a number of episodes, which learner.schedule and fixed_share count by")

    def is_fixed(self, episode: int, spent: float | None = None) -> bool:
        """Whether a block that begins with this episode is learned with the fixed step that comes first."""
        if self.episodes is None:
            return (spent or 0.0) < self.fixed_share
        return episode < self.fixed_share * self.episodes

    def at(self, episode: int, spent: float | None = None) -> float:
        """Step size of a block that begins with this episode, when this share of the run is over.

        `spent` None: the share of `episodes`. Raises a ConfigError where a function gives no step size.
        """
        if self.is_fixed(episode, spent):
            return self.fixed_alpha
        if callable(self.form):
            alpha = without_numpy(self.form(episode))
            check_above_zero(f"schedule({episode})", alpha, MAX_ALPHA)
            return float(alpha)
        over = (spent or 0.0) if self.episodes is None else episode / max(1, self.episodes)
        if self.form == "linear":
            return self.alpha * max(0.0, 1 - over)
        if isinstance(self.form, str):
            return float(self.alpha * 0.5 ** (episode // self._halving()))
        episodes, shares = self._points()
        reached = [alpha for first, alpha in episodes if first <= episode]
        reached += [alpha for first, alpha in shares if first <= (over if spent is None else spent)]
        return reached[-1] if reached else self.alpha

    def _halving(self) -> int:
        """Episodes between two halvings; 1 where `form` is another text."""
        if self.form == "linear":
            return 1
        match = re.fullmatch(r"halving:0*([1-9]\d{0,17})", str(self.form))
        if match is None:
            raise refuse("learner.schedule", self.form, FORMS)
        return int(match[1])

    def _points(self) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        """The pairs that name episodes, and those that name shares of the run."""
        key, form = "learner.schedule", [] if self.form is None else self.form
        if not isinstance(form, Sequence | Mapping):
            raise refuse(key, form, FORMS)
        pairs = list(form.items() if isinstance(form, Mapping) else form)
        first = next((place for place, pair in enumerate(pairs) if PERCENT in str(pair)), len(pairs))
        episodes, shares = points(key, pairs[:first], FORMS, float), points(key, pairs[first:], FORMS, float, _share)
        for _, alpha in episodes + shares:
            check_above_zero(key, alpha, MAX_ALPHA)
        return episodes, shares


def _share(text: Any) -> float:
    """A share of the run: 0.9 of "90%"."""
    percent, sign, rest = str(text).strip().partition(PERCENT)
    share = float(percent) / 100 if sign and not rest else -1.0
    if not 0 <= share <= 1:
        raise refuse("learner.schedule", text, "0% to 100%, in all pairs from the first one with a share on")
    return share


def points(
    key: str, form: Any, forms: str, number: Callable[[Any], Number], place: Callable[[Any], float] = int
) -> list[tuple[float, Number]]:
    """The pairs of a list, which may be written place:number, [place, number], or as a mapping.

    Parameters
    ----------
    key, forms : for messages: what the list is, and how it may be written.
    number, place : make of the second and the first of a pair what it stands for; a ValueError where it is nothing.

    Raises
    ------
    ConfigError : no such list, places below 0 or not in ascending order.
    """
    if isinstance(form, str) or not isinstance(form, Sequence | Mapping):
        raise refuse(key, form, forms)
    pairs = []
    for item in form.items() if isinstance(form, Mapping) else form:
        try:
            first, value = item.split(":") if isinstance(item, str) else item
            pairs.append((place(first), number(value)))
        except ConfigError:  # a ValueError, too, which says more than that below
            raise
        except (TypeError, ValueError):
            raise refuse(key, item, forms) from None
    places = [first for first, _ in pairs]
    if places != sorted(set(places)) or (places and places[0] < 0):
        raise refuse(key, form, "pairs in ascending order, from 0 on")
    return pairs
