"""Training and searched games against a TDL2048+ binary that the user built, each program in one thread.

The peer is github.com/moporgic/TDL2048, built by its own `make`. Both programs train the same setting, or play games
with the weights of a checkpoint, each with or without a table of searched boards, as it is faster. Speeds of training
are each program's own count over its own time.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tdl.base.checks import check_whole
from tdl.benchmarks import Report
from tdl.benchmarks.train import BLOCK, add_training, train
from tdl.benchmarks.versus import blank_trainer, in_turn, millions, paired, trainer_from
from tdl.config.files import group_file
from tdl.errors import TdlError, refuse
from tdl.formats.exchange import export_weights
from tdl.players.player import Player, load
from tdl.search.options import AUTO_TABLE, SearchOptions, check_plies
from tdl.statistics.intervals import ratio_text

ORDERS = ("backward", "forward")

GAMES = {1: 400, 2: 40, 3: 3}
"""Games of each turn, by plies, so that each takes some seconds of a well trained network; beyond, 1."""

PEER_TABLE = "64M"
"""The table that the peer is tried with; it wants a power of two."""

SMALLER = 4
"""The peer plays a fourth of our games."""

_BLOCK_LINE = re.compile(r"(?m)^\d+/\d+ (\d+)ms ([\d.]+)ops")
_SUMMARY = re.compile(r"(?m)^summary \d+ms ([\d.]+)ops\s+total:\s+avg=([\d.]+)")


def arguments(parser: ArgumentParser) -> None:
    add_training(parser)
    parser.add_argument("--tdl2048", required=True, metavar="PATH", help="the binary")
    parser.add_argument("--checkpoint", metavar="PATH", help="compare searched games with this network, not training")
    parser.add_argument("--plies", type=int, nargs="+", default=[2, 3], help="of the searched games (2 3)")
    parser.add_argument("--order", default="both", choices=("both", *ORDERS), help="(both)")
    parser.add_argument("--learner", default="td", choices=("td", "tc"), help="(td)")
    parser.add_argument("--td-lambda", type=float, default=0.0, help="backward order only (0)")
    parser.add_argument("--pairs", type=int, default=5, help="turns of each program (5)")
    parser.add_argument("--games", type=int, help="searched games of each turn (by the plies)")


def measure(options: Namespace) -> Report:
    """Moves per second of both programs and their ratios: of training by order, of searched games by plies."""
    check_whole("--pairs", options.pairs, 1)
    if options.checkpoint is not None:
        for plies in options.plies:
            check_plies("--plies", plies)
        if options.games is not None:
            check_whole("--games", options.games, 1)
        searched = compare_search(options)
        return Report(searched, search_text(searched))
    if options.td_lambda and options.order != "backward":
        raise refuse("--td-lambda", options.td_lambda, "0 unless --order=backward, as the peer's -l")
    for key, episodes, least in (("--blank", options.blank, BLOCK), ("--state", options.state, 0)):
        check_whole(key, episodes, least)
        if episodes % BLOCK:
            raise refuse(key, episodes, f"a multiple of {BLOCK}")
    orders = ORDERS if options.order == "both" else (options.order,)
    trained = {order: compare_training(options, order) for order in orders}
    return Report(trained, training_text(trained))


def output(words: Sequence[str]) -> str:
    """What the peer prints."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise TdlError(f"{words[0]}: cannot be run: {error}") from error


def peer_words(options: Namespace, order: str) -> list[str]:
    """What is trained, as options of the peer; it knows the tuples by the same name."""
    alpha, td_lambda = group_file("learner", options.learner)["alpha"], options.td_lambda
    words = ["-n", f"{options.tuples}patt", "-a", str(alpha), *["coherence"] * (options.learner == "tc")]
    # With a lambda and no mode it learns backward; its mode `backward` with a lambda stays at 1,000 points.
    return [*words, *(["-l", str(td_lambda)] if td_lambda else ["-tt", order]), "-e", "0"]


def our_words(options: Namespace, order: str) -> dict[str, Any]:
    """The same as `blank_trainer` takes it."""
    learner = {key: group_file("learner", options.learner)[key] for key in ("alpha", "step")}
    choices = {key: getattr(options, key) for key in ("tuples", "td_lambda", "lanes")}
    return {**learner, **choices, "order": order}


