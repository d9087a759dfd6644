"""The errors a user can cause: each is one line, and each carries the exit code of the program it ends."""

import contextlib
import difflib
import re
import sys
from collections.abc import Iterable, Iterator

MAX_SHOWN = 200
"""Characters of a value in a message: those of a file may be long."""


class TdlError(Exception):
    """Base of all errors that are reported as one line, without a traceback."""

    exit_code = 2


class ConfigError(TdlError, ValueError):
    """A value of the configuration (or of an API call) is not allowed."""


class BusyError(ConfigError):
    """Another process works in the folder of this run."""


class CheckpointError(TdlError):
    """A checkpoint is missing, cut, corrupt, of another network, or could not be written."""


class WeightFileError(TdlError):
    """A file of another program's weights is missing, cut, foreign, has no room here, or could not be written."""


class SkippedWarning(UserWarning):
    """A folder that cannot be read was left out of a table."""


class DivergenceError(TdlError):
    """A value left all bounds or is not finite: the step size is too large."""

    exit_code = 1


def has_diverged(error: object) -> bool:
    """Whether a text that a result notes is that of a `DivergenceError`, and not, say, of a folder of such a name.

    >>> has_diverged("learning diverged: a value left all bounds"), has_diverged("outputs/diverged: no room")
    (True, False)
    """
    return any(words in str(error) for words in ("learning diverged", "learning has diverged"))


class DeviceError(TdlError):
    """A graphics card does no more work: it was lost, or another program ended it."""


class Interrupted(TdlError):  # noqa: N818 - it is no error: the run did as it was asked
    """The run was asked to stop; its checkpoint is written."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def refuse(key: str, value: object, allowed: str) -> ConfigError:
    """The one shape of a complaint about a value: key, value, what is allowed."""
    return ConfigError(f"{key}: {shown(value)} is not allowed; expected {allowed}")


def shown(value: object) -> str:
    """A value as messages show it: on one line, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no number of so many digits
        text = f"a number of more than {sys.get_int_max_str_digits():,} digits"
    except RecursionError:
        text = "a list in too many others"
    except Exception:  # somebody else's
        text = f"a {type(value).__name__}"
    text = " ".join(text.split()) if "\n" in text else text  # arrays
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…"


def printable(text: str) -> str:
    """A text of one line that no terminal takes for a command: what cannot be printed is written as an escape."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


@contextlib.contextmanager
def naming(file: object, error: type[TdlError] = CheckpointError) -> Iterator[None]:
    """While this context is open a value that is refused is one of a file, which the error names."""
    try:
        yield
    except ConfigError as refused:
        raise error(f"{file}: {refused}") from refused


@contextlib.contextmanager
def of_key(key: str) -> Iterator[None]:
    """While this context is open a checkpoint that is refused is the one that a key names."""
    try:
        yield
    except CheckpointError as refused:
        raise CheckpointError(f"{key}: {refused}") from refused


@contextlib.contextmanager
def within(section: str, keys: Iterable[str]) -> Iterator[None]:
    """While this context is open keys that are refused, or named in the refusal, are keys of a section."""
    try:
        yield
    except ConfigError as refused:
        names = "|".join(keys)
        own = rf"^({names})(?=[:,])|(?<![\w.'\"])({names})(?==| is )"
        raise ConfigError(re.sub(own, rf"{section}.\g<0>", str(refused))) from refused


def one_line(text: str) -> str:
    """A text of several lines as a line that can be printed."""
    return printable("; ".join(part.strip() for part in text.splitlines() if part.strip()))


def file_text(error: OSError) -> str:
    """What the system says of a file."""
    return f"{error.filename or 'file'}: {error.strerror or error}"


def nearest(name: str, names: Iterable[str]) -> str:
    """A hint such as ``; did you mean 'alpha'?``, or nothing where no name is near."""
    near = difflib.get_close_matches(name, list(names), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
