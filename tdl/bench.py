"""Benchmarks, `python -m tdl.bench train|search|boards|gym|dqn|serve|versus|limit|peer|signature`: figures only."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tdl.agents.options import MAX_THREADS
from tdl.agents.player import Player, load
from tdl.agents.trainer import Trainer
from tdl.benchmarks import engines, memory_bound, peer_search, search, versus
from tdl.benchmarks.peer_training import Setting, compare
from tdl.benchmarks.signature import signature
from tdl.benchmarks.training import given_tuples, train_speed
from tdl.checks import check_whole
from tdl.errors import ConfigError, TdlError
from tdl.game.rules import GAMES, Rules
from tdl.learning.options import ORDERS
from tdl.network.ntuple import NTupleNetwork
from tdl.statistics.intervals import ratio_text

PEER_ORDERS = ("backward", "forward")


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
    deep = programs.add_parser("search", help="moves per second by plies, without and with a table, and by threads")
    deep.add_argument(
        "--checkpoint", metavar="PATH", help="whose network plays (one of --tuples, trained --state games)"
    )
    deep.add_argument("--tuples", default="4x6", help="a named tuple set (4x6), or its cells: [[0,1,2],[4,5,6]]")
    deep.add_argument("--state", type=int, default=20_000, help="games of training (20000)")
    deep.add_argument("--plies", type=int, nargs="+", default=[1, 2, 3], help="(1 2 3)")
    deep.add_argument("--rounds", type=int, default=3, help="turns of each setting (3)")
    deep.add_argument("--threads", type=int, default=1, help="compare so many threads with one (1: no comparison)")
    pair = programs.add_parser(
        "peer", parents=[common, twice], help="paired comparison with a TDL2048+ binary that you built"
    )
    pair.add_argument("--tdl2048", required=True, metavar="PATH", help="the binary")
    pair.add_argument("--checkpoint", metavar="PATH", help="compare searched games with this network, not training")
    pair.add_argument("--plies", type=int, nargs="+", default=[2, 3], help="of the searched games (2 3)")
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
    envs = programs.add_parser("gym", help="steps per second of the environments, against 2048 written with NumPy")
    envs.add_argument("--boards", type=int, default=1024, help="of the vectorised environment (1024)")
    envs.add_argument("--seconds", type=float, default=1.0, help="of each turn (1)")
    envs.add_argument("--rounds", type=int, default=5, help="turns of each (5)")
    envs.add_argument("--public", metavar="MODULE:ID", help="another environment, as gymnasium.make has it")
    nets = programs.add_parser("dqn", help="the deep Q-learner: games one at a time and many at once, an iteration")
    nets.add_argument("--games", type=int, default=5, help="one at a time in each turn (5)")
    nets.add_argument("--threads", type=int, default=1, help="of PyTorch (1)")
    nets.add_argument("--precision", default="float32", help="of the updates: float32 or bfloat16 (float32)")
    nets.add_argument("--rounds", type=int, default=5, help="turns of each (5)")
    many = programs.add_parser("sweep", help="what a sweep of short jobs costs beside their games")
    many.add_argument("--jobs", type=int, default=20, help="(20)")
    many.add_argument("--seconds", type=float, default=1.0, help="of training in each (1)")
    page = programs.add_parser("serve", help="the server of the page: first board, values, moves; in Chromium, too")
    page.add_argument("--checkpoint", required=True, metavar="PATH", help="whose agent plays")
    page.add_argument("--rounds", type=int, default=5, help="first boards (5)")
    page.add_argument("--seconds", type=float, default=3.0, help="of moves (3)")
    for each in (deep, pair):
        each.add_argument("--games", type=int, help="searched games of each turn (by the plies)")
    number = programs.add_parser("signature", help="one number that depends on behaviour alone")
    number.add_argument("--game", default="pow2", choices=GAMES, help="each has its own number (pow2)")
    for each in (train, deep, pair, bound, ours, kinds, envs, nets, many, page, number):
        each.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> None:
    """The console script `tdl-bench`."""
    given = _parse(words)
    try:
        figures, text = PROGRAMS[given.program](given)
    except TdlError as error:
        print(f"tdl: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    print(json.dumps(figures, indent=1) if given.json else text)


Measured = tuple[Any, str]
"""Figures for JSON, and the text for people."""


def _signature(given: argparse.Namespace) -> Measured:
    number = signature(given.game)
    return {"signature": number}, str(number)


def _versus(given: argparse.Namespace) -> Measured:
    pair = versus.compare(given.one, given.other, given.blank, given.pairs)
    sides = f"{given.one}: {_millions(pair[given.one])}, {given.other}: {_millions(pair[given.other])} M moves/s"
    return pair, f"{sides}; ratio {ratio_text(pair)}"


def _boards(given: argparse.Namespace) -> Measured:
    compared = engines.compare(given.tuples, given_tuples(given.tuples), given.blank, given.rounds)
    return compared, engines.text(compared)


def _gym(given: argparse.Namespace) -> Measured:
    try:
        from tdl.benchmarks import environments  # gymnasium is an extra
    except ImportError as error:
        raise ConfigError(str(error)) from error
    figures = environments.compare(given.boards, given.seconds, given.rounds, given.public)
    return figures, environments.text(figures)


def _dqn(given: argparse.Namespace) -> Measured:
    from tdl.benchmarks import dqn  # PyTorch is an extra

    figures = dqn.measure(given.rounds, given.games, given.threads, given.precision)
    return figures, dqn.text(figures)


def _sweep(given: argparse.Namespace) -> Measured:
    from tdl.benchmarks import sweep  # pandas takes half a second

    figures = sweep.measure(given.jobs, given.seconds)
    return figures, sweep.text(figures)


def _serve(given: argparse.Namespace) -> Measured:
    from tdl.benchmarks import server  # pandas takes half a second

    figures = server.measure(given.checkpoint, given.rounds, given.seconds)
    return figures, server.text(figures)


def _search(given: argparse.Namespace) -> Measured:
    if given.checkpoint is not None:
        player = load(given.checkpoint, copy=True)
    else:
        player = Player(NTupleNetwork(Rules(), given_tuples(given.tuples)))
        check_whole("--state", given.state, 0)
        Trainer(player.network, alpha=0.1).train(given.state)
    check_whole("threads", given.threads, 1, MAX_THREADS + 1)
    rows = search.compare(player, given.plies, given.rounds, given.games, given.threads)
    return rows, search.text(player, rows, given.threads)


def _peer(given: argparse.Namespace) -> Measured:
    if given.checkpoint is not None:
        searched = peer_search.compare(given.tdl2048, given.checkpoint, given.plies, given.pairs, given.games)
        return searched, peer_search.text(searched)
    pairs = {}
    for order in PEER_ORDERS if given.order == "both" else (given.order,):
        setting = Setting(given.tuples, order, given.learner, given.td_lambda, _lanes(given))
        pairs[order] = compare(given.tdl2048, setting, given.pairs, given.blank, given.state)
    return pairs, _ratios(pairs)


def _limit(given: argparse.Namespace) -> Measured:
    figures = memory_bound.compare(given.tuples, given_tuples(given.tuples), _lanes(given), given.state, given.pairs)
    head = ", ".join(str(figures[key]) for key in ("tuples", "layout", "instructions", "cpu"))
    return figures, (
        f"{head}, {figures['lanes']} lanes\n"
        f"training {_millions(figures['run'])}, its table accesses alone {_millions(figures['limit'])} M moves/s; "
        f"ratio {ratio_text(figures)}"
    )


def _train(given: argparse.Namespace) -> Measured:
    tuples = given_tuples(given.tuples)
    if given.radix is not None:
        tuples = replace(tuples, radix=given.radix)
    network = NTupleNetwork(Rules(given.game), tuples)
    measured = train_speed(network, given.order, _lanes(given), given.blank, given.state, given.measured)
    figures = {"tuples": given.tuples} | measured
    return figures, _text(figures)


PROGRAMS: dict[str, Callable[[argparse.Namespace], Measured]] = {
    "train": _train,
    "search": _search,
    "peer": _peer,
    "limit": _limit,
    "versus": _versus,
    "boards": _boards,
    "gym": _gym,
    "dqn": _dqn,
    "sweep": _sweep,
    "serve": _serve,
    "signature": _signature,
}


def _lanes(given: argparse.Namespace) -> int | str:
    return int(given.lanes) if given.lanes.isdigit() else str(given.lanes)


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


def _ratios(pairs: dict[str, Any]) -> str:
    return "\n".join(
        f"{order:>8} {name:>12}: ours {_millions(part['ours'])}, peer {_millions(part['peer'])} M moves/s; "
        f"ratio {ratio_text(part)}"
        for order, parts in pairs.items()
        for name, part in parts.items()
    )


def _millions(speeds: list[int]) -> str:
    return f"{statistics.median(speeds) / 1e6:.2f}"


if __name__ == "__main__":
    main()
