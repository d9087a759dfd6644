"""Training and searched games against a TDL2048+ binary that the user built, each program in one thread.

The peer is github.com/moporgic/TDL2048, built by its own `make`. Both programs train the same setting, or play games
with the weights of a checkpoint, each with or without a table of searched boards, as it is faster. Speeds of training
are each program's own count over its own time.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.player import Player, load
from tdl.agents.trainer import Trainer
from tdl.benchmarks.arguments import add_episodes, add_lanes, add_tuples
from tdl.benchmarks.paired import BLOCK, Advance, in_turn, millions, paired, progress, train
from tdl.benchmarks.registry import Report
from tdl.benchmarks.search import GAMES, check_search, play
from tdl.checks import check_whole
from tdl.config.build import tuple_set
from tdl.config.files import group_file
from tdl.errors import TdlError, refuse
from tdl.formats.exchange import export_weights
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import AUTO_TABLE, SearchOptions
from tdl.statistics.intervals import ratio_text

ORDERS = ("backward", "forward")

PEER_TABLE = "64M"
"""The table that the peer is tried with; it wants a power of two."""

SMALLER = 4
"""The peer plays a fourth of our games."""

_BLOCK_LINE = re.compile(r"(?m)^\d+/\d+ (\d+)ms ([\d.]+)ops")
_SUMMARY = re.compile(r"(?m)^summary \d+ms ([\d.]+)ops\s+total:\s+avg=([\d.]+)")


def arguments(parser: ArgumentParser) -> None:
    add_tuples(parser)
    add_lanes(parser)
    add_episodes(parser)
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
    if options.checkpoint is not None:
        check_search(options.plies, options.games)
        check_whole("--pairs", options.pairs, 1)
        searched = compare_search(options)
        return Report(searched, search_text(searched))
    orders = ORDERS if options.order == "both" else (options.order,)
    settings = [Setting(options.tuples, order, options.learner, options.td_lambda, options.lanes) for order in orders]
    check_whole("--pairs", options.pairs, 1)
    for key, episodes, least in (("--blank", options.blank, BLOCK), ("--state", options.state, 0)):
        check_whole(key, episodes, least)
        if episodes % BLOCK:
            raise refuse(key, episodes, f"a multiple of {BLOCK}")
    trained = {setting.order: compare_training(setting, options) for setting in settings}
    return Report(trained, training_text(trained))


def output(words: Sequence[str]) -> str:
    """What the peer prints."""
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise TdlError(f"{words[0]}: cannot be run: {error}") from error


@dataclass(frozen=True)
class Setting:
    """What both programs train: tuples by a name that the peer knows too, and a learner with its own step size."""

    tuples: str
    order: str
    learner: str = "td"
    td_lambda: float = 0.0
    lanes: int | str = "auto"

    def __post_init__(self) -> None:
        if self.td_lambda and self.order != "backward":
            raise refuse("--td-lambda", self.td_lambda, "0 unless --order=backward, as the peer's -l")

    def peer_words(self) -> list[str]:
        """The setting as options of the peer."""
        alpha = group_file("learner", self.learner)["alpha"]
        words = ["-n", f"{self.tuples}patt", "-a", str(alpha), *["coherence"] * (self.learner == "tc")]
        # With a lambda and no mode it learns backward; its mode `backward` with a lambda stays at 1,000 points.
        return [*words, *(["-l", str(self.td_lambda)] if self.td_lambda else ["-tt", self.order]), "-e", "0"]

    def trainer(self, network: NTupleNetwork, episode: int) -> Trainer:
        """A trainer of ours."""
        options = {key: group_file("learner", self.learner)[key] for key in ("alpha", "step")}
        options |= {"order": self.order, "td_lambda": self.td_lambda, "lanes": self.lanes}
        return Trainer(network, **options, episode=episode)


def compare_training(setting: Setting, options: Namespace) -> dict[str, Any]:
    """Both programs from blank, and after `--state` episodes for a quarter of `--blank`."""
    pairs, blank, state = options.pairs, options.blank, options.state
    with tempfile.TemporaryDirectory() as folder, progress("pairs", pairs * (2 if state else 1)) as advance:
        ours, peer = _OurTraining(setting), _PeerTraining([options.tdl2048, *setting.peer_words()], folder)
        sides: dict[str, _OurTraining | _PeerTraining] = {"ours": ours, "peer": peer}

        def compare(episodes: int, first: int) -> dict[str, Any]:
            return paired(in_turn(sides, pairs, lambda name, _: sides[name].speed(episodes, first), advance))

        figures = {"blank": compare(blank, 0)}
        if state:
            ours.prepare(state)
            peer.prepare(state)
            figures[f"after_{state}"] = compare(max(BLOCK, blank // 4 // BLOCK * BLOCK), state)
    return figures


class _OurTraining:
    """Our program: its speed from blank, and from the weights that `prepare` saved."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.network = NTupleNetwork(Rules(), tuple_set(setting.tuples))
        self.saved: list[NDArray[np.float32]] = []

    def speed(self, episodes: int, first: int) -> float:
        return train(self._trainer(first), episodes).speed

    def prepare(self, state: int) -> None:
        trainer = self._trainer(0)
        train(trainer, state)
        self.saved = [array.copy() for array in _learned(trainer)]

    def _trainer(self, first: int) -> Trainer:
        trainer = self.setting.trainer(self.network, first)
        values: Iterable[Any] = self.saved if first else repeat(0)
        for array, value in zip(_learned(trainer), values, strict=False):
            array[:] = value  # touched before the clock runs, as the peer's are
        return trainer


