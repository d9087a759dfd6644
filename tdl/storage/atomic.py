"""Files and folders that appear whole or not at all: written beside their place, synced, then renamed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the name `path` when all went well; otherwise nothing is left.

    Raises
    ------
    OSError : it could not be written.
    """
    temporary = _beside(path)
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """The name of a folder to make and fill, which becomes `path` when all went well; otherwise nothing is left.

    It lies in a folder of its own: what writes checkpoints looks after its neighbours.

    Raises
    ------
    OSError : it could not be renamed.
    """
    around = _beside(path)
    shutil.rmtree(around, ignore_errors=True)  # of one that was killed
    around.mkdir()
    try:
        yield around / path.name
        os.rename(around / path.name, path)
        sync_folder(path.parent)
    finally:
        shutil.rmtree(around, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Make what was renamed in a folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")
