"""Paired comparison of searched games with a TDL2048+ binary that the user built: the same weights, in turn.

Each side plays with its faster setting, with or without a table of boards searched already: both are tried before.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tdl.agents.player import Player, load
from tdl.benchmarks.search import games_for, play
from tdl.checks import check_whole
from tdl.errors import TdlError
from tdl.formats.exchange import export_weights
from tdl.runs.progress import Progress
from tdl.search.options import AUTO_TABLE, SearchOptions, check_plies
from tdl.statistics.intervals import ratio_range, ratio_text

PEER_TABLE = "64M"
"""The table that the peer is tried with; it wants a power of two."""

SMALLER = 4
"""The peer plays a fourth of our games."""

_SUMMARY = re.compile(r"(?m)^summary \d+ms ([\d.]+)ops\s+total:\s+avg=([\d.]+)")


@dataclass(frozen=True)
class Played:
    """One turn: moves per second, and the mean score."""

    speed: float
    mean: float


def compare(binary: str, checkpoint: str, plies: Sequence[int], pairs: int, games: int | None) -> dict[int, Any]:
    """Moves per second of both programs with the same network, by plies, and their ratios.

    Parameters
    ----------
    binary : path of the peer's program.
    checkpoint : folder of a run or checkpoint, of a network that the peer's weight files can hold.
    plies : depths.
    pairs : how often the two take turns, each time with other games.
    games : of ours in each turn; None: by the plies. The peer plays a fourth of them.

    Raises
    ------
    TdlError : a number or a network that is not allowed; the program cannot be run, or does not print what it should.
    """
    for depth in plies:
        check_plies("--plies", depth)
    check_whole("--pairs", pairs, 1)
    if games is not None:
        check_whole("--games", games, 1)
    player = load(checkpoint, copy=True)
    progress, figures = Progress("pairs", len(plies) * (pairs + 1)), {}
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "network.w"
        words = export_weights(Path(checkpoint), weights, "tdl2048").words.split()
        for depth in plies:
            ours = games or games_for(depth)
            sides = _Ours(player, depth, ours), _Peer([binary, *words, "-i", str(weights)], depth, -(-ours // SMALLER))
            figures[depth] = _pairs(*sides, pairs, progress)
    progress.close()
    return figures


class _Ours:
    """Our side, at one depth."""

    def __init__(self, player: Player, plies: int, games: int) -> None:
        self.player, self.plies, self.games = player, plies, games
        self.settings: Sequence[int | str] = (0, AUTO_TABLE)

    def play(self, setting: int | str, seed: int) -> Played:
        played = play(self.player, SearchOptions(self.plies, table=setting), self.games, seed)
        return Played(played["moves_per_second"], played["mean"])


class _Peer:
    """The peer's."""

    def __init__(self, words: Sequence[str], plies: int, games: int) -> None:
        self.words = [*words, "-t", "0", "-e", f"1x{games}", "-d", f"{plies}p"]
        self.settings: Sequence[int | str] = (0, PEER_TABLE)

    def play(self, setting: int | str, seed: int) -> Played:
        words = [*self.words, "-s", str(seed), *(["-c", str(setting)] if setting else [])]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise TdlError(f"{words[0]}: cannot be run: {error}") from error
        found = _SUMMARY.search(done.stdout)
        if found is None:
            raise TdlError(f"{words[0]}: printed no summary of its games")
        return Played(float(found[1]), float(found[2]))


def _pairs(ours: _Ours, peer: _Peer, pairs: int, progress: Progress) -> dict[str, Any]:
    """Figures of several pairs at one depth, each side with its faster setting."""
    chosen: list[int | str] = []
    for side in (ours, peer):
        player: Callable[[int | str, int], Played] = side.play
        chosen.append(max(side.settings, key=lambda setting: player(setting, 0).speed))
    progress.update(progress.done + 1)
    turns = []
    for seed in range(1, pairs + 1):
        turns.append((ours.play(chosen[0], seed), peer.play(chosen[1], seed)))
        progress.update(progress.done + 1)
    speeds = [[turn[side].speed for turn in turns] for side in (0, 1)]
    means = [sum(turn[side].mean for turn in turns) / pairs for side in (0, 1)]
    return {
        "ours": [round(speed) for speed in speeds[0]],
        "peer": [round(speed) for speed in speeds[1]],
        **ratio_range(*speeds),
        "tables": {"ours_mib": chosen[0], "peer": chosen[1]},
        "means": {"ours": means[0], "peer": means[1]},
        "games": {"ours": ours.games * pairs, "peer": -(-ours.games // SMALLER) * pairs},
    }


def text(figures: dict[int, Any]) -> str:
    """The figures, a line for each depth."""
    return "\n".join(
        f"{plies}-ply: ours {_mean(part['ours'])}, peer {_mean(part['peer'])} moves/s; ratio {ratio_text(part)}; mean "
        f"score {part['means']['ours']:,.0f} of {part['games']['ours']} games, {part['means']['peer']:,.0f} of "
        f"{part['games']['peer']}; tables {part['tables']['ours_mib']} MiB, {part['tables']['peer']}"
        for plies, part in figures.items()
    )


def _mean(speeds: Sequence[int]) -> str:
    return f"{sum(speeds) / len(speeds):,.0f}"
