"""Reading what somebody else may have written: regular files only, lines and JSON of a bounded size and depth.

A pipe would let a program wait for ever, and a device or a huge file take all memory.
"""

import errno
import io
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tdl.errors import ConfigError

MAX_JSON = 1 << 22
"""Bytes of a file of JSON; the largest of ours have some ten thousand."""

MAX_DEPTH = 32
"""Lists and objects within each other; ours have some ten."""


MAX_LINE = 1 << 14
"""Bytes of a line of text; the longest of ours, the names of the figures of a block, has less than a thousand."""


def open_file(path: Path) -> io.BufferedReader:
    """A regular file, opened to be read.

    Raises
    ------
    OSError : it is missing, cannot be read, or is a folder, a pipe or a device.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe without a writer would not open
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return os.fdopen(handle, "rb")


def read_lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of an open file, one at a time; a ConfigError where one is longer than any of ours."""
    while line := file.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise ConfigError(f"cut or corrupt: a line of more than {MAX_LINE:,} bytes")
        yield line


def read_json(path: Path) -> Any:
    """What a file of JSON says.

    Raises
    ------
    OSError : as `open_file`.
    ValueError : it is not JSON, too large, nested too deeply, or has text that no terminal and no file could take.
    """
    with open_file(path) as file:
        content = file.read(MAX_JSON + 1)
    if len(content) > MAX_JSON:
        raise ValueError(f"more than {MAX_JSON >> 20} MiB")
    try:
        value = json.loads(content)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _check(value)
    return value


def _check(value: Any) -> None:
    """Refuse what is nested too deeply, and text with half a character."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        below: list[Any] = []
        for item in level:
            if isinstance(item, str):
                item.encode()
            elif isinstance(item, dict):
                below += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                below += item
        if not below:
            return
        level = below
    raise ValueError("nested too deeply")
