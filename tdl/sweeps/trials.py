"""Trials: settings that are drawn from the values of the keys of a sweep, in the place of every combination."""

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from hydra.core.override_parser.types import IntervalSweep, Override

from tdl.base.checks import check_fields, choice, is_finite, whole
from tdl.errors import ConfigError, refuse

DIGITS = 3
"""Of a number that is drawn: of itself, or of the length of its interval where that is smaller."""

Draw = tuple[str, ...]
"""The values of the keys that are drawn, in their order."""


@dataclass(frozen=True)
class TrialOptions:
    """How many settings are drawn (None: every combination is played), by whom, and with which seed."""

    number: int | None = whole(None, least=1, most=100_000, null=True)
    by: str = choice("random", ("random", "optuna"))
    seed: int = whole(0, least=0)

    def __post_init__(self) -> None:
        check_fields(self, "trials.")
        if self.by != "random" and self.number is None:
            raise ConfigError(f"trials.by: {self.by} proposes settings; say how many, as trials.number=20")


@dataclass(frozen=True)
class Values:
    """What one word of a sweep gives a key: its only value, or several.

    Attributes
    ----------
    key : with its sign, as `+key`.
    choices : the values; of an interval those that are checked before any job begins.
    """

    key: str
    choices: Sequence[str]

    def __str__(self) -> str:
        return f"{self.key}={','.join(self.choices)}"

    @property
    def is_drawn(self) -> bool:
        """Whether trials differ in it."""
        return len(self.choices) > 1 and self.key != "seed"

    def words(self) -> list[str]:
        """A word for each value."""
        return [f"{self.key}={value}" for value in self.choices]

    def at(self, share: float) -> str:
        """The value at a share from 0 to below 1 of all."""
        return self.choices[int(share * len(self.choices))]


@dataclass(frozen=True)
class Interval(Values):
    """Numbers from `low` to `high`; `log`: each factor is as likely as any other, else each difference."""

    low: float
    high: float
    log: bool

    def __str__(self) -> str:
        return f"{self.key}={'log' if self.log else 'linear'}({self.choices[0]},{self.choices[-1]})"

    @property
    def is_drawn(self) -> bool:
        """Always."""
        return True

    def words(self) -> list[str]:
        """Refused: there is no end of them."""
        value = f"{self.key}=interval({self.choices[0]},{self.choices[-1]})"
        raise ConfigError(f"{value}: numbers are drawn from an interval; say how many settings, as trials.number=20")

    def at(self, share: float) -> str:
        """The number at a share from 0 to 1 of the interval."""
        half = 0.5 if self.is_whole else 0.0  # as much for the first and the last number as for others
        low, high = self.low - half, self.high + half
        return self.text(low * (high / low) ** share if self.log else low + (high - low) * share)

    @property
    def is_whole(self) -> bool:
        """Whether it has whole numbers alone."""
        return isinstance(self.low, int)

    def text(self, number: float) -> str:
        """A number of the interval as a word has it, with few digits."""
        size = min(abs(number), self.high - self.low)
        digits = None if self.is_whole else DIGITS - 1 - math.floor(math.log10(size)) if size else 0
        return _text(min(max(round(number, digits), self.low), self.high))


def values_of(word: Override) -> Values:
    """What a word of a sweep gives its key.

    Raises
    ------
    ConfigError : an interval without numbers, or of logarithms and with numbers that have none.
    """
    key, value = word.get_key_element(), word.value()
    if word.is_discrete_sweep():
        return Values(key, [*word.sweep_string_iterator()])
    if not isinstance(value, IntervalSweep):
        return Values(key, [word.get_value_element_as_str()])
    low, high, text = value.start, value.end, str(word.input_line).partition("=")[2]
    if key == "seed":
        raise refuse(key, text, "seeds by their number, as seeds=5")
    if not (is_finite(low) and is_finite(high) and low < high):
        raise refuse(key, text, "an interval of two numbers, the smaller one first")
    if not value.tags <= {"log", "linear"} or len(value.tags) > 1 or (low <= 0 and "log" in value.tags):
        raise refuse(key, text, f"tag(linear,interval({low:g},{high:g})), or tag(log,...) of numbers above 0")
    return Interval(key, [_text(low), _text(high)], low, high, low > 0 and "linear" not in value.tags)


def _text(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.12g}"


class Space:
    """The settings of a sweep.

    Parameters
    ----------
    words : of the experiment and the command line; the last one for a key holds.
    options : how they are drawn.

    Attributes
    ----------
    drawn : the keys in which trials differ.

    Raises
    ------
    ConfigError : nothing is to be drawn.
    """

    def __init__(self, words: Iterable[Override], options: TrialOptions) -> None:
        self.options = options
        self.values = [*{word.get_key_element(): values_of(word) for word in words}.values()]
        self.drawn = [values for values in self.values if options.number is not None and values.is_drawn]
        if options.number is not None and not self.drawn:
            raise ConfigError("trials.number: settings are drawn from a key's values; expected one that has several, "
                              "as 'alpha=interval(0.01,1)'")  # fmt: skip

    @property
    def name(self) -> str:
        """All that decides which trial is which, and what its score means."""
        return f"{' '.join(sorted(map(str, self.values)))} trials.seed={self.options.seed}"

    def title(self, setting: Draw) -> str:
        """The words by which a setting differs from others."""
        return " ".join(f"{key.key}={value}" for key, value in zip(self.drawn, setting, strict=True))

    def jobs(self, settings: Iterable[Draw] = ((),)) -> list[list[str]]:
        """The words of the jobs of some settings: a job for each seed, and each value that is not drawn."""
        return [list(job) for setting in settings for job in product(*self._words(setting))]

    def _words(self, setting: Draw) -> list[list[str]]:
        drawn = iter(setting)
        return [[f"{values.key}={next(drawn)}"] if values in self.drawn else values.words() for values in self.values]

    def random(self) -> list[Draw]:
        """The settings that are drawn at random, each once; without a number of trials the one that has every value.

        Each value follows from its key's values, `trials.seed` and the number of the trial alone, so that more trials
        leave the first ones as they are.
        """
        numbers = range(self.options.number or 1)
        draws = (tuple(key.at(share(self.options.seed, number, key)) for key in self.drawn) for number in numbers)
        return list(dict.fromkeys(draws))

    def samples(self) -> list[Draw]:
        """A few settings that have every choice, and the ends of every interval."""
        most = max(len(key.choices) for key in self.drawn)
        return [tuple(key.choices[number % len(key.choices)] for key in self.drawn) for number in range(most)]


def share(*words: object) -> float:
    """A number from 0 to below 1 that follows from some words: by SHA-256, so the same everywhere and for ever."""
    digest = hashlib.sha256(" ".join(map(str, words)).encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48
