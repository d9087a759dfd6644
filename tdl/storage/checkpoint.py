"""Checkpoints: a folder of arrays and one `meta.json`. Nothing that is loaded can execute code.

An array is a `.npy` file, which is mapped into memory; one of half precision, which is there to be small, is packed
(`tdl.storage.planes`) and read into memory of its own.

The order of writing keeps the last good checkpoint whatever happens: arrays go under new names (which depend on the
episode alone) and are synced, then `meta.json` is replaced by rename, then the arrays of the checkpoint before are
deleted, or moved to `../kept/EPISODE` where more than one is to stay. Every array carries a SHA-256 in `meta.json`,
and `meta.json` one of itself. Arrays are written with `write()`: a memory-mapped write may double the memory.
"""

import contextlib
import hashlib
import io
import json
import math
import os
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tdl.base.checks import (
    Check,
    check_file_name,
    check_list,
    check_mapping,
    check_object,
    check_text,
    check_true_or_false,
    check_whole,
)
from tdl.base.machine import allocate
from tdl.base.synonyms import with_new_names
from tdl.errors import CheckpointError, ConfigError, file_text, naming, refuse, shown
from tdl.storage.atomic import delete, delete_unfinished, new_file, new_folder, open_new, sync_file
from tdl.storage.planes import deflated, inflate
from tdl.storage.reading import read_array_head, read_json, reading
from tdl.storage.result_file import has_deleted_weights, lack

FORMAT = "tdl-checkpoint-1"
META = "meta.json"

PLAIN, PACKED = ".npy", ".planes"
"""How names of arrays end, which says how they are read; what is no array is never deleted in the place of one."""

KEPT = "kept"
"""Folder beside a checkpoint, for the older ones that stay."""

DELETED = ": the run left no weights (save.final), so it can neither go on nor play; save.final=true keeps them"

Array = NDArray[Any]

Meta = dict[str, Any]

ArrayEntry = dict[str, Any]
"""What is said of an array: its file, type, shape, the bytes of the file and of its head, and the file's SHA-256."""


def write_checkpoint(folder: Path, meta: Mapping[str, Any], arrays: Mapping[str, Array], *, keep: int = 1) -> None:
    """Replace the checkpoint in `folder`; `meta["episode"]` names the arrays.

    Parameters
    ----------
    keep : checkpoints that stay, this one included; older ones stand in `folder/../kept`. One with `stays` false in
        its `meta` is replaced all the same. 0: this one alone, and nothing beside `folder` is touched.

    Raises
    ------
    CheckpointError : it could not be written (a full disk, a size limit); the checkpoint before is intact.
    """
    if folder.is_symlink():
        raise CheckpointError(f"{folder}: a link, not a folder of its own; nothing is written there")
    episode = meta["episode"]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        entries, good = {}, _files(_current(folder))
        for name, array in arrays.items():
            end = PACKED if array.dtype == np.float16 else PLAIN
            file_name = f"{name}-{episode:010d}{end}"
            if file_name in good:
                file_name = f"{name}-{episode:010d}-again{end}"  # the same once more: never write over what is good
            entries[name] = _write_array(folder / file_name, array)
        full = {"format": FORMAT, **meta, "arrays": entries}
        full["digest"] = _digest(full)
        with new_file(folder / META) as file:
            file.write(json.dumps(full, indent=1).encode())
            sync_file(file)  # only now is the checkpoint before moved
            if keep:
                _keep_old(folder, keep)
        _delete_orphans(folder, full)
    except OSError as error:
        error.filename = error.filename or str(folder)  # a write does not say where
        line = f"the checkpoint of episode {episode} could not be written: {file_text(error)}"
        raise CheckpointError(f"{line}; {_clear_up(folder)}") from error


def _clear_up(folder: Path) -> str:
    """Delete what was begun beside the checkpoint before, and say what became of that."""
    try:
        before = _current(folder)
    except OSError as error:
        return f"that before cannot be read either: {error.strerror}"
    if before or not (folder / META).exists():  # else nobody knows which arrays hold
        _delete_orphans(folder, before)
    return f"the one of episode {before['episode']} is intact" if before else "there is none before it"


