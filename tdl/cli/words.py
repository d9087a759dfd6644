"""The way of a command line to Hydra: flags apart, folders and seeds as keys, values in Hydra's grammar."""

import os
import re
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NoReturn, get_args

from hydra._internal.utils import get_args_parser

from tdl.cli import folders
from tdl.config.compose import Schema
from tdl.config.files import GROUPS
from tdl.errors import ConfigError, nearest, refuse
from tdl.storage.reading import MAX_DEPTH
from tdl.sweeps.sweep import HOME, SWEEP_KEYS

FLAGS = ("--multirun", "--help", "--version", "--config-dir", "--cfg", "--resolve", "--info")
"""Flags that messages and completion propose."""

CALLING = ("config_name", "config_path", "experimental_rerun")
"""Flags of Hydra's for files that may call any function."""

BUDGETS = ("budget.moves", "budget.seconds")

HELD = ("hydra.job.chdir", "hydra.job.id", "hydra.job.num", "hydra.output_subdir", "hydra.overrides", "hydra.runtime",
        "hydra.callbacks.sweep", "hydra.searchpath")  # fmt: skip
"""Keys of Hydra that no command line sets."""

UNITS = {"s": 1, "min": 60, "m": 60, "h": 3600, "d": 86400}
"""Units of time, in seconds."""

_TIME = re.compile(rf"(?<![\w.-])(['\"]?)(\d+(?:\.\d+)?)({'|'.join(UNITS)})\1(?![\w.])")

_NUMBER = re.compile(r"(?<![\w.'\"-])(\d+)(?![\w.'\"-])")

_WHOLE = re.compile(r"(?<![\w.+-])(\d+(?:\.\d*)?)[eE]\+?(\d{1,2})(?![\w.])")


MAX_DIGITS = sys.float_info.max_10_exp
"""Of a whole number."""

_LONG = re.compile(rf"(?<![\w.])\d{{{MAX_DIGITS + 1},}}(?![\w.])")


@dataclass
class CommandLine:
    """The words of a command line, apart.

    Attributes
    ----------
    flags : the flags with their values, as they were written.
    words : all others, in their order.
    options : what the flags say, as Hydra reads them.
    """

    flags: list[str]
    words: list[str]
    options: Namespace


def split_flags(line: Sequence[str]) -> CommandLine:
    """Flags, which may stand anywhere and which Hydra wants in one piece, and words of a command line.

    Raises
    ------
    ConfigError : an unknown flag, one without its value, or two that exclude each other.
    """
    parser = get_args_parser()
    parser.error = _refuse  # type: ignore[method-assign]
    options, unknown = parser.parse_known_intermixed_args(line)
    for word in unknown:
        raise ConfigError(_unknown_flag(word))
    _check_together(options)
    flags, left = [], list(options.overrides)
    for word in line:
        if left and word == left[0]:
            left.pop(0)
        elif word != "--":
            flags.append(word)
    if options.info is not None:  # without a value it would take the word behind it for one
        flags = [word for word in flags if word not in ("--info", "-i", options.info)] + [f"--info={options.info}"]
    return CommandLine(flags, list(options.overrides), options)


def _check_together(options: Namespace) -> None:
    for flag in ("cfg", "info", "run"):
        if options.multirun and getattr(options, flag):
            raise ConfigError(f"--{flag}: of one job; leave out -m (tdl run), and give each key one value")
    for flag in filter(vars(options).get, CALLING):
        raise ConfigError(f"--{flag.replace('_', '-')}: no such flag; choices of your own are in --config-dir FOLDER")
    if options.resolve and options.cfg is None and not options.help:
        raise ConfigError("--resolve: only beside --cfg, as --cfg job --resolve")


def _refuse(message: str) -> NoReturn:
    raise ConfigError(message.removeprefix("argument "))


def _unknown_flag(word: str) -> str:
    flag, _, value = word.partition("=")
    name = flag.lstrip("-")
    near = nearest(flag, [known for known in FLAGS if nearest(name, [known.lstrip("-")])])  # dashes are always alike
    if not flag.startswith("--") or (near and not value):
        return f"{word}: no such flag; expected one of {', '.join(FLAGS)}{near}"
    return f"{word}: no such flag; keys have no dashes: {name.replace('-', '_')}={value or 'VALUE'}"


