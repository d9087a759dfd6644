"""Resuming a run: its folder, and the configuration that holds from there on."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tdl.agents.description import check_resumable, read_agent
from tdl.config import compose
from tdl.config.setup import Setup
from tdl.config.stored import stored_setup
from tdl.errors import CheckpointError, ConfigError, naming, shown
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


def started_meta(setup: Setup, folder: RunFolder) -> Meta | None:
    """The checkpoint that an earlier job of a sweep left in its folder; None if it was cut off before the first.

    One of another configuration, where the eight digits of the folder's name have met by chance, is refused.
    """
    if not folder.has_checkpoint():
        return None
    meta = read_run(folder)
    stored, now = meta["config"], setup.plain
    if any(_as_json(stored.get(key)) != _as_json(now[key]) for key in now if key not in compose.CHANGEABLE):
        raise ConfigError(f"{folder}: holds a run of another configuration; sweep in another folder (out=FOLDER)")
    return meta


def resumed_setup(composed: Setup, meta: Meta, explicit: Sequence[str]) -> Setup:
    """The run to continue with: the checkpoint's, with what the command line says of `CHANGEABLE` keys.

    Of what is `composed` from this command line only the keys count that it names, `explicit`.
    """
    stored, now = dict(meta["config"]), composed.plain
    for key in explicit:
        top = key.split(".")[0].split("@")[0]
        keys = [top] if top in now else list(now)  # `experiment=...` may touch all of them
        for name in keys:
            if name not in compose.CHANGEABLE and _as_json(stored.get(name)) != _as_json(now[name]):
                raise ConfigError(
                    f"{key}: a resumed run keeps its configuration; its {name} is {stored.get(name)!r}, given was "
                    f"{now[name]!r}; only {', '.join(compose.CHANGEABLE[:-1])} may change"
                )
        _take(stored, now, key)
    return Setup.of(stored)


def _as_json(value: Any) -> Any:
    """What JSON makes of a value: lists of tuples."""
    if isinstance(value, dict):
        return {key: _as_json(item) for key, item in value.items()}
    return [_as_json(item) for item in value] if isinstance(value, list | tuple) else value


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
        if _as_json(stored) != _as_json(here):
            there = f"it has {shown(stored)}, this run {shown(here)}"
            raise CheckpointError(f"{folder}: a checkpoint of another {name}: {there}")
