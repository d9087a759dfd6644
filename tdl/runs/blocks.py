"""What is told at the end of a block of training games: `on_block` of a run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Block:
    """A block of training games that has just been played, and is in the files of the run.

    Attributes
    ----------
    folder : the run's.
    episode : games trained so far, in all.
    episodes : games that the run is to train.
    row : its row of `blocks.csv`: `mean`, `median` and `max` of the scores, `mean_abs_error`, `reach_2048` ...
    """

    folder: Path
    episode: int
    episodes: int
    row: Mapping[str, Any]

    def __repr__(self) -> str:
        return f"Block({self.folder}, episode {self.episode:,} of {self.episodes:,}, mean {self.mean:,.0f})"

    @property
    def mean(self) -> float:
        """The mean score of the games of the block."""
        return float(self.row["mean"])


OnBlock = Callable[[Block], object]
"""Called with each block, in order. What it raises ends the run, whose status is then `interrupted`."""
