"""A trained network as a smaller checkpoint that only plays: weights of half precision, packed."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import MAX_COUNT, check_whole
from tdl.base.machine import allocate, cores
from tdl.errors import ConfigError, refuse
from tdl.learning.stored_network import WEIGHTS, is_compact
from tdl.network.ntuple import NTupleNetwork
from tdl.players.ensemble import parts, promoted
from tdl.players.kinds import checkpoint_folder, read_agent
from tdl.players.player import Player, player_of
from tdl.runs.evaluation import Evaluation
from tdl.statistics.intervals import interval_text, mean_interval
from tdl.storage.atomic import new_folder
from tdl.storage.checkpoint import Meta, write_checkpoint
from tdl.storage.saved_folder import SAVED
from tdl.training.options import PlayOptions
from tdl.training.saved_trainer import TRAINER

LARGEST, LEAST = float(np.finfo(np.float16).max), float(np.finfo(np.float16).smallest_subnormal)

LEFT_OUT = ("format", "arrays", "digest", SAVED, TRAINER)
"""Entries of a description that are written anew, and those of what was saved from Python, which this is not."""


def export(source: str | Path, target: Path, options: Namespace) -> str:
    """Make a compact checkpoint of a run or a checkpoint, and say its size and what the rounding cost.

    Parameters
    ----------
    options : `step`: weights are rounded to multiples of so many points first, which pack better; 0: they are not.
        `games`: how many, with the same drops, either network plays to tell the cost; 0: none.

    Raises
    ------
    CheckpointError : missing, damaged, or not of an n-tuple network.
    ConfigError : a weight that has no half, one that is compact already, or too little memory.
    """
    check_whole("--games", options.games, 0, MAX_COUNT + 1)
    if options.step and not LEAST <= options.step <= LARGEST:
        raise refuse("--step", options.step, f"0, or {LEAST:.1g} to {LARGEST:,.0f}, as halves have")
    folder = checkpoint_folder(source)
    meta = read_agent(folder)
    before = player_of(folder, meta)
    if is_compact(meta):
        raise ConfigError(f"{folder}: its weights have 16 bits already")
    after = rounded(before.network, options.step)
    about = {name: entry for name, entry in meta.items() if name not in LEFT_OUT}
    with new_folder(target) as building:
        write_checkpoint(building, about, {WEIGHTS: after.weights})
    lines = [_sizes(target, meta, after)]
    if options.games:
        lines.append(_cost(before, before.with_network(after), options.games))
    return "\n".join(lines)


def rounded(network: NTupleNetwork, step: float = 0.0) -> NTupleNetwork:
    """The network with weights of half precision, in memory of their own: of multiples of a step, unless it is 0.

    Raises
    ------
    ConfigError : a weight that has no half, or too little memory.
    """
    return NTupleNetwork(network.rules, network.tuples, stages=network.stages, weights=_halves(network, step))


def _halves(network: NTupleNetwork, step: float) -> NDArray[Any]:
    """The weights, rounded; those of later stages that were never moved are what promotion makes of them."""
    weights = network.weights
    halves = allocate("--format", len(weights), f"{len(weights):,} weights of 16 bits", np.float16)
    for first, last in parts(network):
        part = promoted(weights, first, last, network)
        part = np.round(part / np.float32(step)) * np.float32(step) + 0.0 if step else part  # +0: there is no -0
        if not (fits := np.abs(part) <= LARGEST).all():  # true of nan too
            at = int(fits.argmin())
            raise refuse(f"weights[{first + at}]", float(part[at]), f"at most {LARGEST:,.0f}, the largest half")
        halves[first:last] = part
    return halves


def _sizes(target: Path, meta: Meta, network: NTupleNetwork) -> str:
    packed = sum(file.stat().st_size for file in target.iterdir())
    whole = sum(entry["bytes"] for entry in meta["arrays"].values())
    room = network.weights.nbytes
    sizes = map(_size_text, (packed, whole, room, 2 * room))
    return "{}: {} instead of {}; in memory {} instead of {}".format(target, *sizes)


def _size_text(size: int) -> str:
    return f"{size / 2**20:,.1f} MiB" if size >= 2**20 else f"{size / 2**10:,.1f} KiB"


def _cost(before: Player, after: Player, games: int) -> str:
    """What the rounding cost, in points, over games in which both meet the same drops."""
    play = PlayOptions(threads=cores())
    scores = [Evaluation(player, play).games(games, lambda: None)[0]["score"] for player in (before, after)]
    gain = (scores[1] - scores[0]).astype(np.float64)
    means = " to ".join(f"{score.mean():,.0f}" for score in scores)
    text = interval_text(gain.mean(), *mean_interval(gain))
    return f"rounding: mean of {games:,} games with one ply from {means}, a difference of {text}"
