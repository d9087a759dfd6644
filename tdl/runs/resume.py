"""Resuming a run: its folder, and the configuration that holds from there on."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tdl.config import compose
from tdl.config.setup import Setup
from tdl.config.stored import stored_setup
from tdl.errors import CheckpointError, ConfigError, naming, shown
from tdl.players.kinds import check_resumable, read_agent
from tdl.storage.checkpoint import META, Meta
from tdl.storage.run_folder import CHECKPOINT, RunFolder


def resumed_folder(resume: str) -> RunFolder:
    """The folder of the run that `resume` names: the folder itself, or its `checkpoint`."""
    path = Path(resume)
    folder = RunFolder(path.parent if path.name == CHECKPOINT else path)
    folder.refuse_links()  # before Hydra leaves its notes
    imported = not folder.checkpoint.exists() and (folder.path / META).is_file()
    if imported or "config" not in read_agent(folder.checkpoint):
        raise CheckpointError(
            f"{resume}: a checkpoint without the run that made it, as imported ones are: tdl.load plays it, but there "
            f"is no run to go on with"
        )
    return folder


def read_run(folder: RunFolder) -> Meta:
    """The description of a run's newest checkpoint, all that the run goes on with checked, and its `config` whole.

    Raises
    ------
    CheckpointError : as `read_agent`, or a value of the configuration is not allowed.
    """
    meta = read_agent(folder.checkpoint)
    check_resumable(folder.checkpoint, meta)
    with naming(folder.checkpoint / META):
        return {**meta, "config": stored_setup(meta["config"]).plain}


def keys_named(overrides: Sequence[object]) -> list[str]:
    """The keys that the words of a command line name, groups by their name (`tuples=8x6` is `tuples`)."""
    return [str(override).split("=", 1)[0].lstrip("+~") for override in overrides]


def continued(setup: Setup, folder: RunFolder, named: Sequence[str]) -> tuple[Setup, Meta | None]:
    """The run as it goes on in its folder, and its checkpoint; None: it begins.

    Parameters
    ----------
    named : the keys that the command names; with `resume` no others count.

    Raises
    ------
    CheckpointError : damaged.
    ConfigError : a checkpoint of another configuration, or a key that a resumed run keeps.
    """
    if setup.resume is not None:
        meta = read_run(folder)
        return _resumed(setup, meta, named), meta
    if not folder.has_checkpoint():
        return setup, None
    meta = read_run(folder)
    if any(meta["config"][key] != setup.plain[key] for key in setup.plain if key not in compose.CHANGEABLE):
        raise ConfigError(f"{folder}: holds a run of another configuration; sweep in another folder (out=FOLDER)")
    return setup, meta


def _resumed(setup: Setup, meta: Meta, named: Sequence[str]) -> Setup:
    """The checkpoint's configuration, with what the command line says of `CHANGEABLE` keys that it names."""
    stored, now = dict(meta["config"]), setup.plain
    for key in named:
        top = key.split(".")[0].split("@")[0]
        keys = [top] if top in now else list(now)  # `experiment=...` may touch all of them
        for name in keys:
            if name not in compose.CHANGEABLE and stored[name] != now[name]:
                raise ConfigError(
                    f"{key}: a resumed run keeps its configuration; its {name} is {stored[name]!r}, given was "
                    f"{now[name]!r}; only {', '.join(compose.CHANGEABLE[:-1])} may change"
                )
        _take(stored, now, key)
    return Setup.of(stored)


def _take(stored: dict[str, Any], now: Mapping[str, Any], key: str) -> None:
    """Let the command line's value of a changeable key hold; of `save.every` that one value only."""
    parts = key.split(".")
    if parts[0] not in now:  # an experiment
        stored.update({name: now[name] for name in compose.CHANGEABLE if name != "resume"})
        return
    if parts[0] not in compose.CHANGEABLE or parts[0] == "resume":
        return
    if len(parts) == 2 and isinstance(stored[parts[0]], dict):
        stored[parts[0]] = {**stored[parts[0]], parts[1]: now[parts[0]][parts[1]]}
    else:
        stored[parts[0]] = now[parts[0]]


def check_fits(meta: Meta, network: dict[str, Any], rules: dict[str, Any], folder: Path) -> None:
    """Refuse a checkpoint whose description of the network or of the rules is another one than that given."""
    for name, stored, here in (("network", meta["network"], network), ("rules", meta["rules"], rules)):
        if stored != json.loads(json.dumps(here)):  # which makes lists of tuples
            there = f"it has {shown(stored)}, this run {shown(here)}"
            raise CheckpointError(f"{folder}: a checkpoint of another {name}: {there}")
