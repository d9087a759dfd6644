"""The way from `sys.argv` to a job that every program goes: words, Hydra, job; and errors of one line.

Exit codes: 0 done, 1 Hydra's own complaints and divergence, 2 our complaints, 128 + N after signal N, as 130 after
Ctrl-C; 141, that of SIGPIPE, where nobody read the output to its end.
"""

import contextlib
import logging
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from tdl.base import streams
from tdl.cli import help
from tdl.cli.messages import explain
from tdl.cli.words import hydra_words, split_flags
from tdl.config import files, hydra_versions, own_choices
from tdl.config.compose import Schema, word_of
from tdl.config.schema import RUN
from tdl.errors import BusyError, ConfigError, Interrupted, TdlError
from tdl.runs import resolvers as _resolvers  # noqa: F401 - registered by the import
from tdl.runs.environment import version_text
from tdl.storage.run_folder import HYDRA, NOTES
from tdl.sweeps import sweep
from tdl.sweeps import table as sweep_table
from tdl.sweeps.job import BUSY_SECONDS, JobContext, Outcome, Plan, Planner, mark_failed
from tdl.sweeps.launcher import CoresLauncher
from tdl.sweeps.sweep import Sweep
from tdl.sweeps.sweeper import CheckedSweeper

Work = Callable[[DictConfig, JobContext], float | None]
"""What a program does with its configuration; it gives what tells how good the result is."""


def no_plan(_cfg: DictConfig, _context: JobContext) -> Plan:
    """Of a program whose jobs are not known beforehand."""
    return Plan()


class Job:
    """One program's job as Hydra calls it: errors are kept from Hydra, which would print lines of its own.

    Attributes
    ----------
    plan : of the program, for our sweeper.
    defers : whether a job ends at once where another process works in its folder; our launcher begins it again later.
    started : whether a job began in this process.
    error : what ended the job, if it is no sweep's.
    """

    def __init__(self, work: Work, plan: Planner = no_plan) -> None:
        self.work, self.plan, self.defers = work, plan, False
        self.started = False
        self.error: BaseException | None = None

    def __call__(self, cfg: DictConfig) -> Outcome:
        self.started = True
        streams.keep_going()  # in a process that a launcher started
        files.load_games()
        context = JobContext.of(HydraConfig.get())
        return self._of_sweep(cfg, context) if context.in_sweep else self._alone(cfg, context)

    def _alone(self, cfg: DictConfig, context: JobContext) -> Outcome:
        try:
            asked = HydraConfig.get().callbacks.get("sweep", {})
            if asked.get("race", {}).get("on"):
                raise ConfigError("race.on: settings race in a sweep: add -m (tdl sweep)")
            if asked.get("trials", {}).get("number"):
                raise ConfigError("trials.number: settings are drawn in a sweep: add -m (tdl sweep)")
            return Outcome(value=self.work(cfg, context))
        except (Exception, KeyboardInterrupt) as error:
            self.error = error
            _remove_unused(context.folder)
            return Outcome(1, str(error))

    def _of_sweep(self, cfg: DictConfig, context: JobContext) -> Outcome:
        """Wait while another process is at the job, unless it can be begun again later."""
        try:
            outcome = Outcome(value=self.work(cfg, context))
        except BusyError:
            if self.defers:
                return Outcome(busy=True)
            time.sleep(BUSY_SECONDS)
            return self._of_sweep(cfg, context)
        except (Exception, KeyboardInterrupt) as error:
            outcome = self._failed(error, cfg, context)
        sweep.note(context.folder, outcome)
        return outcome

    def _failed(self, error: BaseException, cfg: DictConfig, context: JobContext) -> Outcome:
        """A job of a sweep fails alone, unless somebody stopped the sweep."""
        code, line = explain(error, True)
        if code is None:
            traceback.print_exception(error)
        line = line or repr(error)
        if not isinstance(error, KeyboardInterrupt | Interrupted):
            mark_failed(context, cfg, line)
        elif Sweep.current is not None:  # this is the process of the sweep itself
            raise KeyboardInterrupt from error
        elif not self.defers:
            sweep.wait_to_be_killed()
        with contextlib.suppress(OSError):  # a full disk, where this is written to a file of the job
            print(f"tdl: {' '.join(context.words)}: {line}", file=sys.stderr)
        return Outcome(1 if code is None else code, line)


def run_program(
    config_name: str,
    work: Work,
    schema: Schema = RUN,
    *,
    plan: Planner = no_plan,
    figures: bool = True,
    alone: str = "",
) -> None:
    """Compose `conf/<config_name>.yaml`, of the types of `schema`, with the command line, and do the work.

    A multirun begins when `plan` refuses none of its jobs. Then each fails alone; the exit code is that of the first
    that failed. Without `figures` the sweep is not drawn. `alone` says why there is no multirun of this program.
    """
    help.register(config_name)
    job = Job(work, plan)
    try:
        sys.argv[1:] = _read_line(config_name, sys.argv[1:], schema, alone)
        if Path.cwd() != Path(__file__).parents[2]:  # else tdl itself may be found there alone
            os.environ.setdefault("PYTHONSAFEPATH", "1")  # processes of launchers take no modules from there
        enter_hydra(job, config_name, schema)
    except (Exception, KeyboardInterrupt) as error:
        job.error = job.error or error
    started = job.started or bool(Sweep.current and Sweep.current.outcomes)
    sys.exit(_end(job.error, started, schema, figures))


def _read_line(program: str, line: Sequence[str], schema: Schema, alone: str) -> list[str]:
    """The command line as Hydra takes it; what asks for a version or for one group is answered here."""
    if "--version" in line:
        print(version_text(), end="")
        sys.exit()
    read = split_flags(line)
    several = read.options.multirun or "hydra.mode=MULTIRUN" in read.words
    if several and alone:
        raise ConfigError(f"-m: {alone}")
    folder = files.use_folder(read.options.config_dir)
    if folder is not None and read.options.config_dir is None:
        read.flags += ["--config-dir", str(folder.absolute())]
    if read.options.help and read.words:
        print("\n".join(help.described(program, word) for word in read.words), end="")
        sys.exit()
    return [*read.flags, *hydra_words(program, read.words, schema, sweep=several)]


def enter_hydra(job: Job, config_name: str, schema: Schema) -> None:
    """Let Hydra compose the configuration that `sys.argv` asks for and do the job, or its sweeper many.

    It raises what goes wrong before a job; what a job raised is its `error`.
    """
    logging.raiseExceptions = False  # of a reader of Hydra's lines that goes away
    word_of("the current folder", Path.cwd())  # Hydra would compute its path
    os.environ.setdefault("HYDRA_FULL_ERROR", "1")  # Hydra raises, so that the line is ours
    schema.register()
    hydra_versions.register_plugins(CoresLauncher, CheckedSweeper)
    own_choices.register()
    trusted = hydra_versions.trusted([sweep.TARGET])
    hydra.main(config_path="pkg://tdl.conf", config_name=config_name, **hydra_versions.BASE, **trusted)(job)()


def _end(error: BaseException | None, started: bool, schema: Schema, figures: bool) -> int:
    """Finish the sweep, if there is one, and say in one line what went wrong; the exit code."""
    code, line = 0, ""
    try:
        if error is not None and Sweep.current is not None and sweep.is_lost(error):
            sweep.wait_for_others(Sweep.current)
        code, line = sweep_table.finish(figures=figures)
    except (TdlError, OSError, MemoryError, ImportError) as raised:
        error = error or raised
    if error is not None and not (code and sweep.is_lost(error)):  # else the table tells of the lost job
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
        shutil.rmtree(folder)
