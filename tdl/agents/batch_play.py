"""Games played at once, by whatever chooses the actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tdl.agents.batch_moves import Moves, moves_of
from tdl.game.batch import Batch
from tdl.game.rules import Rules
from tdl.game.streams import EVALUATION
from tdl.storage.records import RECORD

Which = NDArray[np.int64]
Actions = NDArray[np.int64]

Choose = Callable[[Which, Moves], Actions]
"""The actions of games, by their numbers, on the boards they have come to."""

Watch = Callable[[Which, Moves, Actions, NDArray[np.int32], Moves], None]
"""Told after each move of the boards: which, what stood on them, actions, rewards, and what stands on them now."""

Between = Callable[[int, int], None]

EVERY = 64
"""Moves of all boards between two looks at the progress bar and the keyboard."""


class Policy(Protocol):
    """Who plays."""

    @property
    def rules(self) -> Rules: ...
    def choose(self, moves: Moves) -> Actions: ...


def play_block(
    batch: Batch,
    first: int,
    episodes: int,
    *,
    seed: int,
    role: int,
    choose: Choose,
    watch: Watch | None = None,
    between: Between | None = None,
) -> NDArray[np.void]:
    """Play games to their ends; a board whose game is over takes the next one.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).
    """
    records = np.zeros(episodes, RECORD)
    which = np.arange(min(batch.n, episodes))
    batch.start(which, seed, role, first + which)
    begun, played, turns, moves = len(which), 0, 0, moves_of(batch, which)
    while len(which):
        going = moves.legal.any(axis=1)
        if not going.all():
            ended = which[~going]
            _record(records, batch, ended, first)
            more = ended[: episodes - begun]
            batch.start(more, seed, role, first + begun + np.arange(len(more)))
            begun += len(more)
            which = np.union1d(which[going], more)
            moves = moves_of(batch, which)
            continue  # a game can be over before it begins
        actions = choose(batch.episode[which], moves)
        rewards = batch.step(actions, which)
        before, moves = moves, moves_of(batch, which)
        played, turns = played + len(which), turns + 1
        if watch:
            watch(which, before, actions, rewards, moves)
        if between and turns % EVERY == 0:
            between(begun - len(which), played)
    return records


def _record(records: NDArray[np.void], batch: Batch, ended: Which, first: int) -> None:
    rows = batch.episode[ended] - first
    for name in ("episode", "score", "moves", "max_tile"):
        records[name][rows] = getattr(batch, name)[ended]


def play_games(
    player: Policy, episodes: int, seed: int = 0, *, boards: int = 128, between: Between | None = None
) -> NDArray[np.void]:
    """Play games without learning, on the drops that the evaluations of n-tuple networks meet with this seed.

    Parameters
    ----------
    player : chooses.
    episodes : number of games.
    seed : of the drops.
    boards : played at once. Rounding in a network may depend on it.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).
    """
    batch = Batch(player.rules, max(1, min(boards, episodes)))
    return play_block(
        batch, 0, episodes, seed=seed, role=EVALUATION, choose=lambda _, moves: player.choose(moves), between=between
    )
