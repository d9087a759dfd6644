"""The flags of a command line, which may stand anywhere in it; Hydra wants them in one piece."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from hydra._internal.utils import get_args_parser

from tdl.errors import ConfigError, nearest

FLAGS = ("--multirun", "--help", "--version", "--config-dir", "--cfg", "--resolve", "--info")
"""Flags that messages and completion propose."""


@dataclass
class CommandLine:
    """The words of a command line, apart.

    Attributes
    ----------
    flags : the flags with their values, as they were written.
    words : all others, in their order.
    given : what the flags say, as Hydra reads them.
    """

    flags: list[str]
    words: list[str]
    given: Namespace


def apart(line: Sequence[str]) -> CommandLine:
    """Flags and words of a command line.

    Raises
    ------
    ConfigError : an unknown flag, or one without its value.
    """
    parser = get_args_parser()
    parser.error = _refuse  # type: ignore[method-assign]
    given, unknown = parser.parse_known_intermixed_args(line)
    for word in unknown:
        raise ConfigError(_unknown(word))
    words, flags, left = list(given.overrides), [], list(given.overrides)
    for word in line:
        if left and word == left[0]:
            left.pop(0)
        elif word != "--":
            flags.append(word)
    return CommandLine(flags, words, given)


def _refuse(message: str) -> NoReturn:
    raise ConfigError(message.removeprefix("argument "))


def _unknown(word: str) -> str:
    flag, _, value = word.partition("=")
    near = "" if value else nearest(flag, FLAGS)
    if near or not flag.startswith("--"):
        return f"{word}: no such flag; expected one of {', '.join(FLAGS)}{near}"
    return f"{word}: no such flag; keys have no dashes: {flag.lstrip('-').replace('-', '_')}={value or 'VALUE'}"
