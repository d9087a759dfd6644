"""Errors of all programs as one line and an exit code."""

import argparse
import contextlib
import functools
import importlib
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Mapping
from typing import NoReturn, ParamSpec

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import BooleanNode, DictConfig, FloatNode, IntegerNode, ListConfig, StringNode
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException, ValidationError

from tdl.base.distribution import install
from tdl.base.synonyms import OLD_KEYS, SYNONYMS, choice_hint, like
from tdl.config.compose import Schema
from tdl.config.files import CONF, group_names
from tdl.config.schema import RUN
from tdl.errors import ConfigError, TdlError, file_text, nearest, one_line, printable, refuse
from tdl.runs import resolvers as _resolvers  # noqa: F401 - registered by the import
from tdl.sweeps import sweep

Words = ParamSpec("Words")

KINDS: Mapping[type, str] = {
    FloatNode: "a number",
    IntegerNode: "a whole number",
    BooleanNode: "true or false",
    StringNode: "a text",
    ListConfig: "a list",
    DictConfig: "one of its choices, or values for its keys",
}
"""What keys of OmegaConf's types take."""


class CommandParser(argparse.ArgumentParser):
    """Reads the words of a command, without Hydra; what is wrong with them is one line."""

    def error(self, message: str) -> NoReturn:
        """Refuse the words."""
        raise ConfigError(f"{message.removeprefix('argument ')}; {self.prog} --help says what it takes")


def one_line_errors(main: Callable[Words, None]) -> Callable[Words, None]:
    """The main function of a program, without Hydra; an error is one line and the exit code."""

    @functools.wraps(main)
    def program(*words: Words.args, **options: Words.kwargs) -> None:
        os.environ["MPLBACKEND"] = "agg"  # programs draw into files; matplotlib cannot be imported where it names none
        _ignore_settings_here()
        try:
            main(*words, **options)
        except (TdlError, OSError, MemoryError, ImportError, KeyboardInterrupt) as error:
            code, line = explain(error, True)
            if code is None:
                raise
            print(f"tdl: {line}", file=sys.stderr)
            sys.exit(code)

    return program


def _ignore_settings_here() -> None:
    """Import matplotlib where it finds no settings of the current folder, which may be anybody's."""
    if os.path.lexists("matplotlibrc"):
        with contextlib.suppress(Exception), contextlib.chdir(os.sep):  # without memory nothing is drawn
            importlib.import_module("matplotlib")


def explain(error: BaseException, started: bool, schema: Schema = RUN) -> tuple[int | None, str]:
    """Exit code and one line for an error; None for a fault of the program, which keeps its traceback.

    `started` tells whether a job had begun: before that, an error Hydra does not expect comes from the command line.
    `schema` has the names of all keys.
    """
    chain = [error]
    while (cause := chain[-1].__cause__ or chain[-1].__context__) is not None and cause not in chain:
        chain.append(cause)
    ours = next((link for link in chain if isinstance(link, TdlError)), None)
    if ours is not None:
        return ours.exit_code, one_line(str(ours))
    if isinstance(error, KeyboardInterrupt):
        return 130, "interrupted"
    if sweep.is_lost(error):
        return 1, one_line(str(error))
    if isinstance(error, MissingConfigException):
        return 1, _missing_choice(error)
    of_file = next((link for link in chain if isinstance(link, OSError)), None)
    if of_file is not None and isinstance(error, OSError | OmegaConfBaseException):
        return 2, one_line(file_text(of_file))
    if isinstance(error, HydraException | OmegaConfBaseException):
        return 1, _hydra_line(chain, schema)
    if isinstance(error, MemoryError):
        return 2, one_line(str(error) or "out of memory")
    if isinstance(error, ImportError) and not isinstance(error, ModuleNotFoundError):  # a library that finds no memory
        return 2, one_line(str(error))
    if not started:
        return 1, f"Hydra could not compose the configuration: {one_line(str(error))}"
    return None, ""


def _missing_choice(error: MissingConfigException) -> str:
    group, _, choice = str(error.missing_cfg_file).rpartition("/")
    options = [str(option) for option in error.options or []]
    if not group:
        return one_line(str(error))
    return (
        f"{group}={choice}: no such choice; expected one of {', '.join(options)}{choice_hint(group, choice, options)}"
    )