def _write_array(path: Path, array: Array) -> ArrayEntry:
    array = np.ascontiguousarray(array).reshape(array.shape)
    if path.suffix == PACKED:
        head, numbers = b"", memoryview(deflated(array))
    else:
        head, numbers = _array_head(array), _bytes_of(array)
    digest = hashlib.sha256(head)
    digest.update(numbers)
    with open_new(path) as file:
        file.write(head)
        file.write(numbers)
        sync_file(file)
    return {
        "file": path.name,
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "bytes": len(head) + len(numbers),
        "data_offset": len(head),
        "sha256": digest.hexdigest(),
    }


def _array_head(array: Array) -> bytes:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    return header.getvalue()


def read_meta(folder: Path) -> Meta:
    """The description of the checkpoint in `folder`, verified.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, of a format this version does not read, or with an entry that is not as
        it has to be; what else it describes is checked by whoever reads that.
    """
    path = folder / META
    if folder.is_file():
        raise CheckpointError(f"{folder}: a file, no checkpoint; tdl convert makes one of a weight file")
    if not path.exists():
        deleted = has_deleted_weights(folder) or has_deleted_weights(folder.parent)  # the run's folder, or one in it
        below = sorted(folder.glob(f"*/*/{META}"))  # of the runs of a sweep
        hint = DELETED if deleted else f"; name one of {len(below)} below, as {below[0].parents[1]}" if below else ""
        raise CheckpointError(f"{folder}: no checkpoint here ({lack(folder, META)}){hint}")
    with naming(path):
        try:
            meta = read_json(path)
        except OSError as error:
            raise CheckpointError(f"{path}: cannot be read: {error.strerror or error}") from error
        if not isinstance(meta, dict) or meta.get("format") != FORMAT:
            raise ConfigError(f"not a checkpoint of this program (expected format {FORMAT!r})")
        if meta.get("digest") != _digest(meta):
            raise ConfigError("corrupt (its digest does not match)")
        meta = with_new_names(meta)
        check_object("", meta, _ENTRIES, optional=("stays",))
    return meta


def _check_array_file(key: str, name: object) -> None:
    check_file_name(key, name)
    if not str(name).endswith((PLAIN, PACKED)):
        raise refuse(key, name, "the name of a .npy or .planes file in this folder")


_SIZE = partial(check_whole, least=0)

_ARRAY: dict[str, Check] = {
    "file": _check_array_file,
    "dtype": check_text,
    "shape": partial(check_list, check=_SIZE),
    "bytes": _SIZE,
    "sha256": check_text,
}

_ENTRIES: dict[str, Check] = {
    "episode": partial(check_whole, least=0, below=10**12 + 1),  # a hundred years of games
    "arrays": partial(check_mapping, check=partial(check_object, entries=_ARRAY)),
    "stays": check_true_or_false,
}


def read_array(folder: Path, meta: Meta, name: str, *, into: Array | None = None) -> Array:
    """One array of a checkpoint, verified: read-only, memory-mapped where it is not packed; or copied into `into`.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, of another shape than its entry or `into`, or packed and too large for
        the memory that is free.
    """
    if into is not None:
        check_room(folder, meta, name, into.shape, into.dtype)
    entry = _entry(folder, meta, name)
    with reading(folder / entry["file"]) as file:
        if (size := os.fstat(file.fileno()).st_size) != entry["bytes"]:
            raise ConfigError(f"cut: {size:,} bytes, expected {entry['bytes']:,}")
        if entry["file"].endswith(PACKED):
            return _read_packed(file, entry, into)
        dtype, shape = read_array_head(file)
        _check_shape(entry, shape, dtype, "its head says")
        offset = file.tell()
        file.seek(0)
        if into is None:
            digest = hashlib.file_digest(file, "sha256")
        else:
            digest = hashlib.sha256(file.read(offset))
            file.readinto(_bytes_of(into))
            digest.update(_bytes_of(into))
        if digest.hexdigest() != entry["sha256"]:
            raise ConfigError("corrupt (its SHA-256 does not match)")
        return np.memmap(file, dtype, "r", offset, shape) if into is None else into