def hydra_words(program: str, words: Sequence[str], schema: Schema, *, sweep: bool) -> list[str]:
    """The words of people as those that Hydra takes: folders, seeds, whole numbers, choices that are numbers.

    Parameters
    ----------
    program : the name of the program, which is that of its file in `conf/`.
    schema : the types of its keys.
    sweep : whether `-m` is given.

    Raises
    ------
    ConfigError : a word that makes no sense.
    """
    _refuse_spaces(words)
    words = folders.with_output(program, folders.with_paths(words, sweep=sweep), sweep=sweep)
    words = folders.with_keys(program, words, schema, sweep=sweep)
    words = hydra_values(with_seeds(words, sweep=sweep), schema)
    _refuse_twice(words)
    _refuse_held(words)
    _refuse_tuning(words)
    return with_sweep_keys(words, program)


def _refuse_spaces(words: Sequence[str]) -> None:
    """Refuse `alpha = 0.1`, which a shell makes three words of."""
    for number, (word, following) in enumerate(pairwise(words)):
        ends = word.endswith("=") and "=" not in following and not os.path.exists(following)
        if ends or following.startswith("="):
            parts = words[number : number + 2 + (following == "=")]
            near = "".join(parts)
            raise ConfigError(f"{' '.join(parts)}: a key and its value are one word; did you mean {near!r}?")


def _refuse_twice(words: Sequence[str]) -> None:
    """Refuse two words for one key, of which the first would have no effect."""
    first: dict[str, str] = {}
    for word in words:
        key, sign, _ = word.lstrip("+").partition("=")
        if sign and key in first:
            raise ConfigError(f"{first[key]} {word}: {key} is given twice; expected one of them")
        first[key] = word


def _refuse_held(words: Sequence[str]) -> None:
    """Refuse what would change where paths lead, and what Hydra notes."""
    for word in words:
        key, _, value = word.lstrip("+~").partition("=")
        if f"{key}.".startswith(tuple(f"{held}." for held in HELD)) and value.lower() != "false":
            raise refuse(key, value, "what it is without a word: tdl finds paths, runs and choices by it")


def _refuse_tuning(words: Sequence[str]) -> None:
    """Refuse what made Optuna's plugin for Hydra propose jobs."""
    for word in words:
        key, _, value = word.partition("=")
        if word in ("hydra/sweeper=tune", "hydra/sweeper=optuna") or key == "hydra.sweeper.n_trials":
            number = value if value.isdigit() else 20
            raise ConfigError(f"{word}: no such choice; Optuna proposes with trials.by=optuna trials.number={number}")


def hydra_values(words: Sequence[str], schema: Schema) -> list[str]:
    """The words with values that Hydra takes: times in seconds, whole numbers in digits, choices in quotes."""
    for word in words:
        check_extent(*word.split("=", 1))
    words = [re.sub(r"^tuples=(?=\[)", "tuples.cells=", word) for word in words]  # cells of one's own
    return with_quoted_numbers(with_whole_numbers(with_seconds(with_one_budget(words)), schema))


def with_one_budget(words: Sequence[str]) -> list[str]:
    """The words, by which that budget which an experiment has gives way to the one that they name.

    >>> with_one_budget(["experiment=best", "budget.seconds=10h"])
    ['experiment=best', 'budget.seconds=10h', 'budget.moves=null']
    """
    values = dict(word.lstrip("+").split("=", 1) for word in words if "=" in word)
    named = [key for key in BUDGETS if key in values]
    if "experiment" not in values or len(named) != 1 or values[named[0]] == "null":
        return list(words)
    return [*words, *(f"{key}=null" for key in BUDGETS if key not in named)]


def check_extent(key: str, value: object = "") -> None:
    """Refuse what Hydra would give up at: a number of more digits than a float has room for, lists in many others."""
    if abs(value) >= 10**MAX_DIGITS if isinstance(value, int) else _LONG.search(str(value)):
        raise refuse(key, value, f"a number of at most {MAX_DIGITS} digits")
    letters = value if isinstance(value, str) else ""
    if max(accumulate((letter in "[{(") - (letter in "]})") for letter in letters), default=0) > MAX_DEPTH:
        raise refuse(key, value, f"at most {MAX_DEPTH} lists within each other")


