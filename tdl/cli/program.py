"""What every program shares: the way into Hydra, where outputs go, and errors of one line with their exit codes.

Exit codes: 0 done, 1 Hydra's own complaints and divergence, 2 our complaints, 130 and 143 after Ctrl-C and SIGTERM.
"""

import contextlib
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from tdl.cli import flags, help
from tdl.cli.messages import explain
from tdl.cli.words import as_hydra_reads
from tdl.config import compose, hydra_versions, own
from tdl.config.schema import RunConfig
from tdl.errors import BusyError, Interrupted, TdlError
from tdl.runs import resolvers as _resolvers  # noqa: F401 - registered by the import
from tdl.runs.environment import version_text
from tdl.runs.resume import keys_named
from tdl.storage.run_folder import HYDRA, NOTES
from tdl.sweeps import launcher, slurm, sweep, sweeper
from tdl.sweeps import table as sweep_table
from tdl.sweeps.plan import Planner, no_plan
from tdl.sweeps.sweep import BUSY_SECONDS, Outcome

Work = Callable[[DictConfig, Path], float | None]
"""What a program does: from its configuration and the folder of its output to what tells how good the result is."""


class Job:
    """One program's job as Hydra calls it: errors are kept from Hydra, which would print lines of its own."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.started = False
        self.error: BaseException | None = None

    def __call__(self, cfg: DictConfig) -> Outcome:
        self.started = True
        own.load_games()  # in a process that a launcher started
        folder = Path(HydraConfig.get().runtime.output_dir)
        try:
            value = self._work(cfg, folder)
        except (Exception, KeyboardInterrupt) as error:
            if not sweep.in_sweep():
                self.error = error
                _remove_unused(folder)
                return Outcome(1, str(error))
            if isinstance(error, BusyError):
                return Outcome(busy=True)
            outcome = _failed(error, cfg, folder)
        else:
            outcome = Outcome(value=value)
        if sweep.in_sweep():
            sweep.note(folder, outcome)
        return outcome

    def _work(self, cfg: DictConfig, folder: Path) -> float | None:
        """Do the work; a sweep waits while another process is at it."""
        while True:
            try:
                return self.work(cfg, folder)
            except BusyError:
                if not sweep.in_sweep() or sweep.may_defer():
                    raise
            time.sleep(BUSY_SECONDS)


def _failed(error: BaseException, cfg: DictConfig, folder: Path) -> Outcome:
    """A job of a sweep fails alone, unless somebody stopped the sweep."""
    code, line = explain(error, True)
    if code is None:
        traceback.print_exception(error)
    line = line or repr(error)
    if isinstance(error, KeyboardInterrupt | Interrupted):
        if sweep.current() is not None:  # it is the process of the sweep itself
            raise KeyboardInterrupt from error
        slurm.wait_to_be_killed()
    else:
        sweep.mark_failed(folder, cfg, line)
    with contextlib.suppress(OSError):  # a full disk, where this is written to a file of the job
        print(f"tdl: {' '.join(HydraConfig.get().overrides.task)}: {line}", file=sys.stderr)
    return Outcome(1 if code is None else code, line)


def run_program(
    config_name: str,
    work: Work,
    schema: type = RunConfig,
    *,
    plan: Planner = no_plan,
    figures: bool = True,
) -> None:
    """Compose `conf/<config_name>.yaml`, of the types of `schema`, with the command line; `work(cfg, output folder)`.

    A multirun begins when `plan` refuses none of its jobs. Then each fails alone; the exit code is that of the first
    that failed. Without `figures` the sweep is not drawn.
    """
    help.register(config_name)
    job = Job(work)

    error: BaseException | None = None
    try:
        sys.argv[1:] = _hydra_words(config_name, sys.argv[1:], schema)
        enter_hydra(job, config_name, schema, plan)
    except (Exception, KeyboardInterrupt) as raised:
        error = raised
    sys.exit(_end(job.error or error, job.started or sweep.started(), schema, figures))


def enter_hydra(job: Job, config_name: str, schema: type, plan: Planner) -> None:
    """Let Hydra compose the configuration that `sys.argv` asks for and do the job, or its sweeper many.

    It raises what goes wrong before a job; what a job raised is its `error`.
    """
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # Hydra raises, so that the line is ours
    compose.register(schema)
    launcher.register()
    sweeper.register(plan)
    trusted = hydra_versions.trusted([sweep.TARGET])
    hydra.main(config_path="pkg://tdl.conf", config_name=config_name, **hydra_versions.BASE, **trusted)(job)()


def _end(error: BaseException | None, started: bool, schema: type, figures: bool) -> int:
    """Finish the sweep, if there is one, and say in one line what went wrong; the exit code."""
    code, line = 0, ""
    try:
        if error is not None and slurm.is_lost(error) and (known := sweep.current()) is not None:
            slurm.wait_for_others(known)
        code, line = sweep_table.finish(figures=figures)
    except (TdlError, OSError) as raised:
        error = error or raised
    if isinstance(error, BrokenPipeError):  # whoever read our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if error is not None and not (code and slurm.is_lost(error)):  # else the table tells of the lost job
        known_code, line = explain(error, started, schema)
        if known_code is None:
            raise error
        code = known_code
    if line:
        print(f"tdl: {line}", file=sys.stderr)
    return code


def _remove_unused(folder: Path) -> None:
    """Take back the folder of a run that never began: nothing in it but what Hydra wrote."""
    hydra_files = [folder / HYDRA / name for name in NOTES]
    if not all(path.is_file() for path in hydra_files):  # no folder of ours: do not walk through it
        return
    if {*folder.rglob("*")} == {folder / HYDRA, *hydra_files}:
        for path in hydra_files:
            path.unlink()
        (folder / HYDRA).rmdir()
        folder.rmdir()


def _hydra_words(program: str, line: Sequence[str], schema: type) -> list[str]:
    """The command line as Hydra takes it; what asks for a version or for one group is answered here."""
    if "--version" in line:
        print(version_text(), end="")
        sys.exit()
    apart = flags.apart(line)
    folder = own.use(apart.given.config_dir)
    if folder is not None and apart.given.config_dir is None:
        apart.flags += ["--config-dir", str(folder.absolute())]
    if apart.given.help and apart.words:
        print("\n".join(help.described(program, word) for word in apart.words), end="")
        sys.exit()
    return [*apart.flags, *as_hydra_reads(program, apart.words, schema, sweep=apart.given.multirun)]


def explicit_keys() -> list[str]:
    """The keys named on this job's command line."""
    return keys_named(HydraConfig.get().overrides.task)
