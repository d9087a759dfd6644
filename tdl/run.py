"""Train a network: `python -m tdl.run tuples=4x6 alpha=0.1`. All keys: `conf/run.yaml`."""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Iterator
from pathlib import Path

from hydra.core.hydra_config import HydraConfig
from omegaconf import DictConfig

from tdl.cli.program import explicit_keys, run_program
from tdl.config import run as run_config
from tdl.config.names import chosen_names
from tdl.config.schema import RunConfig
from tdl.runs.resume import CHECKPOINT, begun, resumed_config, run_folder
from tdl.runs.training import TrainingRun, is_finished, refuse_used
from tdl.storage.checkpoint import read_meta
from tdl.storage.lock import RunLock
from tdl.sweeps import sweep


def job(cfg: DictConfig, folder: Path) -> None:
    """One run: check everything, train, evaluate, draw the curve."""
    settings = run_config.read(cfg)
    if settings.resume is not None:
        job_folder, folder = folder, run_folder(settings.resume)
        if sweep.in_sweep():
            sweep.point_to(job_folder, folder)
    with RunLock(folder):  # before anything in the folder is read
        _work(settings, folder, chosen_names(cfg, HydraConfig.get().runtime.choices))


def _work(settings: RunConfig, folder: Path, names: dict[str, str]) -> None:
    meta = None
    if settings.resume is not None:
        meta = read_meta(folder / CHECKPOINT)
        names, settings = meta["names"], resumed_config(settings, meta, explicit_keys())
    elif sweep.in_sweep():
        meta = None if is_finished(folder, settings, None) else begun(settings, folder)
    else:
        refuse_used(folder)
    if is_finished(folder, settings, meta):
        print(f"tdl: {folder} is finished ({settings.episodes} episodes); nothing to do")
        return
    run = TrainingRun(settings, folder, names, meta)
    with contextlib.nullcontext() if run.trained() else _importing("tdl.results.figures"):
        run.run()
    episodes = run.trainer.episode
    run.release()
    if episodes:
        from tdl.results.figures import save_curve  # not at the top: a run without episodes does not need it

        save_curve(folder)
    print(f"results in {folder}")


@contextlib.contextmanager
def _importing(module: str) -> Iterator[None]:
    """Import a module meanwhile: pandas and seaborn take half a second, in which games are played without the GIL."""
    thread = threading.Thread(target=importlib.import_module, args=(module,))
    thread.start()
    try:
        yield
    finally:
        thread.join()  # Python must not shut down in the middle of an import


def main() -> None:
    """The console script `tdl-run`."""
    run_program("run", job)


if __name__ == "__main__":
    main()
