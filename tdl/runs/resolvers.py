"""Resolvers of the names in `conf`: folders of runs, sweeps and jobs, and threads of jobs.

They are registered when this module is imported: processes that a launcher starts elsewhere do that and nothing more.

The folder of a sweep's job has a title for people, and the hash by which the job is found again. The title is made of
the keys that the command sweeps, so another command may have another title for the same job. Who comes first decides:
each looks for the hash under a lock of the sweep's folder, and makes the folder if there is none.
"""

import contextlib
import os
import warnings
from datetime import datetime
from pathlib import Path
from typing import Any

from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from tdl.base import machine
from tdl.config import compose
from tdl.config.agent import step_size
from tdl.config.hydra_versions import register_resolver
from tdl.cuda.device import CPU, CUDA
from tdl.errors import BusyError, ConfigError, TdlError
from tdl.runs.resume import keys_named, read_run, resumed_folder
from tdl.storage.run_folder import HYDRA, OUTPUTS, RunFolder, lock_folder
from tdl.storage.titles import flat, folder_title

NOW = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")

PATIENCE = 30.0
"""Seconds to wait for others that look for or make the folder of a job, which takes them a millisecond."""


def digest(*, _root_: DictConfig) -> str:
    """The hash of the whole configuration, as `config_hash` in its `result.json`."""
    values = _values(_root_)
    if "alpha" in values:
        values["alpha"] = step_size(values | {"alpha": _root_.alpha})
    return compose.key_hash(values)


def job_folder(*swept: str, _root_: DictConfig) -> str:
    """A job of a sweep: the values of these keys, the hash of its configuration, and that of what it goes on with."""
    config, chosen = _values(_root_), _root_.hydra.runtime.choices
    resumed = "" if _root_.get("resume") is None else f"_{compose.key_hash({'run': str(_root_.resume)})}"
    keys = list(flat(config))
    ordered = sorted(swept, key=lambda key: keys.index(key) if key in keys else -1)
    values = {key: chosen[key] if key in chosen else OmegaConf.select(_root_, key) for key in ordered}
    begins = not OmegaConf.is_missing(_root_.hydra.job, "num")  # else the sweep looks at it before all begin
    folder = reserved if begins else looked_up
    return folder(Path(str(_root_.hydra.sweep.dir)), folder_title(values, keys), compose.key_hash(config) + resumed)


def _values(root: DictConfig) -> dict[str, Any]:
    """The whole configuration as plain dictionaries, interpolations as they are written."""
    values = {key: OmegaConf.to_container(value) if OmegaConf.is_config(value) else value
              for key, value in root.items_ex(resolve=False) if key != "hydra"}  # fmt: skip
    return {str(key): value for key, value in values.items()}


def looked_up(sweep: Path, title: str, identity: str) -> str:
    """The name of the folder of a job, in the folder of its sweep: that which is there, or that which it will have."""
    with contextlib.suppress(OSError):
        return existing(sweep, identity) or _new_name(title, identity)
    return _new_name(title, identity)


def reserved(sweep: Path, title: str, identity: str) -> str:
    """The same, and the folder is there from now on.

    Nothing is made where the folder of the sweep is missing or cannot be written: the job will say so.

    Raises
    ------
    ConfigError : the folder, or what a run writes in it, is a link.
    """
    name = _new_name(title, identity)
    if not (sweep / name).is_dir():
        with contextlib.suppress(OSError, BusyError), lock_folder(sweep, PATIENCE):
            name = existing(sweep, identity) or name
            (sweep / name).mkdir(exist_ok=True)
    if (sweep / name).is_symlink():
        raise ConfigError(f"{sweep / name}: a link, not a folder of its own; nothing is written there")
    RunFolder(sweep / name).refuse_links()  # before Hydra leaves its notes there
    return name


def _new_name(title: str, identity: str) -> str:
    return f"{title}_{identity}" if title else identity


def existing(sweep: Path, identity: str) -> str | None:
    """The name of the folder that a job has in the folder of its sweep; None before its first start."""
    with os.scandir(sweep) as entries:
        names = [entry.name for entry in entries if f"_{entry.name}".endswith(f"_{identity}") and entry.is_dir()]
    return min(names, default=None)


def new_or_resumed(*, _root_: DictConfig) -> str:
    """The folder of a run alone."""
    if _root_.get("resume") is not None:
        return str(resumed_folder(_root_.resume))
    if _root_.get("query") is not None:  # an answer leaves nothing
        return "."
    return f"{OUTPUTS}/{NOW}_{digest(_root_=_root_)}_{os.getpid()}"


def hydra_subfolder(*, _root_: DictConfig) -> str | None:
    """Where Hydra leaves its notes of a start; refused where they would lead out of the folder of a new run."""
    if _root_.get("query") is not None:
        return None
    if _root_.get("resume") is not None:
        return f"{HYDRA}/resumed_{NOW}_{os.getpid()}"
    if _root_.hydra.mode == RunMode.RUN:
        RunFolder(str(_root_.hydra.run.dir)).refuse_links(new=True)
    return HYDRA


def sweep_folder() -> str:
    """The folder of a sweep without `hydra.sweep.dir`."""
    return f"{OUTPUTS}/sweep_{NOW}_{os.getpid()}"


def threads(*, _root_: DictConfig) -> int:
    """Threads of a job: its own, or those of the run it goes on with."""
    return max(1, int(_of_job(_root_, "threads", 1)))


def uses_card(root: DictConfig) -> bool:
    """Whether a job computes on a graphics card."""
    return bool(_of_job(root, "device", CPU) == CUDA)


def _of_job(root: DictConfig, key: str, usual: Any) -> Any:
    """A value of a job: its own, or that of the run it goes on with."""
    if root.get("resume") is not None and key not in keys_named(root.hydra.overrides.task):
        with contextlib.suppress(TdlError):  # which the job itself will say
            return read_run(resumed_folder(root.resume))["config"][key]
    return root.get(key, usual)


def jobs_at_once(*, _root_: DictConfig) -> int:
    """How many jobs have room for their threads on the cores that this process may use, or for one on a card."""
    return 1 if uses_card(_root_) else max(1, machine.cores() // threads(_root_=_root_))


# Files of conf/hydra/launcher complete what plugins bring under the same names: so their values are checked,
# and no key is missing. Hydra tells everybody that it will not always do so; we hold its version.
warnings.filterwarnings("ignore", message="(?s).*is validated against ConfigStore schema with the same name")

for _name, _resolver in (
    ("tdl_job_folder", job_folder),
    ("tdl_run_folder", new_or_resumed),
    ("tdl_hydra_subfolder", hydra_subfolder),
    ("tdl_sweep_folder", sweep_folder),
    ("tdl_threads", threads),
    ("tdl_jobs_at_once", jobs_at_once),
):
    register_resolver(_name, _resolver)