def compare_training(options: Namespace, order: str) -> dict[str, Any]:
    """Both programs from blank, and after `--state` episodes for a quarter of `--blank`."""
    words, peer, state = our_words(options, order), [options.tdl2048, *peer_words(options, order)], options.state
    ours = blank_trainer(words)

    def compare(episodes: int, *later: str) -> dict[str, Any]:
        sides = {
            "ours": lambda: train(trainer_from(ours, words), episodes).speed,
            "peer": lambda: peer_speed([*peer, *later], episodes),
        }
        return paired(in_turn(sides, options.pairs, lambda name, _: sides[name]()))

    figures = {"blank": compare(options.blank)}
    if state:
        with tempfile.TemporaryDirectory() as folder:
            saved = f"{folder}/state.w"
            train(ours, state)
            peer_speed([*peer, "-o", saved], state)
            figures[f"after_{state}"] = compare(max(BLOCK, options.blank // 4 // BLOCK * BLOCK), "-i", saved)
    return figures


def peer_speed(words: Sequence[str], episodes: int) -> float:
    """Moves per second of the peer's training."""
    blocks = _BLOCK_LINE.findall(output([*words, "-t", f"{episodes // BLOCK}x{BLOCK}"]))
    if len(blocks) != episodes // BLOCK:
        raise TdlError(f"{words[0]}: printed {len(blocks)} lines of speed, expected {episodes // BLOCK}")
    times = [int(milliseconds) for milliseconds, _ in blocks]
    return sum(ms * float(speed) for ms, (_, speed) in zip(times, blocks, strict=True)) / sum(times)


def training_text(figures: dict[str, Any]) -> str:
    """The figures of training, a line for each order and state."""
    return "\n".join(
        f"{order:>8} {name:>12}: ours {millions(part['ours'])}, peer {millions(part['peer'])} M moves/s; "
        f"ratio {ratio_text(part)}"
        for order, parts in figures.items()
        for name, part in parts.items()
    )


Side = Callable[[int | str, int], dict[str, Any]]
"""Plays the games of a seed with a table (0: none): `moves_per_second` and `mean` score."""


def compare_search(options: Namespace) -> dict[int, Any]:
    """Both programs with the network of `--checkpoint`, by plies, each turn with other games."""
    player, figures = load(options.checkpoint, copy=True), {}
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "network.w"
        words = export_weights(Path(options.checkpoint), weights, "tdl2048").words.split()
        peer = [options.tdl2048, *words, "-i", str(weights), "-t", "0"]
        for plies in options.plies:
            games = options.games or GAMES.get(plies, 1)
            counts = {"ours": games, "peer": -(-games // SMALLER)}
            sides: dict[str, Side] = {
                "ours": partial(_our_games, player, plies, games),
                "peer": partial(_peer_games, [*peer, "-e", f"1x{counts['peer']}", "-d", f"{plies}p"]),
            }
            figures[plies] = _compare_games(sides, counts, options.pairs)
    return figures


def _our_games(player: Player, plies: int, games: int, table: int | str, seed: int) -> dict[str, Any]:
    start = time.perf_counter()
    records = player.evaluate(games, seed, search=SearchOptions(plies, table=table))
    seconds = time.perf_counter() - start
    return {"moves_per_second": round(records["moves"].sum() / seconds), "mean": float(records["score"].mean())}


def _peer_games(words: Sequence[str], table: int | str, seed: int) -> dict[str, Any]:
    summary = _SUMMARY.search(output([*words, "-s", str(seed), *(["-c", str(table)] if table else [])]))
    if summary is None:
        raise TdlError(f"{words[0]}: printed no summary of its games")
    return {"moves_per_second": float(summary[1]), "mean": float(summary[2])}


def _compare_games(sides: dict[str, Side], games: dict[str, int], pairs: int) -> dict[str, Any]:
    """Both programs at one depth, each with its faster table, which the games of seed 0 show."""
    tables = {"ours": _faster(sides["ours"], AUTO_TABLE), "peer": _faster(sides["peer"], PEER_TABLE)}
    turns = in_turn(sides, pairs, lambda name, turn: sides[name](tables[name], turn + 1))
    return {
        **paired({name: [turn["moves_per_second"] for turn in side] for name, side in turns.items()}),
        "tables": {"ours_mib": tables["ours"], "peer": tables["peer"]},
        "means": {name: sum(turn["mean"] for turn in side) / pairs for name, side in turns.items()},
        "games": {name: count * pairs for name, count in games.items()},
    }


def _faster(side: Side, table: int | str) -> int | str:
    """The table, or 0 where the side is faster without."""
    return max((0, table), key=lambda tried: side(tried, 0)["moves_per_second"])


def search_text(figures: dict[int, Any]) -> str:
    """The figures of searched games, a line for each depth."""
    return "\n".join(
        f"{plies}-ply: ours {np.mean(part['ours']):,.0f}, peer {np.mean(part['peer']):,.0f} moves/s; ratio "
        f"{ratio_text(part)}; mean score {part['means']['ours']:,.0f} of {part['games']['ours']} games, "
        f"{part['means']['peer']:,.0f} of {part['games']['peer']}; "
        f"tables {part['tables']['ours_mib']} MiB, {part['tables']['peer']}"
        for plies, part in figures.items()
    )
