"""The sweep of this process: where it lies, what it goes over, and how its jobs ended, here or elsewhere."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override
from hydra.errors import HydraException
from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf, open_dict, read_write

from tdl.config.compose import Key, keys, quoted
from tdl.config.files import group_file, group_names, plain_dict
from tdl.storage.titles import NAMELESS, value_text
from tdl.sweeps.job import Outcome
from tdl.sweeps.race import RaceOptions
from tdl.sweeps.trials import TrialOptions

UNTITLED = "${tdl_job_folder:}"
"""The folder of a job in `conf`, before it is known what is swept."""

SUBMITIT = ".submitit"
"""What submitit leaves in the folder of the sweep (`submitit_folder` in conf/hydra/launcher/submitit_slurm.yaml)."""

PATIENCE = 120.0
"""Seconds that Slurm may take between asking a job to end and killing it (KillWait, GraceTime)."""


SWEEP_KEYS: Mapping[str, Key] = {**keys(RaceOptions, "race"), **keys(TrialOptions, "trials")}
"""Keys of `tdl run` that no job knows; `Sweep` has them."""

HOME = "hydra.callbacks.sweep."
"""Where Hydra has these keys."""


class Sweep(Callback):
    """A sweep, made by Hydra, whose own end-of-sweep call is left out when a job fails.

    Parameters
    ----------
    keep_weights : for the jobs: whether those that say `save.final=auto` keep their weights; null: they do.
    pause_at : for the jobs: the share of their training at which they pause.
    race : whether settings race (`tdl.sweeps.race.RaceOptions`).
    trials : whether settings are drawn (`tdl.sweeps.trials.TrialOptions`).

    Attributes
    ----------
    current : the sweep that this process is; None in the process of a job, and without a sweep.
    folder : where its jobs have their folders.
    began : by the clock of the disk: files that are not older are of this sweep.
    outcomes : of the jobs that it knows of, by their folders, in the order of their ends.
    done : the folders of jobs that were not begun.
    answer : what its race says at its end.
    """

    current: ClassVar[Sweep | None] = None

    def __init__(
        self,
        keep_weights: bool | None = None,
        pause_at: float = 1.0,
        race: Mapping[str, Any] | None = None,
        trials: Mapping[str, Any] | None = None,
    ) -> None:
        self.keep_weights, self.pause_at = keep_weights, pause_at
        self.race, self.trials = RaceOptions(**(race or {})), TrialOptions(**(trials or {}))
        self.folder, self.began = Path(), 0.0
        self.outcomes: dict[Path, Outcome] = {}
        self.done: set[Path] = set()
        self.answer = ""

    def take_keys(self, config: DictConfig) -> None:
        """What its keys say in the end: Hydra only warns of errors of `on_multirun_start`."""
        own = plain_dict(config.hydra.callbacks.sweep)
        self.race, self.trials = RaceOptions(**own.get("race", {})), TrialOptions(**own.get("trials", {}))

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Hydra calls this before the first job. Jobs in other processes must not make up a folder of their own."""
        move_keys(config)
        folder = str(config.hydra.sweep.dir)
        self.folder, self.began, Sweep.current = Path(folder), _time_of_disk(Path(folder)), self
        words = [f"hydra.sweep.dir={quoted(folder)}", *titled_folders(config)]
        with read_write(config.hydra.overrides.hydra):  # Hydra 1.4 gives it away to be read only
            config.hydra.overrides.hydra.extend(words)
        if line := forced_step_size(config):
            print(f"tdl: {line}", file=sys.stderr)


TARGET = f"{Sweep.__module__}.{Sweep.__qualname__}"
"""The one `_target_` of `conf` that is no plugin of Hydra's."""


def note(folder: Path, outcome: Outcome) -> None:
    """Keep how the job in this folder ended, if this is the process of the sweep."""
    if Sweep.current is not None:
        Sweep.current.outcomes[folder.resolve()] = outcome


