"""A checkpoint that somebody saves from Python, in a folder of its own: it replaces its like and nothing else."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from tdl.errors import CheckpointError, ConfigError, file_text, refuse
from tdl.storage.atomic import new_folder
from tdl.storage.checkpoint import META, Array, Meta, read_meta, write_checkpoint
from tdl.storage.run_folder import lock_folder

SAVED = "saved"
"""Key of the description of such a checkpoint: what was saved, "player" or "trainer"."""

PATIENCE = 60.0
"""Seconds to wait for another process that saves into the same folder."""

_FILE = re.compile(rf"{META}|\.{META}\.\w+\.new|\w+-\d{{10,}}(-again)?\.\w+")
"""Names of its files, and of those that a killed process leaves."""


def save(folder: str | os.PathLike[str], meta: Meta, arrays: Mapping[str, Array]) -> None:
    """Write a checkpoint into a folder that is new or empty, or has such a checkpoint.

    Raises
    ------
    ConfigError : the folder holds something else.
    BusyError : another process saves into it, for more than a minute.
    CheckpointError : it could not be written (a full disk); what was saved there before is intact.
    """
    path = path_of(folder)
    try:
        if path.exists() or path.is_symlink():
            _check_own(path, meta[SAVED])
            with lock_folder(path, PATIENCE):
                write_checkpoint(path, meta, arrays, keep=0)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            with new_folder(path) as building:
                write_checkpoint(building, meta, arrays, keep=0)
    except OSError as error:
        raise CheckpointError(f"{path}: could not be saved: {file_text(error)}") from error


def path_of(folder: object) -> Path:
    """The path of a folder; what is no name of one is refused."""
    if not isinstance(folder, str | os.PathLike) or str(folder).startswith("tdl:"):  # a network in the package
        raise refuse("folder", folder, "the name of a folder")
    return Path(folder)


def _check_own(path: Path, what: str) -> None:
    """Refuse a folder that holds anything but the like of `what`, saved from Python."""
    if path.is_symlink() or not path.is_dir():
        raise ConfigError(f"{path}: {'a link' if path.is_symlink() else 'a file'}, no folder; name another")
    names = {file.name for file in path.iterdir()}
    other = sorted(name for name in names if not _FILE.fullmatch(name))
    if not other and META in names and read_meta(path).get(SAVED) != what:
        other = ["another checkpoint"]
    if other:
        raise ConfigError(f"{path}: holds {other[0]}, no {what} that was saved before; name another folder")
