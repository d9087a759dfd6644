"""Games by the plies looked ahead: with a table of searched boards against without, several threads against one."""

import statistics
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import Any

from tdl.agents.kernels import kernel
from tdl.agents.options import MAX_THREADS, PlayOptions
from tdl.agents.player import Player, load
from tdl.agents.trainer import Trainer
from tdl.benchmarks.arguments import add_tuples, tuples_of
from tdl.benchmarks.paired import Advance, in_turn, per_second, progress
from tdl.benchmarks.registry import Report
from tdl.checks import check_whole
from tdl.game.lines import LineTables
from tdl.game.rules import Rules
from tdl.game.streams import EVALUATION
from tdl.learning.options import LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.runs import environment
from tdl.search.options import AUTO_TABLE, SearchOptions, check_plies
from tdl.statistics.intervals import ratio_range, ratio_text

GAMES = {1: 400, 2: 40, 3: 3}
"""Games of each turn, by plies, so that each takes some seconds of a well trained network; beyond, 1."""


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--checkpoint", metavar="PATH", help="whose network plays (one of --tuples, trained --state games)"
    )
    add_tuples(parser)
    parser.add_argument("--state", type=int, default=20_000, help="games of training (20000)")
    parser.add_argument("--plies", type=int, nargs="+", default=[1, 2, 3], help="(1 2 3)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each setting (3)")
    parser.add_argument("--threads", type=int, default=1, help="compare so many threads with one (1: no comparison)")
    parser.add_argument("--games", type=int, help="searched games of each turn (by the plies)")


def measure(options: Namespace) -> Report:
    """A row for each depth.

    `none` and `table` are moves per second of each turn; a ratio above 1 means that the table is faster. `boards` are
    valued for a move without a table, `found` is the share of the searched afterstates that the table had, `mean` the
    mean score of the games, and `threads` the ratio of several threads to one, without a table.
    """
    check_search(options.plies, options.games)
    check_whole("--rounds", options.rounds, 1)
    check_whole("threads", options.threads, 1, MAX_THREADS + 1)
    player = _player(options)
    with progress("search", len(options.plies) * options.rounds * (1 + (options.threads > 1))) as advance:
        rows = [_row(player, plies, options, advance) for plies in options.plies]
    return Report(rows, text(player, rows, options.threads))


def check_search(depths: Sequence[int], games: int | None) -> None:
    """Refuse plies and games that are not allowed."""
    for plies in depths:
        check_plies("--plies", plies)
    if games is not None:
        check_whole("--games", games, 1)


def _player(options: Namespace) -> Player:
    if options.checkpoint is not None:
        return load(options.checkpoint, copy=True)
    player = Player(NTupleNetwork(Rules(), tuples_of(options.tuples)))
    check_whole("--state", options.state, 0)
    Trainer(player.network, alpha=0.1).train(options.state)
    return player


def _row(player: Player, plies: int, options: Namespace, advance: Advance) -> dict[str, Any]:
    games = options.games or GAMES.get(plies, 1)

    def searched(table: int, turn: int) -> dict[str, Any]:
        return play(player, SearchOptions(plies, table=table), games)

    def speed(threads: int, turn: int) -> float:
        search = SearchOptions(plies, table=0)
        return per_second(lambda: int(player.evaluate(games * threads, threads=threads, search=search)["moves"].sum()))

    none, table = in_turn((0, AUTO_TABLE), options.rounds, searched, advance).values()
    row = {"plies": plies, "games": games, "mean": none[0]["mean"], "boards": none[0]["boards"]}
    row["found"] = table[0]["found"]
    row |= {name: [turn["moves_per_second"] for turn in side] for name, side in (("none", none), ("table", table))}
    row |= ratio_range(row["table"], row["none"])
    if options.threads > 1:
        row["threads"] = ratio_range(*in_turn((options.threads, 1), options.rounds, speed, advance).values())
    return row


def play(player: Player, search: SearchOptions, games: int, seed: int = 0) -> dict[str, Any]:
    """Moves per second of games, boards valued for a move, the share found in the table, and the mean score."""
    network = player.network
    learner, options = LearnerOptions(gamma=player.gamma, target=player.target), PlayOptions(seed, 1, search=search)
    play = kernel(network)(network, LineTables(network.rules), learner, options, role=EVALUATION, learns=False)
    start = time.perf_counter()
    records = play.play(0, games)
    seconds = time.perf_counter() - start
    counts = play.search.counts if play.search else {"leaves": 0, "nodes": 0, "found": 0}
    looked = counts["nodes"] + counts["found"]
    return {
        "moves_per_second": round(play.moves / seconds),
        "boards": counts["leaves"] / play.moves,
        "found": counts["found"] / looked if looked else 0.0,
        "mean": float(records["score"].mean()),
    }


def text(player: Player, rows: Sequence[dict[str, Any]], threads: int) -> str:
    """The figures as a table."""
    machine = environment.describe(player.network.instructions)
    lines = [f"{player.network.m} features, {machine['instructions']}, {machine['cpu']}"]
    for row in rows:
        none, table = (f"{statistics.median(row[side]):,.0f}" for side in ("none", "table"))
        line = (
            f"{row['plies']}-ply: {none} moves/s without a table, {table} with one of {AUTO_TABLE} MiB; ratio "
            f"{ratio_text(row)}; {row['boards']:,.0f} boards a move, {row['found']:.1%} found; mean "
            f"{row['mean']:,.0f} over {row['games']} games"
        )
        lines.append(line + (f"; {threads} threads {ratio_text(row['threads'])} of one" if "threads" in row else ""))
    return "\n".join(lines)
