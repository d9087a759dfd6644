"""The jobs that the command of a sweep asks for, by Hydra's notes of it: read as words, with nothing composed."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import IntervalSweep, Override, QuotedString, RangeSweep, Transformer
from hydra.errors import HydraException

from tdl.base.checks import built
from tdl.errors import TdlError, printable
from tdl.sweeps.sweep_files import MAX_JOBS, texts_at, value_at
from tdl.sweeps.trials import Space, TrialOptions

Choices = list[tuple[Any, str]]
"""Values of a key, each with its word."""

MAX_WORDS = 1 << 15
"""Characters of all words of a command, which are parsed slowly."""


@dataclass(frozen=True)
class PlannedJob:
    """A job of the command: the values of the keys that it names, and its words as Hydra gives them to the job."""

    values: Mapping[str, Any]
    words: frozenset[str]


def planned(notes: Mapping[str, Any]) -> list[PlannedJob]:
    """The jobs of the command, in its order.

    Raises
    ------
    TdlError : they cannot be listed, as those of an interval; it says why.

    >>> jobs = planned({"hydra": {"overrides": {"task": ["alpha=0.1,1", "seed=range(0,2)", "learner=tc"]}}})
    >>> len(jobs), jobs[0].values, sorted(jobs[0].words)
    (4, {'alpha': 0.1, 'seed': 0, 'learner': 'tc'}, ['alpha=0.1', 'learner=tc', 'seed=0'])
    """
    words, trials = _words(notes), _trials(notes)
    choices = {word.get_key_element(): _choices(word, trials) for word in words}
    settings = [choices] if trials.number is None else _drawn(words, trials, choices)
    if (number := sum(math.prod(map(len, setting.values())) for setting in settings)) > MAX_JOBS:
        raise TdlError(f"the command asks for {number:,} jobs, more than {MAX_JOBS:,}")
    keys = [word.key_or_group for word in words]
    return [
        PlannedJob({key: value for key, (value, _) in zip(keys, job, strict=True)}, frozenset(word for _, word in job))
        for setting in settings
        for job in product(*setting.values())
    ]


def _trials(notes: Mapping[str, Any]) -> TrialOptions:
    values = value_at(notes, "hydra", "callbacks", "sweep", "trials") or {}
    trials = built(TrialOptions, "trials", values, optional=("number", "by", "seed"))
    if trials.by != "random":
        raise TdlError(f"{trials.by} proposes {trials.number:,} settings, a few at a time")
    if (trials.number or 0) > MAX_JOBS:
        raise TdlError(f"the command asks for {trials.number:,} settings, more than {MAX_JOBS:,}")
    return trials


def _drawn(words: list[Override], trials: TrialOptions, choices: Mapping[str, Choices]) -> list[dict[str, Choices]]:
    """The choices of each setting that is drawn: one for each key in which settings differ."""
    values = {word: value for pairs in choices.values() for value, word in pairs}

    def choice(key: str, text: str) -> Choices:
        word = f"{key}={text}"
        return [(values[word] if word in values else json.loads(text), word)]  # else a number of an interval

    space = Space(words, trials)
    return [
        {**choices, **{key.key: choice(key.key, text) for key, text in zip(space.drawn, setting, strict=True)}}
        for setting in space.random()
    ]


def swept_keys(notes: Mapping[str, Any]) -> list[str]:
    """The keys of which the command gives several values."""
    return [word.key_or_group for word in _words(notes) if word.is_sweep_override()]


def _words(notes: Mapping[str, Any]) -> list[Override]:
    """The words that give values, those of an experiment and of the command line; of each key the last."""
    params = value_at(notes, "hydra", "sweeper", "params")
    lines = [f"{key}={value}" for key, value in params.items()] if isinstance(params, dict) else []
    lines += texts_at(notes, "hydra", "overrides", "task")
    if sum(map(len, lines)) > MAX_WORDS:
        raise TdlError("the command is too long to be read")
    try:
        words = OverridesParser.create().parse_overrides(lines)
    except HydraException as error:
        raise TdlError(f"the command cannot be read: {printable(str(error).partition(chr(10))[0])}") from error
    return [*{word.key_or_group: word for word in words if not word.is_delete()}.values()]


def _choices(word: Override, trials: TrialOptions) -> Choices:
    """The values of a word, each with the word of a job that has it."""
    key = word.get_key_element()
    if not word.is_sweep_override():
        return [(_plain(word.value()), f"{key}={word.get_value_element_as_str()}")]
    if isinstance(word.value(), IntervalSweep) and trials.number is not None:
        return []
    _check_range(word)
    try:
        values = [*word.sweep_iterator()]  # once: some are in random order
        return [(_plain(value), f"{key}={Transformer.str(value)}") for value in values]
    except (HydraException, ValueError) as error:
        raise TdlError(f"{word.key_or_group}: its values cannot be listed") from error


def _check_range(word: Override) -> None:
    """Refuse a range of more values than there may be jobs, before any is made."""
    values = word.value()
    if not isinstance(values, RangeSweep):
        return
    start, stop, step = (float(number or 0) for number in (values.start, values.stop, values.step))
    if not abs(stop - start) <= MAX_JOBS * abs(step):
        raise TdlError(f"{word.key_or_group}: more than {MAX_JOBS:,} values")


def _plain(value: Any) -> Any:
    """A value as the row of a run has it."""
    if isinstance(value, QuotedString):
        return value.text
    return json.dumps(value, default=str) if isinstance(value, list | dict) else value
