"""Many games played at once by a policy."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tdl.game.batch import Batch
from tdl.game.engine import EVALUATION
from tdl.game.rules import Rules
from tdl.players.batch_moves import Moves, moves_of
from tdl.storage.records import RECORD
from tdl.training.options import OnProgress

Which = NDArray[np.int64]
Actions = NDArray[np.int64]

SelectActions = Callable[[Which, Moves], Actions]
"""The actions of games, from the games' numbers and the moves on their boards."""

OnMove = Callable[[Which, Moves, Actions, NDArray[np.int32], Moves], None]
"""Called after each move of the boards: which boards, the moves there were, actions, rewards, the moves there are."""

EVERY = 64
"""Moves of all boards between two calls of `on_progress`."""


class Policy(Protocol):
    """Selects actions in games of some rules."""

    @property
    def rules(self) -> Rules: ...
    def select_actions(self, moves: Moves) -> Actions: ...


def play_block(
    batch: Batch,
    first: int,
    episodes: int,
    *,
    seed: int,
    role: int,
    select_actions: SelectActions,
    on_move: OnMove | None = None,
    on_progress: OnProgress | None = None,
) -> NDArray[np.void]:
    """Play games to their ends; a board whose game is over takes the next one.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).
    """
    records = np.zeros(episodes, RECORD)
    which = np.arange(min(batch.n, episodes))
    batch.start(which, seed, role, first + which)
    started, played, turns, moves = len(which), 0, 0, moves_of(batch, which)
    while len(which):
        going = moves.legal.any(axis=1)
        if not going.all():
            ended = which[~going]
            _record(records, batch, ended, first)
            more = ended[: episodes - started]
            batch.start(more, seed, role, first + started + np.arange(len(more)))
            started += len(more)
            which = np.union1d(which[going], more)
            moves = moves_of(batch, which)
            continue  # a game can be over before it begins
        actions = select_actions(batch.episode[which], moves)
        rewards = batch.step(actions, which)
        before, moves = moves, moves_of(batch, which)
        played, turns = played + len(which), turns + 1
        if on_move:
            on_move(which, before, actions, rewards, moves)
        if on_progress and turns % EVERY == 0:
            on_progress(started - len(which), played)
    return records


def _record(records: NDArray[np.void], batch: Batch, ended: Which, first: int) -> None:
    rows = batch.episode[ended] - first
    for name in ("episode", "score", "moves", "max_tile"):
        records[name][rows] = getattr(batch, name)[ended]


def play_games(
    policy: Policy, episodes: int, seed: int = 0, *, boards: int = 128, on_progress: OnProgress | None = None
) -> NDArray[np.void]:
    """Play games without learning, on the drops that the evaluations of n-tuple networks meet with this seed.

    Parameters
    ----------
    policy : selects the actions.
    episodes : number of games.
    seed : of the drops.
    boards : played at once. Rounding in a network may depend on it.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).
    """
    return play_block(
        Batch(policy.rules, max(1, min(boards, episodes))),
        0,
        episodes,
        seed=seed,
        role=EVALUATION,
        select_actions=lambda _, moves: policy.select_actions(moves),
        on_progress=on_progress,
    )
