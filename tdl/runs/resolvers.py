"""Resolvers of the names in `conf`: time, configuration hash and process make folders that never meet.

They are registered when this module is imported: processes that a launcher starts elsewhere do that and nothing more.
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
from tdl.errors import TdlError
from tdl.runs import job_folders
from tdl.runs.resume import keys_named, read_run, resumed_folder
from tdl.storage.run_folder import HYDRA, OUTPUTS, RunFolder
from tdl.storage.titles import folder_title

NOW = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")


def digest(*, _root_: DictConfig) -> str:
    """The hash of the whole configuration, as `config_hash` in its `result.json`."""
    values = _values(_root_)
    if "alpha" in values:
        values["alpha"] = step_size(values | {"alpha": _root_.alpha})
    return compose.key_hash(values)


def job_folder(*swept: str, _root_: DictConfig) -> str:
    """A job of a sweep: the values of these keys, the hash of its configuration, and that of what it goes on with."""
    plain, chosen = _values(_root_), _root_.hydra.runtime.choices
    resumed = "" if _root_.get("resume") is None else f"_{compose.key_hash({'run': str(_root_.resume)})}"
    keys = job_folders.keys_of(plain)
    ordered = sorted(swept, key=lambda key: keys.index(key) if key in keys else -1)
    values = {key: chosen[key] if key in chosen else OmegaConf.select(_root_, key) for key in ordered}
    begins = not OmegaConf.is_missing(_root_.hydra.job, "num")  # else the sweep looks at it before all begin
    name = job_folders.reserved if begins else job_folders.looked_up
    return name(Path(str(_root_.hydra.sweep.dir)), folder_title(values, keys), compose.key_hash(plain) + resumed)


def _values(root: DictConfig) -> dict[str, Any]:
    """The whole configuration as plain dictionaries, interpolations as they are written."""
    values = {key: OmegaConf.to_container(value) if OmegaConf.is_config(value) else value
              for key, value in root.items_ex(resolve=False) if key != "hydra"}  # fmt: skip
    return {str(key): value for key, value in values.items()}


def new_or_resumed(*, _root_: DictConfig) -> str:
    """The folder of a run alone."""
    if _root_.get("resume") is not None:
        return str(resumed_folder(_root_.resume))
    if _root_.get("query") is not None:  # an answer leaves nothing
        return "."
    return f"{OUTPUTS}/{NOW}_{digest(_root_=_root_)}_{os.getpid()}"


def hydra_subfolder(*, _root_: DictConfig) -> str | None:
    """Where Hydra leaves its notes of a start; in a folder of a new run that is there already they must not lead
    elsewhere.
    """
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
    if _root_.get("resume") is not None and "threads" not in keys_named(_root_.hydra.overrides.task):
        with contextlib.suppress(TdlError):  # which the job itself will say
            return int(read_run(resumed_folder(_root_.resume))["config"]["threads"])
    return max(1, int(_root_.get("threads", 1)))


def jobs_at_once(*, _root_: DictConfig) -> int:
    """How many jobs have room for their threads on the cores that this process may use."""
    return max(1, machine.cores() // threads(_root_=_root_))


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
