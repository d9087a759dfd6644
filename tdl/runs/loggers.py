"""Where else the figures of a run's blocks go: TensorBoard, or Weights & Biases; both are extras."""

import importlib
import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any

from tdl.base.distribution import install
from tdl.config.setup import Setup
from tdl.errors import ConfigError
from tdl.runs.blocks import Block
from tdl.storage.run_folder import RunFolder

MODULES = {"tensorboard": "tensorboardX", "wandb": "wandb"}
"""What the extra of this name brings."""


class Logger:
    """Is called with each block of a run, and with the figures of its evaluation. This one logs nothing."""

    def __call__(self, block: Block) -> None:
        """A block of training games."""

    def evaluated(self, episode: int, figures: Mapping[str, Any]) -> None:
        """The games after training, played when `episode` games were trained."""

    def close(self) -> None:
        """The run ended, however."""


class TensorBoard(Logger):
    """Event files in the folder `tensorboard` of the run; `tensorboard --logdir outputs` shows those of all runs."""

    def __init__(self, setup: Setup, folder: RunFolder, names: Mapping[str, str], episode: int) -> None:
        module = importlib.import_module(MODULES["tensorboard"])
        later = {"purge_step": episode + 1} if episode else {}  # what was played after the checkpoint is played again
        suffix = f".{episode}"  # files are named by the second: one that went on in the same would replace the first
        self.writer = module.SummaryWriter(str(folder.path / "tensorboard"), filename_suffix=suffix, **later)

    def __call__(self, block: Block) -> None:
        for name, value in _scalars(block.row).items():
            self.writer.add_scalar(name, value, block.episode)
        self.writer.flush()

    def evaluated(self, episode: int, figures: Mapping[str, Any]) -> None:
        for name, value in figures.items():
            self.writer.add_scalar(name, value, episode)

    def close(self) -> None:
        self.writer.close()


class WandB(Logger):
    """A run of Weights & Biases in the project `tdl` unless WANDB_PROJECT is set. WANDB_MODE=offline: no network.

    Its files are in the folder `wandb` of the run, whose name there is that of the folder.
    """

    def __init__(self, setup: Setup, folder: RunFolder, names: Mapping[str, str], episode: int) -> None:
        module = importlib.import_module(MODULES["wandb"])
        try:
            self.run = module.init(
                project=os.environ.get("WANDB_PROJECT", "tdl"),
                dir=str(folder.path),
                name=folder.path.name,
                id=_id_before(folder) if episode else None,
                resume="allow",
                config={**setup.plain, "names": dict(names)},
                settings=module.Settings(silent=True, console="off"),
            )
        except module.Error as error:
            text = "; ".join(str(error).split("\n"))
            raise ConfigError(f"logger: wandb: {text}; WANDB_MODE=offline needs no account") from error
        self.run.define_metric("*", step_metric="episode")  # a run that goes on may log an episode once more

    def __call__(self, block: Block) -> None:
        self.run.log({"episode": block.episode, **_scalars(block.row)})

    def evaluated(self, episode: int, figures: Mapping[str, Any]) -> None:
        self.run.log({"episode": episode, **figures})

    def close(self) -> None:
        self.run.finish()


LOGGERS: dict[str, Callable[[Setup, RunFolder, Mapping[str, str], int], Logger]] = {
    "none": lambda *_: Logger(),
    "tensorboard": TensorBoard,
    "wandb": WandB,
}


def check_installed(logger: str) -> None:
    """Refuse a logger whose extra is missing.

    Raises
    ------
    ConfigError : with the command that installs it.
    """
    if logger in MODULES and find_spec(MODULES[logger]) is None:
        raise ConfigError(f"logger: {logger} needs {MODULES[logger]}, which is not installed: {install(logger)}")


def started(setup: Setup, folder: RunFolder, names: Mapping[str, str], episode: int) -> Logger:
    """The logger of a run that begins, or goes on after `episode` games.

    Raises
    ------
    ConfigError : it cannot begin, as without an account.
    """
    return LOGGERS[setup.logger](setup, folder, names, episode)


def evaluation_scalars(evaluation: Mapping[str, Any]) -> dict[str, float]:
    """Of the figures of an evaluation those that are one number each, as `evaluation/mean`."""
    figures = {**evaluation, **evaluation.get("exact", {})}
    numbers = {name: value for name, value in figures.items() if isinstance(value, int | float)}
    rates = {f"reach_{tile}": share["rate"] for tile, share in evaluation.get("reach", {}).items()}
    return {f"evaluation/{name}": float(value) for name, value in (numbers | rates).items()}


def _scalars(row: Mapping[str, Any]) -> dict[str, float]:
    """A row of `blocks.csv` as `train/mean`, and so on."""
    return {f"train/{name}": float(value) for name, value in row.items() if name != "episode"}


def _id_before(folder: RunFolder) -> str | None:
    """How Weights & Biases called the run when it last ended, by the name of the folder it left."""
    runs = sorted((folder.path / "wandb").glob("*run-*-*"), key=lambda path: path.stat().st_mtime)
    return runs[-1].name.rpartition("-")[2] if runs else None
