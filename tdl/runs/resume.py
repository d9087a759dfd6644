"""What is in the folder of a run: nothing, a finished run, or one that goes on, and by which configuration."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tdl.config import compose
from tdl.config.setup import Setup, stored_setup
from tdl.errors import BusyError, CheckpointError, ConfigError, naming, of_key, shown
from tdl.players.kinds import check_resumable, read_agent
from tdl.storage.checkpoint import META, Meta
from tdl.storage.result_file import DELETED_WEIGHTS, WEIGHTS, has_deleted_weights
from tdl.storage.run_folder import CHECKPOINT, FAILED, FINISHED, PAUSED, SWEEP, RunFolder, run_in


def resumed_folder(resume: str) -> RunFolder:
    """The folder of the run that `resume` names: its own, its `checkpoint`, or a sweep's that is this run alone."""
    path = Path(resume)
    folder = RunFolder(path.parent if path.name == CHECKPOINT else run_in(path))
    folder.refuse_links()  # before Hydra leaves its notes
    imported = not folder.checkpoint.exists() and (folder.path / META).is_file()
    sweep = (folder.path / SWEEP).is_file()  # the error names a folder of its runs
    with of_key("resume"):
        if imported or "config" not in read_agent(folder.path if sweep else folder.checkpoint):
            raise CheckpointError(
                f"{resume}: a checkpoint without the run that made it, as imported ones are: tdl.load plays it, but "
                f"there is no run to go on with"
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
        return {**meta, "config": stored_setup(meta["config"]).config}


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
    changeable = compose.changeable(setup.config)
    if any(meta["config"][key] != setup.config[key] for key in setup.config if key not in changeable):
        raise ConfigError(f"{folder}: holds a run of another configuration; sweep in another folder (out=FOLDER)")
    return setup, meta


def _resumed(setup: Setup, meta: Meta, named: Sequence[str]) -> Setup:
    """The checkpoint's configuration, with what the command line says of `changeable` keys that it names."""
    stored, now = dict(meta["config"]), setup.config
    changeable = [name for name in compose.changeable(stored) if name != "resume"]
    for key in named:
        top, _, nested = key.partition(".")
        top = top.split("@")[0]
        for name in [top] if top in now else now:  # `experiment=...` may touch all of them
            if name not in (*changeable, "resume") and stored[name] != now[name]:
                raise ConfigError(
                    f"{key}: a resumed run keeps its configuration; its {name} is {stored[name]!r}, given was "
                    f"{now[name]!r}; only {', '.join(changeable)} may change"
                )
            if name in changeable and nested and top == name and isinstance(now[name], dict):
                stored[name] = {**stored[name], nested: now[name][nested]}  # as of `save.every` that one value only
            elif name in changeable:
                stored[name] = now[name]
    return Setup.of(stored)


def check_fits(meta: Meta, network: dict[str, Any], rules: dict[str, Any], folder: Path) -> None:
    """Refuse a checkpoint of another network or of other rules than these, which are described as in `meta`."""
    for name, now in (("network", network), ("rules", rules)):
        if meta[name] != json.loads(json.dumps(now)):  # which makes lists of tuples
            there = f"it has {shown(meta[name])}, this run {shown(now)}"
            raise CheckpointError(f"{folder}: a checkpoint of another {name}: {there}")


def is_finished(folder: RunFolder, setup: Setup, meta: Meta | None) -> bool:
    """Whether the run in a folder came to its end, and this configuration asks for nothing more.

    `meta` is of its checkpoint, which whoever needs the room may have deleted.
    """
    result = folder.result_if_whole()
    if result.get("status") != FINISHED or not {"episodes", "moves", "seconds"} <= result.keys():
        return False
    return bool(
        (meta is None or result["episodes"] == meta["episode"])
        and result["config"].get("evaluate") == setup.config["evaluate"]
        and setup.ends(result["episodes"], result["moves"], result["seconds"])
    )


def refuse_used(folder: RunFolder, config: Mapping[str, Any]) -> None:
    """Refuse to begin a new run where one is already, unless it is the same and was cut off before a checkpoint."""
    result = folder.result_if_whole()
    same = result.get("config") == json.loads(json.dumps(config)) and result.get("status") != FINISHED
    if folder.is_used() and (folder.has_checkpoint() or not same):
        way = f"; go on with {folder.word('resume')}, or" if folder.has_checkpoint() else ", without a checkpoint;"
        raise ConfigError(f"out: {folder} holds a run already{way} name another")


def delete_leftover_weights(folder: RunFolder) -> None:
    """Delete the checkpoints of a run whose result says that it is finished and has none."""
    if has_deleted_weights(folder.path):
        folder.delete_weights()


def delete_paused_weights(folder: RunFolder) -> None:
    """Delete the checkpoints of a run that has come to a pause and does not go on."""
    if not folder.has_weights() or folder.result_if_whole().get("status") in (None, FINISHED, FAILED):
        return
    with contextlib.suppress(BusyError), folder.lock():
        folder.write_result(folder.read_result() | {"status": PAUSED, WEIGHTS: DELETED_WEIGHTS})
        folder.delete_weights()
