"""Reading what somebody else may have written: regular files only; lines, JSON and YAML of a bounded size and depth;
the heads of arrays.

A pipe would let a program wait for ever, and a device or a huge file take all memory.
"""

import errno
import io
import json
import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import yaml  # type: ignore[import-untyped]

from tdl.errors import CheckpointError, ConfigError, TdlError, naming, one_line

MAX_JSON = 1 << 22
"""Bytes of a file of JSON; the largest of ours have some ten thousand."""

MAX_YAML = 1 << 18
"""Bytes of a file of YAML, which is read slowly; the largest of Hydra's notes has some ten thousand."""

MAX_DEPTH = 32
"""Lists and objects within each other; ours have some ten."""

MAX_LINE = 1 << 14
"""Bytes of a line of text; the longest of ours, the names of the figures of a block, has less than a thousand."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it was built


def open_file(path: Path, *, streams: bool = False) -> io.BufferedReader:
    """A regular file, opened to be read; where a command names it, one of its own `streams` may be a pipe.

    Raises
    ------
    OSError : it is missing, cannot be read, or is a folder, a pipe or a device.
    """
    is_open = streams and (path.parent == Path("/dev/fd") or path == Path("/dev/stdin"))
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK * (not is_open) | os.O_CLOEXEC)  # a pipe would wait
    mode = os.fstat(handle).st_mode
    if not (stat.S_ISREG(mode) or (is_open and stat.S_ISFIFO(mode))):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(handle, "rb")


@contextmanager
def reading(
    path: Path, error: type[TdlError] = CheckpointError, *, streams: bool = False
) -> Iterator[io.BufferedReader]:
    """The same while this context is open; whatever is wrong, also in the file, is one error that names it."""
    try:
        with open_file(path, streams=streams) as file, naming(path, error):
            yield file
    except OSError as failed:
        raise error(f"{path}: cannot be read: {failed.strerror or failed}") from failed


def read_text(path: Path, most: int) -> str:
    """What a file of text says that a command names, also standard input, or another stream, by its name in /dev.

    Raises
    ------
    ConfigError : it cannot be read, is no regular file, larger than `most` bytes or no text; it names the file.
    """
    with reading(path, ConfigError, streams=True) as file:
        try:
            return _content(file, most).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ConfigError("not a text file") from None


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of an open file, one at a time; a ConfigError where one is longer than any of ours."""
    while line := file.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise ConfigError(f"cut or corrupt: a line of more than {MAX_LINE:,} bytes")
        yield line


def read_array_head(file: BinaryIO) -> tuple[np.dtype[Any], tuple[int, ...]]:
    """The type and shape of the array in an open `.npy` file, which then stands at its numbers; all of them are there.

    Raises
    ------
    ConfigError : it is no `.npy` file of numbers, row by row, or ends before they do.
    """
    try:
        np.lib.format.read_magic(file)
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
    except OSError:
        raise
    except Exception as error:  # of any kind: NumPy hands the head to Python's own parser, which evaluates nothing
        raise ConfigError("cut or corrupt: not the head of an array") from error
    if by_columns or dtype.hasobject or min(shape, default=0) < 0:
        raise ConfigError("cut or corrupt: not an array of this program")
    if file.tell() + math.prod(shape) * dtype.itemsize > os.fstat(file.fileno()).st_size:
        raise ConfigError("cut: its head says more numbers than the file has")
    return dtype, shape


def read_json(path: Path) -> Any:
    """What a file of JSON says.

    Raises
    ------
    OSError : as `open_file`.
    ConfigError : it is not JSON, too large, nested too deeply, or has text that no terminal and no file could take.
    """
    with open_file(path) as file:
        content = _content(file, MAX_JSON)
    try:
        value = json.loads(content)
    except RecursionError:
        raise ConfigError("cut or corrupt: nested too deeply") from None
    except ValueError:
        raise ConfigError("cut or corrupt: not JSON") from None
    _check_plain(value)
    return value


def read_notes(path: Path) -> dict[str, Any]:
    """What a file of Hydra's notes says, in YAML: names with numbers, texts, lists and further names.

    Raises
    ------
    OSError : as `open_file`.
    ConfigError : not such YAML, too large, nested too deeply, or with references: a few lines of these can stand for
        more than any memory holds.
    """
    with open_file(path) as file:
        content = _content(file, MAX_YAML)
    try:
        _check_events(content)
        value = yaml.load(content, LOADER)
    except (ValueError, yaml.YAMLError, OverflowError) as error:
        raise ConfigError("cut or corrupt: not plain YAML") from error
    _check_plain(value)
    if not isinstance(value, dict):
        raise ConfigError("cut or corrupt: not names with plain values")
    return value


def read_yaml_text(path: Path) -> str:
    """The text of a file of YAML, for a parser that takes more than plain values; a byte order mark is left out.

    Raises
    ------
    ConfigError : it cannot be read, is not YAML, too large, nested too deeply, or has references or tags.
    """
    text = read_text(path, MAX_YAML)
    with naming(path, ConfigError):
        try:
            _check_events(text)
        except yaml.YAMLError as error:
            raise ConfigError(f"not YAML: {one_line(str(error))}") from error
    return text


def _content(file: BinaryIO, most: int) -> bytes:
    size = os.fstat(file.fileno()).st_size or most  # of a pipe nobody knows it
    content = file.read(min(most, size) + 1)
    if len(content) > most:
        raise ConfigError(f"more than {most:,} bytes")
    return content


def _check_events(content: bytes | str) -> None:
    """Refuse references and deep nesting before anything is made of them."""
    depth = 0
    for event in yaml.parse(content, LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) or depth > MAX_DEPTH:
            raise ConfigError("a reference or a tag, or nested too deeply")


def _check_plain(value: object) -> None:
    """Refuse what is nested too deeply, and all but numbers, whole texts, lists and names with such values."""
    level = [value]
    for _ in range(MAX_DEPTH):
        below: list[object] = []
        for item in level:
            if type(item) is dict:
                if not all(type(name) is str for name in item):
                    raise ConfigError("cut or corrupt: not names with plain values")
                below += [*item, *item.values()]
            elif type(item) is list:
                below += item
            elif type(item) is str:
                if not item.isascii() and any("\ud800" <= letter <= "\udfff" for letter in item):  # half a character
                    raise ConfigError("cut or corrupt: not text")
            elif type(item) not in (int, float, bool, type(None)):
                raise ConfigError("cut or corrupt: not names with plain values")
        if not below:
            return
        level = below
    raise ConfigError("cut or corrupt: nested too deeply")
