"""Files and folders that appear whole or not at all: written beside their place, synced, then renamed."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the name `path` when all went well; otherwise nothing is left.

    Several processes may write the same file at once: each writes its own, and the last one stays.

    Raises
    ------
    OSError : it could not be written; the file before is intact.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")
    try:
        with open_new(temporary) as file:
            yield file
            sync_file(file)
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        error.filename = error.filename or str(path)  # a write does not say where
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """The name of a folder to make and fill, which becomes `path` when all went well; otherwise nothing is left.

    It lies in a folder of its own: what writes checkpoints looks after its neighbours. What a killed process left
    there is deleted, so only one process at a time may make `path`.

    Raises
    ------
    OSError : it could not be filled or renamed.
    """
    around = path.with_name(f".{path.name}.new")
    delete(around)
    around.mkdir()
    try:
        yield around / path.name
        os.rename(around / path.name, path)
        sync_folder(path.parent)
    except OSError as error:
        error.filename = error.filename or str(path)  # a write does not say where
        raise
    finally:
        delete(around)


def delete_unfinished(folder: Path) -> None:
    """Delete what killed processes left half written in a folder in which no other process works."""
    for path in folder.glob(".*.new"):
        delete(path)


def delete(path: Path) -> None:
    """Delete a file, or a folder with all in it, if it is there; of a link the link alone."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def open_new(path: Path) -> BinaryIO:
    """A file to write to that was not there before; what has its name, as a link elsewhere, loses the name first."""
    path.unlink(missing_ok=True)
    return path.open("xb")


def sync_file(file: BinaryIO) -> None:
    """Make what was written to a file outlast a power cut."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make what was renamed in a folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
