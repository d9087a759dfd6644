"""Jobs that submitit sends to Slurm: they are killed in two steps, and lost jobs are noticed."""

import os
import time

from tdl.sweeps.sweep import Sweep

FOLDER = ".submitit"
"""What submitit leaves in the folder of the sweep (`submitit_folder` in conf/hydra/launcher/submitit_slurm.yaml)."""

PATIENCE = 120.0
"""Seconds that Slurm may take between asking a job to end and killing it (KillWait, GraceTime)."""


def wait_to_be_killed() -> None:
    """Wait for the second step, if this job was sent to Slurm and asked to end.

    Submitit takes whoever returns after the first for finished, and would not wait for the job once it is requeued.
    """
    if os.environ.get("SUBMITIT_EXECUTOR") == "slurm":
        time.sleep(PATIENCE)


def is_lost(error: BaseException) -> bool:
    """Whether this is what other launchers say of a job that ended without a result. They then wait for no other."""
    return type(error).__module__.split(".")[0] in ("submitit", "joblib")


def wait_for_others(known: Sweep) -> None:
    """Wait until no job that was sent to Slurm for this sweep waits or runs."""
    folder = known.folder / FOLDER
    numbers = [path.parent.name for path in folder.glob("*/*_submitted.pkl") if path.stat().st_mtime >= known.began]
    if not numbers:
        return
    from submitit.slurm.slurm import SlurmJob  # an extra

    jobs = [SlurmJob[object](folder=folder / "%j", job_id=number) for number in numbers]
    while not all(job.done(force_check=True) for job in jobs):
        time.sleep(2.0)
