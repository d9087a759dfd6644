"""How fast a network plays by looking ahead: by plies, with a table of boards searched before and without, in turn."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

from tdl.agents.kernels import kernel
from tdl.agents.options import PlayOptions
from tdl.agents.player import Player
from tdl.checks import check_whole
from tdl.game.lines import LineTables
from tdl.game.streams import EVALUATION
from tdl.learning.options import LearnerOptions
from tdl.runs import environment
from tdl.runs.progress import Progress
from tdl.search.options import AUTO_TABLE, SearchOptions, check_plies
from tdl.statistics.intervals import ratio_range, ratio_text

GAMES = {1: 400, 2: 40, 3: 3}
"""Games of each turn, by plies, so that each takes some seconds of a well trained network."""


def compare(
    player: Player, plies: Sequence[int], rounds: int, games: int | None, threads: int
) -> list[dict[str, Any]]:
    """Moves per second of the same games without and with a table, and in one and several threads.

    Parameters
    ----------
    player : whose network plays.
    plies : depths to measure.
    rounds : how often the settings take turns.
    games : of each turn; None: by the plies.
    threads : also in so many; 1: no comparison of threads.

    Returns
    -------
    a row for each depth: `none` and `table`, moves per second of each turn, their ratio (above 1: the table is
    faster), `boards` valued for a move without a table, `found`, the share of the afterstates looked beyond that the
    table had, the mean score of the games, and `threads`, the ratio of several threads to one, without a table.

    Raises
    ------
    ConfigError : a number that is not allowed.
    """
    for each in plies:
        check_plies("--plies", each)
    check_whole("--rounds", rounds, 1)
    if games is not None:
        check_whole("--games", games, 1)
    progress, rows = Progress("search", len(plies) * rounds * (3 if threads > 1 else 2)), []
    for depth in plies:
        number = games or games_for(depth)
        turns = []
        for _ in range(rounds):
            turns.append([play(player, SearchOptions(depth, table=mib), number) for mib in (0, AUTO_TABLE)])
            progress.update(progress.done + 2)
        none, table = ([turn[side] for turn in turns] for side in (0, 1))
        speeds = [[each["moves_per_second"] for each in side] for side in (none, table)]
        row = {"plies": depth, "games": number, "mean": none[0]["mean"], "boards": none[0]["boards"]}
        row |= {"found": table[0]["found"], "none": speeds[0], "table": speeds[1], **ratio_range(*reversed(speeds))}
        if threads > 1:
            row["threads"] = ratio_range(*zip(*(_threads(player, depth, number, threads, progress)
                                                for _ in range(rounds)), strict=True))  # fmt: skip
        rows.append(row)
    progress.close()
    return rows


def games_for(plies: int) -> int:
    """Games of a turn at a depth."""
    return GAMES.get(plies, 1)


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


def _threads(player: Player, plies: int, games: int, threads: int, progress: Progress) -> tuple[float, float]:
    """Speeds of several threads and of one; each thread has as many games."""
    speeds = []
    for number in (threads, 1):
        start = time.perf_counter()
        records = player.evaluate(games * number, threads=number, search=SearchOptions(plies, table=0))
        speeds.append(float(records["moves"].sum()) / (time.perf_counter() - start))
    progress.update(progress.done + 1)
    return speeds[0], speeds[1]


def text(player: Player, rows: Sequence[dict[str, Any]], threads: int) -> str:
    """The figures as a table."""
    described = environment.describe(player.network.instructions)
    lines = [f"{player.network.m} features, {described['instructions']}, {described['cpu']}"]
    for row in rows:
        none, table = (f"{statistics.median(row[side]):,.0f}" for side in ("none", "table"))
        line = (
            f"{row['plies']}-ply: {none} moves/s without a table, {table} with one of {AUTO_TABLE} MiB; ratio "
            f"{ratio_text(row)}; {row['boards']:,.0f} boards a move, {row['found']:.1%} found; mean "
            f"{row['mean']:,.0f} over {row['games']} games"
        )
        lines.append(line + (f"; {threads} threads {ratio_text(row['threads'])} of one" if "threads" in row else ""))
    return "\n".join(lines)
