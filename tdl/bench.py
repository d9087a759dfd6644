"""Benchmarks, `python -m tdl.bench train|boards|versus|limit|peer|signature`: figures, not verdicts."""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tdl import boards, environment, limit, versus
from tdl.agents.trainer import Trainer, evaluate, lane_count
from tdl.config import tuple_set
from tdl.errors import TdlError, refuse
from tdl.game.rules import GAMES, Rules
from tdl.learning.choices import ORDERS
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.peer import Setting, compare
from tdl.progress import Progress

BLOCK = 1000

PEER_ORDERS = ("backward", "forward")

SIGNATURE_RUNS: tuple[tuple[Rules, TupleSet, int], ...] = (
    (Rules(), TupleSet(((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 2, 4, 5), (5, 6, 9))), 30),
    (Rules(drop=((1, 0.8), (2, 0.2)), start=(1, 1)), TupleSet(((0, 1, 4, 5), (1, 2, 5, 6)), share=False), 30),
    (Rules(rows=2, cols=3), TupleSet(((0, 1, 2, 3, 4), (1, 4))), 200),
    (Rules(), TupleSet(((0, 1, 4), (5, 6)), orders=(((0, 1, 2, 3), (4, 5, 6, 7)),), counts=((0, 8, 9),)), 10),
)
"""Rules, tuples and episodes the signature is made of."""

HALVES = ((1, 0.5), (2, 0.5))
"""A drop law with which every game goes on for a while."""

SIGNATURE_LEARNERS: tuple[dict[str, Any], ...] = (
    {"order": "backward"},
    {"order": "forward"},
    {"order": "backward", "step": "coherent", "td_lambda": 0.5},
    {"order": "forward", "step": "coherent"},
    {"order": "delayed", "step": "coherent", "td_lambda": 0.5, "epsilon": 0.1},
    {"order": "forward", "td_lambda": 0.8},
    {"order": "backward", "n_step": 3, "start": "restart"},
    {"order": "forward", "target": "state", "step": "coherent"},
    {"order": "backward", "target": "state", "stages": Stages((32, 128)), "start": "carousel"},
    {"order": "backward", "alpha_per": "entry", "rechoose": True, "clear_last": True, "update_symmetries": False},
)
"""Learners that each of these trains."""


def signature_runs(game: str) -> Sequence[tuple[Rules, TupleSet, int]]:
    """Rules, tuples and episodes of a game's signature: 2048's own, for the others three of its sets."""
    if game == "pow2":
        return SIGNATURE_RUNS
    square, small, beyond = (SIGNATURE_RUNS[i][1] for i in (0, 2, 3))
    return ((Rules(game), square, 30), (Rules(game, 2, 3, HALVES), small, 200), (Rules(game, drop=HALVES), beyond, 10))


def signature(game: str = "pow2") -> int:
    """A number that depends on behaviour alone: the same on every machine, build and instruction set.

    It changes when and only when rules, random streams, choices, updates or their arithmetic change. Each game has its
    own; that of 2048 is *the* signature.
    """
    digest = hashlib.sha256()
    for rules, tuples, episodes in signature_runs(game):
        for learner in SIGNATURE_LEARNERS:
            for lanes in (1, 3):
                choices = {"target": "afterstate", "alpha": 0.3, "gamma": 0.99, **learner}
                network = NTupleNetwork(rules, tuples, stages=choices.pop("stages", None), initial_value=50.0)
                if choices.get("alpha_per") == "entry":
                    choices["alpha"] /= network.m
                trainer = Trainer(network, seed=7, lanes=lanes, **choices)
                digest.update(trainer.train(episodes).tobytes())
                digest.update(evaluate(network, 5, seed=7, target=choices["target"]).tobytes())
                for stage in range(network.stages.count):
                    for table in range(len(network.lengths)):
                        digest.update(network.table(table, stage).tobytes())
    return int.from_bytes(digest.digest()[:6], "big")


def given_tuples(text: str) -> TupleSet:
    """A tuple set as the command line gives it: a name, or cells as JSON.

    Raises
    ------
    ConfigError : neither.
    """
    if not text.startswith("["):
        return tuple_set(text)
    try:
        return TupleSet(json.loads(text))
    except ValueError as error:
        raise refuse("--tuples", text, "a name, or cells as [[0,1,2],[4,5,6]]") from error


