"""The jobs that the command of a sweep asks for, by Hydra's notes of it: read as words, with nothing composed."""

import contextlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override, RangeSweep
from hydra.errors import HydraException

from tdl.errors import TdlError, printable
from tdl.sweeps.sweep_files import MAX_JOBS, texts_at, value_at
from tdl.sweeps.trials import Space, TrialOptions

MAX_WORDS = 1 << 15
"""Characters of all words of a command, which are parsed slowly."""


@dataclass(frozen=True)
class PlannedJob:
    """A job of the command: the values of the keys that it names, and its words as Hydra gives them to the job."""

    values: Mapping[str, Any]
    words: frozenset[str]


@dataclass(frozen=True)
class Command:
    """What the command of a sweep asks for.

    Attributes
    ----------
    jobs : those that follow from its words, in their order.
    swept : the keys that it gives several values.
    proposed, seeds : the settings that Optuna proposes, which follow from scores, and the seeds of each.
    """

    jobs: Sequence[PlannedJob] = ()
    swept: Sequence[str] = ()
    proposed: int = 0
    seeds: Sequence[Any] = ()


def planned(notes: Mapping[str, Any]) -> Command:
    """What a command asks for.

    Raises
    ------
    TdlError : its jobs cannot be listed, as those of an interval without trials; it says why.

    >>> command = planned({"hydra": {"overrides": {"task": ["alpha=0.1,1", "seed=range(0,2)", "learner=tc"]}}})
    >>> len(command.jobs), command.jobs[0].values, sorted(command.jobs[0].words), command.swept
    (4, {'alpha': 0.1, 'seed': 0, 'learner': 'tc'}, ['alpha=0.1', 'learner=tc', 'seed=0'], ['alpha', 'seed'])
    """
    space = _space(_words(notes), _trials(notes))
    others = math.prod(len(key.choices) for key in space.values if key not in space.drawn)
    if (number := others * (space.options.number or 1)) > MAX_JOBS:
        raise TdlError(f"the command asks for {number:,} jobs, more than {MAX_JOBS:,}")
    swept = [key.key.lstrip("+") for key in space.values if len(key.choices) > 1]
    if space.options.by == "random":
        return Command([_job(words) for words in space.jobs(space.random())], swept)
    seeds = [_value(text) for key in space.values if key.key == "seed" for text in key.choices]
    return Command((), swept, space.options.number or 0, seeds or [None])


def _trials(notes: Mapping[str, Any]) -> TrialOptions:
    """How settings are drawn."""
    options = value_at(notes, "hydra", "callbacks", "sweep", "trials")
    try:
        return TrialOptions(**options) if isinstance(options, dict) else TrialOptions()
    except TypeError as error:
        raise TdlError("hydra.callbacks.sweep.trials: no options of trials") from error


def _space(words: Sequence[Override], trials: TrialOptions) -> Space:
    for word in words:
        _check_values(word)
    try:
        return Space(words, trials)
    except (HydraException, ValueError) as error:
        raise TdlError("the values of the command cannot be listed") from error


def _job(words: Sequence[str]) -> PlannedJob:
    pairs = (word.partition("=") for word in words)
    return PlannedJob({key.lstrip("+"): _value(text) for key, _, text in pairs}, frozenset(words))


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


def _check_values(word: Override) -> None:
    """Refuse what names no values, and a range of more than there may be jobs, before any is made."""
    values = word.value()
    if isinstance(values, Glob):
        raise TdlError(f"{word.key_or_group}: its values cannot be listed")
    if not isinstance(values, RangeSweep):
        return
    start, stop, step = (float(number or 0) for number in (values.start, values.stop, values.step))
    if not abs(stop - start) <= MAX_JOBS * abs(step):
        raise TdlError(f"{word.key_or_group}: more than {MAX_JOBS:,} values")


def _value(text: str) -> Any:
    """A value as the row of a run has it, by the text that Hydra gives to the job.

    >>> [_value(text) for text in ("1", "1e-1", "td", "'2584'", "null", "True", "[[0,1]]")]
    [1, 0.1, 'td', '2584', None, True, '[[0, 1]]']
    """
    if text[:1] in ("'", '"'):
        return text[1:-1]
    for read in (int, float, json.loads):
        with contextlib.suppress(ValueError, RecursionError):
            value = read(text.lower() if text.lower() in ("true", "false", "null") else text)
            return json.dumps(value) if isinstance(value, list | dict) else value
    return text
