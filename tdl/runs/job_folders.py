"""The folders of a sweep's jobs: a title for people, and the hash by which a job is found again whatever the title.

The title is made of the keys that the command sweeps, so another command may have another title for the same job. Who
comes first decides: each looks for the hash under a lock of the sweep's folder, and makes the folder if there is none.
"""

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tdl.errors import BusyError, ConfigError
from tdl.storage.run_folder import RunFolder, lock_folder

PATIENCE = 30.0
"""Seconds to wait for others that look or make a folder, which takes them a millisecond."""


def looked_up(sweep: Path, title: str, identity: str) -> str:
    """The name of the folder of a job, in the folder of its sweep: that which is there, or that which it will have."""
    with contextlib.suppress(OSError):
        return existing(sweep, identity) or _name(title, identity)
    return _name(title, identity)


def reserved(sweep: Path, title: str, identity: str) -> str:
    """The same, and the folder is there from now on.

    Nothing is made where the folder of the sweep is missing or cannot be written: the job will say so.
    """
    name = _name(title, identity)
    if not (sweep / name).is_dir():
        with contextlib.suppress(OSError, BusyError), lock_folder(sweep, PATIENCE):
            name = existing(sweep, identity) or name
            (sweep / name).mkdir(exist_ok=True)
    _refuse_links(sweep / name)
    return name


def _name(title: str, identity: str) -> str:
    return f"{title}_{identity}" if title else identity


def _refuse_links(job: Path) -> None:
    """Refuse the folder of a job, or what is in it, that leads elsewhere, before Hydra leaves its notes there."""
    if job.is_symlink():
        raise ConfigError(f"{job}: a link, not a folder of its own; nothing is written there")
    RunFolder(job).refuse_links()


def existing(sweep: Path, identity: str) -> str | None:
    """The name of the folder that a job has in the folder of its sweep; None before its first start."""
    with os.scandir(sweep) as entries:
        found = [entry.name for entry in entries if _identifies(entry.name, identity) and entry.is_dir()]
    return min(found, default=None)


def _identifies(name: str, identity: str) -> bool:
    return name == identity or name.endswith(f"_{identity}")  # alone, before titles were


def keys_of(config: Mapping[str, Any], prefix: str = "") -> list[str]:
    """All keys of a configuration, nested ones as `evaluate.plies`, in their order."""
    keys = []
    for key, value in config.items():
        keys.append(prefix + key)
        if isinstance(value, Mapping):
            keys += keys_of(value, f"{prefix}{key}.")
    return keys
