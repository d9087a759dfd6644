"""What others are told of a run: its blocks, by `on_block`; its figures, by TensorBoard or Weights & Biases."""

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tdl.base.distribution import install
from tdl.config.setup import Setup
from tdl.errors import ConfigError
from tdl.storage.run_folder import RunFolder

MODULES = {"tensorboard": "tensorboardX", "wandb": "wandb"}
"""What the extra of this name brings."""


@dataclass(frozen=True)
class Block:
    """A block of training games that has just been played, and is in the files of the run.

    Attributes
    ----------
    folder : the run's.
    episode : games trained so far, in all.
    episodes : games that the run is to train; None: as many as its budget has.
    row : its row of `blocks.csv`: `mean`, `median` and `max` of the scores, `mean_abs_error`, `reach_2048` ...
    """

    folder: Path
    episode: int
    episodes: int | None
    row: Mapping[str, Any]

    def __repr__(self) -> str:
        most = "" if self.episodes is None else f" of {self.episodes:,}"
        return f"Block({self.folder}, episode {self.episode:,}{most}, mean {self.mean:,.0f})"

    @property
    def mean(self) -> float:
        """The mean score of the games of the block."""
        return float(self.row["mean"])


OnBlock = Callable[[Block], object]
"""Called with each block, in order. What it raises ends the run, whose status is then `interrupted`."""


class Logger:
    """Takes figures of a run by their names, as `train/mean`. This one logs nothing."""

    def log(self, episode: int, figures: Mapping[str, float]) -> None:
        """Log figures, known when `episode` games were trained."""

    def close(self) -> None:
        """The run ended, however."""


class TensorBoard(Logger):
    """Event files in the folder `tensorboard` of the run; `tensorboard --logdir outputs` shows those of all runs."""

    def __init__(self, folder: RunFolder, episode: int) -> None:
        module = importlib.import_module(MODULES["tensorboard"])
        later = {"purge_step": episode + 1} if episode else {}  # what was played after the checkpoint is played again
        suffix = f".{episode}"  # files are named by the second: one that went on in the same would replace the first
        self.writer = module.SummaryWriter(str(folder.path / "tensorboard"), filename_suffix=suffix, **later)

    def log(self, episode: int, figures: Mapping[str, float]) -> None:
        for name, value in figures.items():
            self.writer.add_scalar(name, value, episode)
        self.writer.flush()

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
                id=_last_id(folder) if episode else None,
                resume="allow",
                config={**setup.config, "names": dict(names)},
                settings=module.Settings(silent=True, console="off"),
            )
        except module.Error as error:
            text = "; ".join(str(error).split("\n"))
            raise ConfigError(f"logger: wandb: {text}; WANDB_MODE=offline needs no account") from error
        self.run.define_metric("*", step_metric="episode")  # a run that goes on may log an episode once more

    def log(self, episode: int, figures: Mapping[str, float]) -> None:
        self.run.log({"episode": episode, **figures})

    def close(self) -> None:
        self.run.finish()


def _last_id(folder: RunFolder) -> str | None:
    """How Weights & Biases called the run when it last ended, by the name of the folder it left."""
    runs = sorted((folder.path / "wandb").glob("*run-*-*"), key=lambda path: path.stat().st_mtime)
    return runs[-1].name.rpartition("-")[2] if runs else None


def check_installed(logger: str) -> None:
    """Refuse a logger whose extra is missing.

    Raises
    ------
    ConfigError : with the command that installs it.
    """
    if logger in MODULES and find_spec(MODULES[logger]) is None:
        raise ConfigError(f"logger: {logger} needs {MODULES[logger]}, which is not installed: {install(logger)}")


def logger_of(setup: Setup, folder: RunFolder, names: Mapping[str, str], episode: int) -> Logger:
    """The logger of a run that begins, or goes on after `episode` games.

    Raises
    ------
    ConfigError : it cannot begin, as without an account.
    """
    if setup.logger == "tensorboard":
        return TensorBoard(folder, episode)
    return WandB(setup, folder, names, episode) if setup.logger == "wandb" else Logger()


def block_scalars(row: Mapping[str, Any]) -> dict[str, float]:
    """A row of `blocks.csv` as `train/mean`, and so on."""
    return {f"train/{name}": float(value) for name, value in row.items() if name != "episode"}


def evaluation_scalars(evaluation: Mapping[str, Any]) -> dict[str, float]:
    """Of the figures of an evaluation those that are one number each, as `evaluation/mean`."""
    figures = {**evaluation, **evaluation.get("exact", {})}
    numbers = {name: value for name, value in figures.items() if isinstance(value, int | float)}
    rates = {f"reach_{tile}": share["rate"] for tile, share in evaluation.get("reach", {}).items()}
    return {f"evaluation/{name}": float(value) for name, value in (numbers | rates).items()}