def _read_packed(file: io.BufferedReader, entry: ArrayEntry, into: Array | None) -> Array:
    """An array of half precision, in memory of its own or `into`."""
    shape = tuple(entry["shape"])
    _check_shape(entry, shape, np.dtype("<f2"), "a packed array is")
    if hashlib.file_digest(file, "sha256").hexdigest() != entry["sha256"]:
        raise ConfigError("corrupt (its SHA-256 does not match)")
    file.seek(0)
    count = math.prod(shape)
    numbers = allocate("memory", count, f"its {count:,} numbers", np.float16) if into is None else into
    inflate(file, numbers)
    numbers.flags.writeable = into is not None
    return numbers.reshape(shape)


def check_room(folder: Path, meta: Meta, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> None:
    """Refuse an array of another shape or type, before any memory is asked for."""
    entry = _entry(folder, meta, name)
    with naming(folder / entry["file"]):
        _check_shape(entry, shape, np.dtype(dtype), "this network")


def _entry(folder: Path, meta: Meta, name: str) -> ArrayEntry:
    if name not in meta["arrays"]:
        raise CheckpointError(f"{folder / META}: arrays.{name}: missing")
    entry: ArrayEntry = meta["arrays"][name]
    return entry


def _check_shape(entry: ArrayEntry, shape: tuple[int, ...], dtype: np.dtype[Any], whose: str) -> None:
    """Refuse an entry that says another shape or type than `whose`, for the message."""
    if (entry["shape"], entry["dtype"]) != (list(shape), dtype.str):
        there = f"{shown(tuple(entry['shape']))} {shown(entry['dtype'])}"
        raise ConfigError(f"holds {there}, {whose} {shape} {dtype.str!r}")


def _bytes_of(array: Array) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _digest(meta: Mapping[str, Any]) -> str:
    content = {key: value for key, value in meta.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _current(folder: Path) -> Meta:
    """The description of what is there; nothing where it is missing or damaged.

    An OSError is raised where it cannot be read at present, as with too many open files: what is there may be whole.
    """
    try:
        return read_meta(folder)
    except CheckpointError as error:
        if isinstance(error.__cause__, OSError):
            raise error.__cause__ from error
        return {}


def _files(meta: Meta) -> set[str]:
    return {entry["file"] for entry in meta.get("arrays", {}).values()}


def _keep_old(folder: Path, keep: int) -> None:
    """Copy what `folder` holds to `kept`, as hard links: until the rename of `meta.json` both are whole."""
    old, kept = _current(folder), folder.parent / KEPT
    delete_unfinished(kept)
    if keep > 1 and old and old.get("stays", True):
        kept.mkdir(exist_ok=True)
        target = kept / f"{old['episode']:010d}"
        discard(target)  # of the same episode, which a kill left
        with new_folder(target) as building:
            building.mkdir()
            for name in [*_files(old), META]:
                try:
                    os.link(folder / name, building / name)
                except OSError:  # a file system without hard links
                    shutil.copy2(folder / name, building / name)
    older = sorted(kept.glob("[0-9]*"))
    for path in older[: max(0, len(older) - (keep - 1))]:
        discard(path)


def discard(path: Path) -> None:
    """Delete a folder, if it is there, so that nobody sees it half deleted."""
    if path.exists() or path.is_symlink():
        hidden = path.with_name(f".{path.name}.old.new")
        path.rename(hidden)
        delete(hidden)


def delete_leftovers(folder: Path, meta: Meta) -> None:
    """Delete what is left beside a checkpoint by a process that ended before it deleted the one before."""
    _delete_orphans(folder, meta)
    delete_unfinished(folder.parent / KEPT)


def _delete_orphans(folder: Path, meta: Meta) -> None:
    for path in [path for end in (PLAIN, PACKED, ".new") for path in folder.glob(f"*{end}")]:
        if path.name not in _files(meta):
            with contextlib.suppress(OSError):
                path.unlink()