def _learned(trainer: Trainer) -> list[NDArray[np.float32]]:
    return [trainer.network.weights, *trainer.state.values()]


class _PeerTraining:
    """The same of the peer."""

    def __init__(self, words: Sequence[str], folder: str) -> None:
        self.words, self.saved = words, str(Path(folder) / "state.w")

    def speed(self, episodes: int, first: int) -> float:
        return self._train(episodes, *(["-i", self.saved] if first else []))

    def prepare(self, state: int) -> None:
        self._train(state, "-o", self.saved)

    def _train(self, episodes: int, *more: str) -> float:
        printed = output([*self.words, "-t", f"{episodes // BLOCK}x{BLOCK}", *more])
        blocks = [(int(ms) / 1000, float(speed)) for ms, speed in _BLOCK_LINE.findall(printed)]
        if len(blocks) != episodes // BLOCK:
            raise TdlError(f"{self.words[0]}: printed {len(blocks)} lines of speed, expected {episodes // BLOCK}")
        return sum(seconds * speed for seconds, speed in blocks) / sum(seconds for seconds, _ in blocks)


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
    turns = len(options.plies) * (options.pairs + 1)
    with tempfile.TemporaryDirectory() as folder, progress("pairs", turns) as advance:
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
            figures[plies] = _compare_games(sides, counts, options.pairs, advance)
    return figures


def _our_games(player: Player, plies: int, games: int, table: int | str, seed: int) -> dict[str, Any]:
    return play(player, SearchOptions(plies, table=table), games, seed)


def _peer_games(words: Sequence[str], table: int | str, seed: int) -> dict[str, Any]:
    summary = _SUMMARY.search(output([*words, "-s", str(seed), *(["-c", str(table)] if table else [])]))
    if summary is None:
        raise TdlError(f"{words[0]}: printed no summary of its games")
    return {"moves_per_second": float(summary[1]), "mean": float(summary[2])}


def _compare_games(sides: dict[str, Side], games: dict[str, int], pairs: int, advance: Advance) -> dict[str, Any]:
    """Both programs at one depth, each with its faster table, which the games of seed 0 show."""
    tables = {"ours": _faster(sides["ours"], AUTO_TABLE), "peer": _faster(sides["peer"], PEER_TABLE)}
    advance()
    turns = in_turn(sides, pairs, lambda name, turn: sides[name](tables[name], turn + 1), advance)
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
