"""Training against what the memory allows: its own table accesses, replayed without the game.

The replay reads, adds to and prefetches the same entries of the same network in the same order with the same number
of lanes ahead, but neither plays nor computes an index. Its speed is a bound for this layout on this machine.
"""

from argparse import ArgumentParser, Namespace

from tdl.agents.options import PlayOptions
from tdl.agents.selfplay import SelfPlay
from tdl.agents.trainer import Trainer
from tdl.benchmarks.arguments import add_lanes, add_tuples, tuples_of
from tdl.benchmarks.memory_trace import record, replay
from tdl.benchmarks.paired import BLOCK, Training, in_turn, millions, paired, per_second, progress, train
from tdl.benchmarks.registry import Report
from tdl.checks import check_whole
from tdl.game.lines import LineTables
from tdl.game.rules import Rules
from tdl.game.streams import TRAINING
from tdl.network.ntuple import NTupleNetwork
from tdl.runs import environment
from tdl.statistics.intervals import ratio_text

TURNS = 100_000
"""Moves that are recorded: of 4x6 60 MB of indices, far more than a cache holds."""


def arguments(parser: ArgumentParser) -> None:
    add_tuples(parser)
    add_lanes(parser)
    parser.add_argument("--state", type=int, default=20_000, help="episodes trained before (20000)")
    parser.add_argument("--pairs", type=int, default=5, help="turns of each (5)")


def measure(options: Namespace) -> Report:
    """Moves per second of training (forward) and of the replay, and their ratio."""
    tuples, pairs = tuples_of(options.tuples), options.pairs
    check_whole("--state", options.state, 0)
    check_whole("--pairs", pairs, 1)
    network = NTupleNetwork(Rules(), tuples)
    network.weights.fill(0)  # touched before the clock runs
    trainer = Trainer(network, alpha=0.1, order="forward", lanes=options.lanes)
    with progress("limit", options.state + pairs * BLOCK) as advance:
        train(trainer, options.state, advance)
        play = SelfPlay(network, LineTables(Rules()), trainer.learner, PlayOptions(1, options.lanes), role=TRAINING)
        play.set_step(0.1, "fixed")
        play.begin(0, TURNS)  # more episodes than can end while this is recorded
        entries, counts = record(play, TURNS)
        blocks = list[Training]()

        def speed(side: str, turn: int) -> float:
            if side == "run":
                blocks.append(train(trainer, BLOCK, advance))
                return blocks[-1].speed
            return per_second(lambda: replay_all(max(1, round(blocks[-1].moves / TURNS))))

        def replay_all(times: int) -> int:
            for _ in range(times):
                replay(network, entries, counts, play.lanes)
            return times * TURNS

        speeds = in_turn(("run", "limit"), pairs, speed)
    figures = {
        "tuples": options.tuples,
        "layout": network.layout.name,
        "lanes": play.lanes,
        "state": options.state,
        **paired(speeds),
        **environment.describe(network.instructions),
    }
    head = ", ".join(str(figures[key]) for key in ("tuples", "layout", "instructions", "cpu"))
    return Report(
        figures,
        f"{head}, {figures['lanes']} lanes\n"
        f"training {millions(figures['run'])}, its table accesses alone {millions(figures['limit'])} M moves/s; "
        f"ratio {ratio_text(figures)}",
    )