def train_speed(
    network: NTupleNetwork, order: str, lanes: int | str, blank: int, state: int, measured: int
) -> dict[str, Any]:
    """Moves per second of training: of the first `blank` episodes, and of `measured` episodes after `state` ones."""
    network.weights.fill(0)  # touched before the clock runs
    trainer = Trainer(network, alpha=0.1, order=order, lanes=lanes)
    figures: dict[str, Any] = {"game": network.rules.game, "radix": network.layout.radix, "order": order}
    figures |= {"lanes": lane_count(lanes, network.m), "weights_mib": round(network.weights.nbytes / 2**20, 2)}
    progress = Progress("bench", 0, state + measured if state else blank)
    figures["blank"] = _measure(trainer, blank, progress)
    if state:
        _measure(trainer, state - blank, progress)
        figures[f"after_{state}"] = _measure(trainer, measured, progress)
    progress.close()
    return figures | environment.describe(network.instructions)


def _measure(trainer: Trainer, episodes: int, progress: Progress) -> dict[str, float]:
    moves, seconds, score = trainer.moves, 0.0, 0.0
    for start in range(0, episodes, BLOCK):
        before = time.perf_counter()
        records = trainer.train(min(BLOCK, episodes - start))
        seconds += time.perf_counter() - before
        score = float(records["score"].mean())
        progress.update(trainer.episode, trainer.moves, score)
    played = trainer.moves - moves
    return {
        "episodes": episodes,
        "moves": played,
        "seconds": round(seconds, 6),
        "moves_per_second": round(played / seconds),
        "last_block_mean": score,
    }


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tdl.bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    programs = parser.add_subparsers(dest="program", required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--tuples", default="4x6", help="a named tuple set (4x6), or its cells: [[0,1,2],[4,5,6]]")
    common.add_argument("--lanes", default="auto", help="auto or a number")
    twice = argparse.ArgumentParser(add_help=False)
    twice.add_argument("--blank", type=int, default=20_000, help="episodes measured from blank (20000)")
    twice.add_argument("--state", type=int, default=100_000, help="episodes before the second measurement; 0: none")
    train = programs.add_parser(
        "train", parents=[common, twice], help="moves per second, from a blank network and after 100,000 episodes"
    )
    train.add_argument("--game", default="pow2", choices=GAMES, help="(pow2)")
    train.add_argument("--radix", type=int, help="tile symbols of a cell (as many as the game says)")
    train.add_argument("--order", default="backward", choices=ORDERS)
    train.add_argument("--measured", type=int, default=5_000, help="episodes of the second measurement (5000)")
    pair = programs.add_parser(
        "peer", parents=[common, twice], help="paired comparison with a TDL2048+ binary that you built"
    )
    pair.add_argument("--tdl2048", required=True, metavar="PATH", help="the binary")
    pair.add_argument("--order", default="both", choices=("both", *PEER_ORDERS), help="(both)")
    pair.add_argument("--learner", default="td", choices=("td", "tc"), help="(td)")
    pair.add_argument("--td-lambda", type=float, default=0.0, help="backward order only (0)")
    pair.add_argument("--pairs", type=int, default=5, help="turns of each program (5)")
    bound = programs.add_parser(
        "limit", parents=[common], help="training against its own table accesses, replayed without the game"
    )
    bound.add_argument("--state", type=int, default=20_000, help="episodes trained before (20000)")
    bound.add_argument("--pairs", type=int, default=5, help="turns of each (5)")
    ours = programs.add_parser("versus", help="two settings of ours in turn, from blank")
    ours.add_argument("one", help='as "target=state", "threads=2", "tuples=8x6 step=coherent alpha=1.0"')
    ours.add_argument("other", help="the same")
    ours.add_argument("--blank", type=int, default=5_000, help="episodes of each turn (5000)")
    ours.add_argument("--pairs", type=int, default=5, help="turns of each (5)")
    kinds = programs.add_parser("boards", help="packed bits against an array of bytes, operation by operation")
    kinds.add_argument("--tuples", default="4x6", help="a named tuple set (4x6), or its cells: [[0,1,2],[4,5,6]]")
    kinds.add_argument("--blank", type=int, default=3_000, help="episodes of each training run (3000)")
    kinds.add_argument("--rounds", type=int, default=7, help="turns of each (7)")
    number = programs.add_parser("signature", help="one number that depends on behaviour alone")
    number.add_argument("--game", default="pow2", choices=GAMES, help="each has its own number (pow2)")
    for each in (train, pair, bound, ours, kinds, number):
        each.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> None:
    """The console script `tdl-bench`."""
    given = _parse(words)
    try:
        if given.program == "signature":
            number = signature(given.game)
            print(json.dumps({"signature": number}) if given.json else number)
            return
        if given.program == "versus":
            pair = versus.compare(given.one, given.other, given.blank, given.pairs)
            print(json.dumps(pair, indent=1) if given.json else _versus(given.one, given.other, pair))
            return
        if given.program == "boards":
            compared = boards.compare(given.tuples, given_tuples(given.tuples), given.blank, given.rounds)
            print(json.dumps(compared, indent=1) if given.json else boards.text(compared))
            return
        lanes = int(given.lanes) if given.lanes.isdigit() else given.lanes
        if given.program == "peer":
            orders = PEER_ORDERS if given.order == "both" else (given.order,)
            pairs = {}
            for order in orders:
                setting = Setting(given.tuples, order, given.learner, given.td_lambda, lanes)
                pairs[order] = compare(given.tdl2048, setting, given.pairs, given.blank, given.state)
            print(json.dumps(pairs, indent=1) if given.json else _ratios(pairs))
            return
        if given.program == "limit":
            figures = limit.compare(given.tuples, given_tuples(given.tuples), lanes, given.state, given.pairs)
            print(json.dumps(figures, indent=1) if given.json else _limit(figures))
            return
        tuples = given_tuples(given.tuples)
        if given.radix is not None:
            tuples = replace(tuples, radix=given.radix)
        network = NTupleNetwork(Rules(given.game), tuples)
        figures = {"tuples": given.tuples} | train_speed(
            network, given.order, lanes, given.blank, given.state, given.measured
        )
    except TdlError as error:
        print(f"tdl: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    print(json.dumps(figures, indent=1) if given.json else _text(figures))


def _text(figures: dict[str, Any]) -> str:
    head = ", ".join(str(figures[key]) for key in ("game", "tuples", "order", "instructions", "cpu"))
    size = f"radix {figures['radix']}, {figures['weights_mib']:,.0f} MiB of weights"
    rows = [
        f"{name:>14}: {part['moves_per_second'] / 1e6:6.2f} M moves/s over {part['episodes']} episodes "
        f"({part['seconds']:.1f} s), mean score of the last block {part['last_block_mean']:,.0f}"
        for name, part in figures.items()
        if isinstance(part, dict) and "moves_per_second" in part
    ]
    return "\n".join([f"{head}, {figures['lanes']} lanes, {size}", *rows])


def _versus(one: str, other: str, pair: dict[str, Any]) -> str:
    return (
        f"{one}: {_millions(pair[one])}, {other}: {_millions(pair[other])} M moves/s; "
        f"ratio {pair['ratio_median']:.2f} ({pair['ratio_min']:.2f} to {pair['ratio_max']:.2f})"
    )


def _ratios(pairs: dict[str, Any]) -> str:
    return "\n".join(
        f"{order:>8} {name:>12}: ours {_millions(part['ours'])}, peer {_millions(part['peer'])} M moves/s; "
        f"ratio {part['ratio_median']:.2f} ({part['ratio_min']:.2f} to {part['ratio_max']:.2f})"
        for order, parts in pairs.items()
        for name, part in parts.items()
    )


def _limit(figures: dict[str, Any]) -> str:
    head = ", ".join(str(figures[key]) for key in ("tuples", "layout", "instructions", "cpu"))
    return (
        f"{head}, {figures['lanes']} lanes\n"
        f"training {_millions(figures['run'])}, its table accesses alone {_millions(figures['limit'])} M moves/s; "
        f"ratio {figures['ratio_median']:.2f} ({figures['ratio_min']:.2f} to {figures['ratio_max']:.2f})"
    )


def _millions(speeds: list[int]) -> str:
    return f"{statistics.median(speeds) / 1e6:.2f}"


if __name__ == "__main__":
    main()