def with_quoted_numbers(words: Sequence[str]) -> list[str]:
    """The words with the choices that are numbers in quotes: without them Hydra takes no number for a choice.

    >>> with_quoted_numbers(["-m", "game=2048,threes_law,2584", "tuples=4x6", "seed=2048"])
    ['-m', "game='2048',threes_law,'2584'", 'tuples=4x6', 'seed=2048']
    """
    group = re.compile(rf"\+*({'|'.join(GROUPS)})=")
    return [_NUMBER.sub(r"'\1'", word) if group.match(word) else word for word in words]


def with_seeds(words: Sequence[str], *, sweep: bool) -> list[str]:
    """The words with `seed=range(0,N)` in the place of `seeds=N`.

    >>> with_seeds(["seeds=5", "alpha=0.1,0.3"], sweep=True)
    ['seed=range(0,5)', 'alpha=0.1,0.3']
    """
    numbers = [word for word in words if word.startswith("seeds=")]
    if not numbers:
        return list(words)
    value = numbers[-1].partition("=")[2]
    if not re.fullmatch(r"[1-9]\d*", value):
        raise refuse("seeds", value, f"a number of seeds, at least 1; did you mean 'seed={value}'?")
    if len(numbers) > 1 or any(word.startswith("seed=") for word in words):
        raise ConfigError(f"{numbers[-1]}: the seeds are given already")
    if not sweep and value != "1":
        raise ConfigError(f"{numbers[0]}: {value} seeds are {value} runs: add -m (tdl sweep)")
    seeds = f"seed=range(0,{value})" if sweep else "seed=0"
    return [seeds if word.startswith("seeds=") else word for word in words]


def with_sweep_keys(words: Sequence[str], program: str = "run") -> list[str]:
    """The words with those about races and trials where the sweep has them, which no job needs to know.

    >>> with_sweep_keys(["race.on=true", "trials.number=20", "alpha=0.1,0.3"])
    ['hydra.callbacks.sweep.race.on=true', 'hydra.callbacks.sweep.trials.number=20', 'alpha=0.1,0.3']

    Raises
    ------
    ConfigError : there is no such key about races or trials.
    """
    return [_with_sweep_key(word, program) for word in words]


def _with_sweep_key(word: str, program: str) -> str:
    key, sign, _ = word.lstrip("+").partition("=")
    section = key.partition(".")[0]
    names = [name for name in SWEEP_KEYS if name.startswith(f"{section}.")]
    if key == section and names:
        raise ConfigError(f"{word}: expected one of {', '.join(names)}")
    if names and program != "run":
        raise ConfigError(f"{key}: no such key here; training has it, as tdl sweep {names[0]}=VALUE")
    if names and key not in names:
        raise ConfigError(f"{key}: no such key{nearest(key, names)}; --help lists all keys")
    return HOME + word.lstrip("+") if names and sign else word


def with_seconds(words: Sequence[str]) -> list[str]:
    """The words with times in seconds, where a key that takes seconds has another unit: s, min or m, h, d.

    >>> with_seconds(["budget.seconds=5min,1.5h", "save.seconds='1d'", "out=5min"])
    ['budget.seconds=300,5400', 'save.seconds=86400', 'out=5min']
    """

    def in_seconds(time: re.Match[str]) -> str:
        return f"{float(time[2]) * UNITS[time[3]]:.12g}"

    key = re.compile(r"\+*(\w+\.)?seconds=")
    return [_TIME.sub(in_seconds, word) if key.match(word) else word for word in words]


def with_whole_numbers(words: Sequence[str], schema: Schema) -> list[str]:
    """The words with whole numbers in digits, also where a key that takes no others has 1e4, or an interval.

    >>> from tdl.config.schema import RUN
    >>> with_whole_numbers(["episodes=1e3,1.5e4", "alpha=1e-1", "seed=1.5e0", "block=interval(1e2,1e3)"], RUN)
    ['episodes=1000,15000', 'alpha=1e-1', 'seed=1.5e0', 'block=int(interval(100,1000))']
    """

    def in_digits(text: re.Match[str]) -> str:
        number = float(text[0])
        return str(int(number)) if number.is_integer() and number < 2**53 else text[0]

    def in_whole(word: str) -> str:
        return re.sub(r"=((tag\([\w,]*)?interval\(.*)", r"=int(\1)", _WHOLE.sub(in_digits, word))

    keys = {**schema.keys, **SWEEP_KEYS}
    known = {name for name, key in keys.items() if int in (key.kind, *get_args(key.kind))}
    return [in_whole(word) if word.partition("=")[0].lstrip("+") in known else word for word in words]
