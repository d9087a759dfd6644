"""Train a network: `tdl run tuples=4x6 alpha=0.1`. All keys: `conf/run.yaml`."""

import contextlib
import importlib
import threading
from collections.abc import Iterator
from functools import partial

from omegaconf import DictConfig

from tdl.base import machine, streams
from tdl.cli.follower import follow
from tdl.cli.messages import one_line_errors
from tdl.cli.program import run_program
from tdl.config.agent import chosen_names
from tdl.config.schema import AUTO
from tdl.config.setup import Setup
from tdl.errors import ConfigError, Interrupted
from tdl.runs import disk_space, final_summary, forecast, loggers
from tdl.runs.loggers import OnBlock
from tdl.runs.resume import continued, delete_leftover_weights, is_finished, refuse_used, resumed_folder
from tdl.runs.training import TrainingRun
from tdl.storage.records import check_episodes
from tdl.storage.result_file import has_deleted_weights
from tdl.storage.run_folder import RunFolder
from tdl.sweeps.job import JobContext, Plan, point_to
from tdl.training.ranks import ALONE, MpiRanks, Ranks, connect

MUCH_MEMORY = 1 << 30
"""Bytes of which a run need not be sparing with its imports."""


def job(
    cfg: DictConfig,
    context: JobContext,
    *,
    figures: bool = True,
    ranks: Ranks = ALONE,
    on_block: OnBlock | None = None,
) -> float | None:
    """One run, trained by these processes, from where it is: new, begun, or finished. Gives what tells how good it is.

    Without `figures` its curve is not drawn.
    """
    names = chosen_names(cfg, context.choices)
    setup = Setup.of(cfg)
    folder = RunFolder(context.folder) if setup.resume is None else resumed_folder(setup.resume)
    if setup.resume is not None and context.in_sweep:
        point_to(context.folder, folder.path)
    with folder.lock():  # before anything in the folder is read
        if setup.resume is None and not context.in_sweep:
            refuse_used(folder, setup.config)
        setup, meta = continued(setup, folder, context.keys)
        if is_finished(folder, setup, meta):
            _finish(folder, figures)
            if not context.in_sweep:  # which says it of all its jobs at once
                print(f"tdl: {folder} is finished ({folder.result_if_whole()['episodes']} episodes); nothing to do")
        else:
            if not context.in_sweep:
                print(forecast.text_of(setup, meta), end="", flush=True)
            keeps = context.keeps_weights if setup.saving.final == AUTO else bool(setup.saving.final)
            run = TrainingRun(setup, folder, names, meta, keep_weights=keeps, pause_at=context.pause_at, ranks=ranks,
                              on_block=on_block)  # fmt: skip
            _train(run, figures, says_next=not context.in_sweep)
        return final_summary.objective(folder)


def _finish(folder: RunFolder, figures: bool) -> None:
    """Do what a run that was killed at its very end has left undone."""
    delete_leftover_weights(folder)
    if figures and _lacks_curve(folder):
        _draw_curve(folder)


def _lacks_curve(folder: RunFolder) -> bool:
    return folder.blocks.exists() and not folder.curve.exists()


def _train(run: TrainingRun, figures: bool, says_next: bool) -> None:
    """Train, evaluate, draw the curve, and print how it went, and what one would type next."""
    try:
        with contextlib.nullcontext() if run.trained() or not figures else _importing("tdl.results.run_curve"):
            run.run()
    except Interrupted:
        if says_next:
            print(final_summary.next_commands(run.folder, run.result, resumes=True), end="", flush=True)
        raise
    if run.paused():
        print(f"paused at {run.setup.share(*run.reached):.0%} of the training", flush=True)
        return
    print(final_summary.summary_text(run.result, run.last_block()), end="", flush=True)
    episodes = run.trainer.episode
    run.release()
    if episodes:
        print(final_summary.unused_budget(run.setup, run.reached.episode, run.reached.seconds), end="")
        print(final_summary.warning(run.folder, run.result), end="", flush=True)
    if episodes and figures:
        _draw_curve(run.folder)
    print(final_summary.results_line(run.folder, run.result), end="")
    if says_next:
        print(final_summary.next_commands(run.folder, run.result), end="")


def _draw_curve(folder: RunFolder) -> None:
    """Draw the curve of a run whose results are all saved, so that a picture without room costs nothing else."""
    with streams.excused(f"{folder.curve}: not drawn", f"{folder.word('resume')} draws it"):
        machine.require_memory_for_pictures()
        from tdl.results.run_curve import save_curve  # not at the top: a run without episodes does not need it

        save_curve(folder.path)


def plan(cfg: DictConfig, context: JobContext, *, figures: bool = True, ranks: Ranks = ALONE) -> Plan:
    """What is known of a run of a sweep before it begins.

    Raises
    ------
    ConfigError : a value is not allowed, or several processes were started, which carry one run.
    CheckpointError : the run to go on with is not there, or damaged.
    """
    if ranks.size > 1:
        raise ConfigError(f"--multirun: {ranks.size} processes train one run; start a sweep as a single process")
    setup, folder, meta = Setup.of(cfg), RunFolder(context.folder), None
    loggers.check_installed(setup.logger)
    check_episodes(setup.evaluation.episodes, key="evaluate.episodes")
    resumes = setup.resume is not None
    if setup.resume is not None:
        folder = resumed_folder(setup.resume)
        setup, meta = continued(setup, folder, context.keys)
    save = setup.saving
    leftover = folder.has_weights() and has_deleted_weights(folder.path)
    undone = leftover or (figures and _lacks_curve(folder))  # by a run that was killed at its very end
    return Plan(
        done=is_finished(folder, setup, meta) and not undone,
        threads=setup.play.threads,
        games=setup.episodes or 0,
        seconds=setup.budget.seconds,
        moves=setup.budget.moves,
        disk=disk_space.of_run(setup),
        used=disk_space.used(folder),
        final=None if save.final == AUTO else save.final,
        asks_for_weights=resumes or save.chosen or save.keep > 1,
    )


@contextlib.contextmanager
def _importing(module: str) -> Iterator[None]:
    """Import a module meanwhile: pandas and matplotlib take half a second, while games are played without the GIL.

    Not where memory is short: a thread that finds none before it begins is waited for without end.
    """
    if machine.available_memory() < MUCH_MEMORY:
        yield
        return

    def load() -> None:
        with contextlib.suppress(Exception):  # who uses it will get the same
            importlib.import_module(module)

    thread = threading.Thread(target=load)
    thread.start()
    try:
        yield
    finally:
        thread.join()  # Python must not shut down in the middle of an import


@one_line_errors
def main(*, figures: bool = True) -> None:
    """The command `tdl run`; without `figures` it draws no curve, and a sweep no figure of its jobs.

    The first process, or the only one, does the run; another plays what the first one asks for.
    """
    ranks = connect()
    if isinstance(ranks, MpiRanks) and ranks.rank > 0:
        follow(ranks)
        return
    with ranks.leading():
        work = partial(job, figures=figures, ranks=ranks)
        run_program("run", work, plan=partial(plan, figures=figures, ranks=ranks), figures=figures)
