"""Two settings of training against each other, in turn, each from a blank network or from the same trained one.

A setting is a text of `key=value` words: `tuples`, `instructions`, `stages`, and every keyword of `Trainer`, as
"tuples=8x6 step=coherent alpha=1.0 threads=2".
"""

import statistics
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from tqdm import tqdm

from tdl.base.checks import check_whole
from tdl.benchmarks import Report
from tdl.benchmarks.train import train
from tdl.config.tuple_sets import tuple_set
from tdl.errors import refuse
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.statistics.intervals import ratio_range, ratio_text
from tdl.training.trainer import Trainer

Side = TypeVar("Side")
Figure = TypeVar("Figure")


def in_turn(sides: Iterable[Side], turns: int, measure: Callable[[Side, int], Figure]) -> dict[Side, list[Figure]]:
    """The figures of each side, measured in turn, A B A B ...: a ratio holds on a machine whose speed drifts.

    `measure` gets the side and the number of the turn, from 0.
    """
    figures: dict[Side, list[Figure]] = {side: [] for side in sides}
    for turn in tqdm(range(turns), "turns", disable=None, leave=False):
        for side, measured in figures.items():
            measured.append(measure(side, turn))
    return figures


def paired(speeds: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """The speeds of two sides, rounded, and the ratio of the first to the second: median, least and largest."""
    rounded = {name: [round(speed) for speed in side] for name, side in speeds.items()}
    return {**rounded, **ratio_range(*speeds.values())}


def millions(speeds: Sequence[float]) -> str:
    """The median of moves per second, in millions."""
    return f"{statistics.median(speeds) / 1e6:.2f}"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("one", help='as "target=state", "threads=2", "tuples=8x6 step=coherent alpha=1.0"')
    parser.add_argument("other", help="the same")
    parser.add_argument("--blank", type=int, default=5_000, help="episodes of each turn (5000)")
    parser.add_argument("--state", type=int, default=0, help="episodes that the second one trains before, once (0)")
    parser.add_argument("--pairs", type=int, default=5, help="turns of each (5)")


def measure(options: Namespace) -> Report:
    """Moves per second of both settings, and their ratio."""
    check_whole("--blank", options.blank, 1)
    check_whole("--pairs", options.pairs, 1)
    check_whole("--state", options.state, 0)
    texts = options.one, options.other
    settings = [parse(text) for text in texts]
    merging: list[float] = []

    def speed(side: int, turn: int) -> float:
        trainer = trainer_from(state, settings[side])
        trained = train(trainer, options.blank)
        if trainer.merge_seconds is not None:
            merging.append(trainer.merge_seconds / trained.seconds)
        return trained.speed

    state = blank_trainer(settings[1])
    train(state, options.state)
    speeds = in_turn((0, 1), options.pairs, speed)
    figures: dict[str, Any] = {text: [round(speed) for speed in speeds[side]] for side, text in enumerate(texts)}
    figures |= ratio_range(speeds[0], speeds[1])
    sides = ", ".join(f"{text}: {millions(figures[text])}" for text in texts)
    line = f"{sides} M moves/s; ratio {ratio_text(figures)}"
    if merging:
        figures["merging"] = statistics.median(merging)
        line += f"; merges take {100 * figures['merging']:.1f}% of the time"
    return Report(figures, line)


def parse(text: str) -> dict[str, Any]:
    """The keys and values of a setting."""
    try:
        setting = OmegaConf.to_container(OmegaConf.from_dotlist(text.split()))
    except OmegaConfBaseException:
        setting = None
    if not isinstance(setting, dict) or None in setting.values():
        raise refuse("setting", text, 'words as in "tuples=8x6 step=coherent alpha=1.0"')
    return {str(key): value for key, value in setting.items()}


def trainer_from(state: Trainer, setting: Mapping[str, Any]) -> Trainer:
    """A trainer that goes on from what another one has learned; all of its memory is touched before a clock runs."""
    trainer = blank_trainer({**setting, "episode": state.episode})
    if state.episode:
        if trainer.network.describe() != state.network.describe():
            raise refuse("--state", state.episode, "0 for settings of different networks")
        trainer.network.weights[:] = state.network.weights
        for name, array in trainer.state.items():
            array[...] = state.state[name]
    trainer.train(0)  # gives replicas their copies
    return trainer


def blank_trainer(setting: Mapping[str, Any]) -> Trainer:
    """A trainer on a blank network of its own."""
    keywords: dict[str, Any] = {"alpha": 0.1, **setting}
    tuples = keywords.pop("tuples", "4x6")
    stages = Stages(tuple(keywords.pop("stages", ())))
    network = NTupleNetwork(Rules(), tuple_set(tuples) if isinstance(tuples, str) else TupleSet(tuples), stages=stages)
    network.use_instructions(keywords.pop("instructions", None))
    network.weights[: network.stride or None] = 0
    trainer = Trainer(network, **keywords)
    for array in trainer.state.values():
        array.fill(0)
    return trainer
