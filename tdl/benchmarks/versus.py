"""Two settings of ours, trained in turn, A B A B ...: the ratio of their speeds holds on a noisy machine.

A setting is a text of `key=value` words: `tuples`, `instructions`, `stages`, and everything `Trainer` takes, as
"tuples=8x6 step=coherent alpha=1.0 threads=2".
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from tdl.agents.trainer import Trainer
from tdl.checks import check_whole
from tdl.config.build import tuple_set
from tdl.errors import TdlError, refuse
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.runs.progress import Progress
from tdl.statistics.intervals import ratio_range

BLOCK = 1000


@dataclass(frozen=True)
class OurSetting:
    """One side of a comparison.

    Attributes
    ----------
    tuples : name of a set, or cells.
    instructions : instruction set of the index functions; None: the fastest.
    stages : thresholds of the largest tile.
    options : keywords of `Trainer`.
    """

    tuples: Any
    instructions: str | None
    stages: tuple[int, ...]
    options: dict[str, Any]

    @classmethod
    def parse(cls, text: str) -> OurSetting:
        """The setting of a text.

        Raises
        ------
        ConfigError : it is not made of key=value words.
        """
        try:
            given = OmegaConf.to_container(OmegaConf.from_dotlist(text.split()))
        except OmegaConfBaseException:
            given = None
        if not isinstance(given, dict) or None in given.values():
            raise refuse("setting", text, 'words as in "tuples=8x6 step=coherent alpha=1.0"')
        options = {"alpha": 0.1, **{str(key): value for key, value in given.items()}}
        named = options.pop("tuples", "4x6"), options.pop("instructions", None), options.pop("stages", ())
        return cls(named[0], named[1], tuple(named[2]), options)

    def speed(self, network: NTupleNetwork, episodes: int) -> float:
        """Moves per second of the first episodes from blank."""
        try:
            trainer = Trainer(network, **self.options)
        except TypeError as error:
            raise TdlError(f"setting: {error}") from error
        for array in trainer.state.values():
            array.fill(0)  # touched before the clock runs, as the weights are
        start = time.perf_counter()
        for first in range(0, episodes, BLOCK):
            trainer.train(min(BLOCK, episodes - first))
        return trainer.moves / (time.perf_counter() - start)

    def network(self) -> NTupleNetwork:
        """A blank network."""
        tuples = tuple_set(self.tuples) if isinstance(self.tuples, str) else TupleSet(self.tuples)
        network = NTupleNetwork(Rules(), tuples, stages=Stages(self.stages))
        network.use_instructions(self.instructions)
        network.weights[: network.stride or None] = 0
        return network


def compare(one: str, other: str, episodes: int, pairs: int) -> dict[str, Any]:
    """Moves per second of two settings from blank, in turn, and their ratio.

    Raises
    ------
    TdlError : a setting or a number that is not allowed.
    """
    check_whole("--blank", episodes, 1)
    check_whole("--pairs", pairs, 1)
    sides = [OurSetting.parse(text) for text in (one, other)]
    progress, speeds = Progress("versus", pairs), []
    for _ in range(pairs):
        speeds.append([side.speed(side.network(), episodes) for side in sides])
        progress.update(len(speeds))
    progress.close()
    ours, theirs = zip(*speeds, strict=True)
    return {one: [round(each) for each in ours], other: [round(each) for each in theirs], **ratio_range(ours, theirs)}
