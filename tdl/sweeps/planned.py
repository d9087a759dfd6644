"""The jobs that the command of a sweep asks for, by Hydra's notes of it: read as words, with nothing composed."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, QuotedString, RangeSweep, Transformer
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
    words, trials = _words(notes), _trials(notes)
    swept = [word.key_or_group for word in words if word.is_sweep_override()]
    known = {word.key_or_group: _choices(word) for word in words if not word.is_interval_sweep()}
    seeds = [value for value, _ in known.get("seed", [(None, "")])]
    drawn = [word for word in words if word.is_sweep_override() and word.key_or_group != "seed"]
    others = math.prod(len(known[word.key_or_group]) for word in words if word not in drawn)
    number = trials.number or math.prod(len(known.get(word.key_or_group, "?")) for word in drawn)
    if number * others > MAX_JOBS:
        raise TdlError(f"the command asks for {number * others:,} jobs, more than {MAX_JOBS:,}")
    if trials.by != "random":
        return Command(swept=swept, proposed=number, seeds=seeds)
    space = Space(words, trials)
    values = {text: value for choices in known.values() for value, text in choices}
    return Command([_job(job, values) for job in space.jobs(space.random())], swept)


def _trials(notes: Mapping[str, Any]) -> TrialOptions:
    """How settings are drawn."""
    options = value_at(notes, "hydra", "callbacks", "sweep", "trials")
    try:
        return TrialOptions(**options) if isinstance(options, dict) else TrialOptions()
    except TypeError as error:
        raise TdlError("hydra.callbacks.sweep.trials: no options of trials") from error


def _job(words: Sequence[str], values: Mapping[str, Any]) -> PlannedJob:
    """A job by its words; a value that is none of the command's is a number that was drawn."""
    pairs = {word.partition("=")[0].lstrip("+"): values.get(word, word.partition("=")[2]) for word in words}
    return PlannedJob(pairs, frozenset(words))


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
