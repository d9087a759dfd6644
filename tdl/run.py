"""Train a network: `python -m tdl.run tuples=4x6 alpha=0.1`. All keys: `conf/run.yaml`."""

from __future__ import annotations

from pathlib import Path

from omegaconf import DictConfig

from tdl import config
from tdl.program import chosen_names, explicit_keys, run_program
from tdl.resume import resumed_config, run_folder
from tdl.training import TrainingRun, continued


def job(cfg: DictConfig, folder: Path) -> None:
    """One run: check everything, train, evaluate, draw the curve."""
    settings = config.read(cfg)
    names, meta = chosen_names(), None
    if settings.resume is not None:
        folder = run_folder(settings.resume)
        meta = continued(folder)
        names = meta["names"]
        settings = resumed_config(settings, meta, explicit_keys())
    run = TrainingRun(settings, folder, names, meta)
    if meta and run.finished():
        print(f"tdl: {folder} is finished ({run.trainer.episode} episodes); nothing to do")
        return
    run.run()
    episodes = run.trainer.episode
    run.release()
    if episodes:
        from tdl.figures import save_curve  # pandas and seaborn take a second to import

        save_curve(folder)
    print(f"results in {folder}")


def main() -> None:
    """The console script `tdl-run`."""
    run_program("run", job)


if __name__ == "__main__":
    main()
