"""The jobs that the command of a sweep asks for, by Hydra's notes of it: read as words, with nothing composed."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, QuotedString, RangeSweep, Transformer
from hydra.errors import HydraException

from tdl.errors import TdlError, printable
from tdl.sweeps.sweep_files import MAX_JOBS, texts_at, value_at

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
    choices = {word.key_or_group: _choices(word) for word in _words(notes)}
    if (number := math.prod(map(len, choices.values()))) > MAX_JOBS:
        raise TdlError(f"the command asks for {number:,} jobs, more than {MAX_JOBS:,}")
    return [
        PlannedJob(
            {key: value for key, (value, _) in zip(choices, job, strict=True)}, frozenset(word for _, word in job)
        )
        for job in product(*choices.values())
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


def _choices(word: Override) -> list[tuple[Any, str]]:
    """The values of a word, each with the word of a job that has it."""
    key = word.get_key_element()
    if not word.is_sweep_override():
        return [(_plain(word.value()), f"{key}={word.get_value_element_as_str()}")]
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
