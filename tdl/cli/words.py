"""The words of a command line, as all programs take them before Hydra reads them."""

import re
from collections.abc import Sequence
from typing import get_args

from tdl.cli import folders
from tdl.config.keys import keys_of
from tdl.errors import ConfigError, refuse
from tdl.game.merge_laws import NAMES

_WHOLE = re.compile(r"(?<![\w.+-])(\d+(?:\.\d*)?)[eE]\+?(\d{1,2})(?![\w.])")


def as_hydra_reads(program: str, words: Sequence[str], schema: type, *, sweep: bool) -> list[str]:
    """The words of people as those that Hydra takes: folders, seeds, whole numbers, names of games.

    Parameters
    ----------
    program : the name of the program, which is that of its file in `conf/`.
    schema : the types of its keys.
    sweep : whether `-m` is given.

    Raises
    ------
    ConfigError : a word that makes no sense.
    """
    words = folders.with_keys(program, words, sweep=sweep)
    words = folders.with_homes(folders.with_output(program, words, sweep=sweep))
    return with_game_names(with_whole_numbers(with_seeds(words, sweep=sweep), schema))


def with_game_names(words: Sequence[str]) -> list[str]:
    """The words with games by the names that configurations hold, also where a word has what people call them.

    >>> with_game_names(["-m", "game=2048,fib,2584", "seed=2048"])
    ['-m', 'game=pow2,fib,fib', 'seed=2048']
    """
    title = re.compile(rf"(?<![\w.-])({'|'.join(map(re.escape, NAMES))})(?![\w.-])")
    return [title.sub(lambda found: NAMES[found[1]], word) if re.match(r"\+*game(\.name)?=", word) else word
            for word in words]  # fmt: skip


def with_seeds(words: Sequence[str], *, sweep: bool) -> list[str]:
    """The words with `seed=range(0,N)` in the place of `seeds=N`.

    >>> with_seeds(["seeds=5", "alpha=0.1,0.3"], sweep=True)
    ['seed=range(0,5)', 'alpha=0.1,0.3']
    """
    given = [word for word in words if word.startswith("seeds=")]
    if not given:
        return list(words)
    value = given[-1].partition("=")[2]
    if not re.fullmatch(r"[1-9]\d*", value):
        raise refuse("seeds", value, f"a number of seeds, at least 1; did you mean 'seed={value}'?")
    if len(given) > 1 or any(word.startswith("seed=") for word in words):
        raise ConfigError(f"{given[-1]}: the seeds are given already")
    if not sweep and value != "1":
        raise ConfigError(f"{given[0]}: {value} seeds are {value} runs: add -m (tdl sweep)")
    seeds = f"seed=range(0,{value})" if sweep else "seed=0"
    return [seeds if word.startswith("seeds=") else word for word in words]


def with_whole_numbers(words: Sequence[str], schema: type) -> list[str]:
    """The words with whole numbers in digits, also where a key that takes no others has 1e4.

    >>> from tdl.config.schema import RunConfig
    >>> with_whole_numbers(["episodes=1e3,1.5e4", "alpha=1e-1", "seed=1.5e0"], RunConfig)
    ['episodes=1000,15000', 'alpha=1e-1', 'seed=1.5e0']
    """
    known = {name for name, key in keys_of(schema).items() if int in (key.kind, *get_args(key.kind))}
    return [_WHOLE.sub(_digits, word) if word.partition("=")[0].lstrip("+") in known else word for word in words]


def _digits(found: re.Match[str]) -> str:
    number = float(found[0])
    return str(int(number)) if number.is_integer() and number < 2**53 else found[0]