def _time_of_disk(folder: Path) -> float:
    """What a file gets that is written there now: a disk of the network has a clock of its own."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            return os.stat(file.fileno()).st_mtime
    except OSError:  # it cannot be written: the first job will say so
        return time.time()


def move_keys(config: DictConfig) -> None:
    """Put the keys of sweeps that an experiment has in `hydra.sweeper.params` in their place, but for those given."""
    params, words = config.hydra.sweeper.get("params") or {}, _last_words(config)
    own = {word.partition("=")[0] for word in config.hydra.overrides.hydra}
    for key in [key for key in SWEEP_KEYS if key in params]:
        with read_write(config.hydra), open_dict(config.hydra):
            del params[key]
            if HOME + key not in own:
                OmegaConf.update(config, HOME + key, words[key].value())


def _last_words(config: DictConfig) -> dict[str, Override]:
    """The last word for each key, of the experiment and of the command line; nothing where Hydra cannot read one."""
    params = config.hydra.sweeper.get("params") or {}
    lines = [*(f"{key}={value}" for key, value in params.items()), *config.hydra.overrides.task]
    try:
        parsed = OverridesParser.create().parse_overrides(lines)
    except HydraException:  # which Hydra will say
        return {}
    return {word.key_or_group: word for word in parsed}


def sweep_keys(config: DictConfig) -> list[str]:
    """The keys that title a job: those of several values, and those of `NAMELESS` that the command says, sorted.

    So jobs of two commands in one folder, each with a learner of its own, can be told apart.
    """
    words = _last_words(config)
    return sorted(key for key, word in words.items() if word.is_sweep_override() or key in NAMELESS)


def titled_folders(config: DictConfig) -> list[str]:
    """The words for Hydra by which the jobs' folders get their titles; none where the user names these folders."""
    folders = OmegaConf.to_container(config.hydra.sweep, resolve=False)
    if not isinstance(folders, dict) or folders.get("subdir") != UNTITLED:
        return []
    return [f"hydra.sweep.subdir='${{tdl_job_folder:{','.join(sweep_keys(config))}}}'"]


def forced_step_size(config: DictConfig) -> str:
    """What is wrong with one step size for learners with different ones of their own; empty where nothing is."""
    words, names = _last_words(config), group_names("learner")
    learners, key = words.get("learner"), "alpha" if "alpha" in words else "learner.alpha"
    if key not in words or words[key].is_sweep_override() or not isinstance(words[key].value(), int | float):
        return ""
    if learners is None or not learners.is_choice_sweep() or isinstance(learners.value(), Glob):
        return ""
    steps = {name: group_file("learner", name)["alpha"] for name in learners.sweep_string_iterator() if name in names}
    if len(set(steps.values())) < 2:
        return ""
    sizes = ", ".join(f"{name} {value_text('alpha', alpha)}" for name, alpha in steps.items())
    return (
        f"warning: {key}={words[key].value()} is the step size of all learners of this sweep, whose own are {sizes}; "
        f"without {key} each has its own, and with a command for each into one folder (out=FOLDER) each is swept "
        f"around its own"
    )


def wait_to_be_killed() -> None:
    """Wait for the second step, if this job was sent to Slurm and asked to end.

    Submitit takes whoever returns after the first for finished, and would not wait for the job once it is requeued.
    """
    if os.environ.get("SUBMITIT_EXECUTOR") == "slurm":
        time.sleep(PATIENCE)


def is_lost(error: BaseException) -> bool:
    """Whether this is what other launchers say of a job that ended without a result. They then wait for no other."""
    return type(error).__module__.split(".")[0] in ("submitit", "joblib")


def wait_for_others(sweep: Sweep) -> None:
    """Wait until no job that was sent to Slurm for this sweep waits or runs."""
    folder = sweep.folder / SUBMITIT
    numbers = [path.parent.name for path in folder.glob("*/*_submitted.pkl") if path.stat().st_mtime >= sweep.began]
    if not numbers:
        return
    from submitit.slurm.slurm import SlurmJob  # an extra

    jobs = [SlurmJob[object](folder=folder / "%j", job_id=number) for number in numbers]
    while not all(job.done(force_check=True) for job in jobs):
        time.sleep(2.0)