def _hydra_line(chain: list[BaseException], schema: Schema) -> str:
    """What Hydra or OmegaConf refuses, by the type of an error of the chain, or else by Hydra's own words."""
    line = one_line(str(chain[0]))
    named = re.search(r"override '?\+*([\w.]+)", line)
    key = named[1] if named else ""
    odd = re.search(r"token recognition error at: '(\\[nrt]|.)", "".join(map(str, chain)), re.S)
    for link in chain:
        if isinstance(link, OverrideParseException) and "=" not in link.override:
            return f"{link.override}: a word without a value; {_meant(link.override, schema)}"
        if isinstance(link, OverrideParseException):
            reason = line.partition("; See https:")[0]
            return _odd_character(link.override, odd[1]) if odd else f"{link.override}: cannot be read: {reason}"
        if isinstance(link, ConfigAttributeError | ConfigKeyError):
            return _no_such_key(key or str(link.full_key), schema)
        if isinstance(link, ValidationError) and link.full_key:
            if key.startswith(f"{link.full_key}."):
                return _no_such_key(key, schema)
            return str(refuse(link.full_key, link.value, _expected(link)))
    if held := re.search(rf"Sweeping over Hydra's configuration.*'{sweep.HOME}(.*)'", line):
        return f"{held[1]}: it holds for all of the sweep; expected one value"
    if several := re.search(r"Ambiguous value for argument '([^']*)'|Sweep parameters '(.*?)' require", line):
        word = several[1] or several[2]
        name, _, value = word.partition("=")
        return f"{word}: several values are a sweep: add -m (tdl sweep); a list of values is {name}='[{value}]'"
    if missing := re.search(r"hydra_plugins\.hydra_(joblib|submitit)_launcher", line):
        choice, extra = {"joblib": ("joblib", "joblib"), "submitit": ("submitit_slurm", "slurm")}[missing[1]]
        return f"hydra/launcher={choice}: its plugin is not installed: {install(extra)}"
    if key and key not in _known_keys(schema) and not key.startswith("hydra"):  # a group of other programs
        return _no_such_key(key, schema)
    causes = [str(link).splitlines()[0] for link in chain[1:] if isinstance(link, OmegaConfBaseException)]
    return ": ".join([line, *causes[:1]])


def _odd_character(word: str, letter: str) -> str:
    """What is wrong with a word in which Hydra's grammar has no place for a character."""
    letter, name = {"\\n": ("\n", "LINE FEED"), "\\r": ("\r", "CARRIAGE RETURN"), "\\t": ("\t", "TABULATION")}.get(
        letter, (letter, unicodedata.name(letter[0], "CONTROL CHARACTER"))
    )
    key, _, value = (part.strip() for part in word.partition("="))
    near = "" if f"{key}={value}" == word else f"; did you mean {f'{key}={value}'!r}?"
    quoted = "" if near else f"; a value that has it is quoted for Hydra, too: {key}=\"'VALUE'\""
    return printable(f"{word}: the character {letter!r} ({name}, U+{ord(letter):04X}) is not allowed{near or quoted}")


def _expected(error: ValidationError) -> str:
    """What the key takes whose value is of another type."""
    if error.value is None:
        return "a value that is not null"
    if str(error.full_key).endswith("seconds"):
        return "a number of seconds, or a time as 90s, 5min, 1h"
    return KINDS.get(type(error.child_node), str(error.msg).splitlines()[0])


def _no_such_key(key: str, schema: Schema) -> str:
    return f"{key}: no such key{_nearest_key(key, schema)}; --help lists all keys"


def _nearest_key(key: str, schema: Schema) -> str:
    """A hint at the key that was meant: one of this name in another group, or a synonym, before one spelt alike."""
    known, last = _known_keys(schema), key.split(".")[-1]
    if key in OLD_KEYS or key in SYNONYMS:
        return like(key, known)
    elsewhere = [name for name in known if name.split(".")[-1] == last]
    return nearest(key, elsewhere) if elsewhere else like(last, known) or like(key, known)


def _meant(word: str, schema: Schema) -> str:
    """What a word without a value may stand for: a key, or a choice."""
    known = _known_keys(schema)
    if word in known:
        return f"expected {word}=VALUE"
    chosen = [group for group in schema.sections if (CONF / group).is_dir() and word.lower() in group_names(group)]
    if chosen:
        return f"did you mean {f'{chosen[0]}={word.lower()}'!r}?"
    return f"expected key=value or group=choice{like(word, known)}"


def _known_keys(schema: Schema) -> list[str]:
    """Keys and their sections, the word that says where results go, and the one group without keys of its own."""
    return [*schema.sections, *schema.keys, "out", *(["experiment", *sweep.SWEEP_KEYS] if schema is RUN else [])]
