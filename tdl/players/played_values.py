"""The values of the afterstates of greedy games, beside the points that came after them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_whole
from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.players.batch_play import Actions, Moves, Which, play_by_values
from tdl.players.player import Player
from tdl.training.options import OnProgress

PLAYED_VALUE = np.dtype(
    [("episode", "<i8"), ("move", "<i4"), ("tile", "<i8"), ("value", "<f4"), ("earned", "<f8"), ("afterstate", "<u8")]
)
"""An afterstate of a game: the numbers of the game and of the move that made it, both from 0, the value of its largest
tile, the player's value of it, the points from there to the end of the game (discounted by the player's gamma), and
the board itself."""


def played_values(
    player: Player, episodes: int, seed: int = 0, *, boards: int = 512, on_progress: OnProgress | None = None
) -> NDArray[np.void]:
    """Play the games of `player.evaluate` and hold the value of each afterstate against what came after it.

    Parameters
    ----------
    player : of a game on a board of at most 64 bits. In a network of states the value of an afterstate is the mean
        over all drops, whose rounding may choose another of two equal moves than `evaluate` does.
    episodes : number of games.
    seed : of the drops; with the seed of a run these are its own games after training.
    boards : played at once.
    on_progress : as in `player.evaluate`.

    Returns
    -------
    structured array of dtype `PLAYED_VALUE`, a row for each move, by game and move.

    Raises
    ------
    ConfigError : no games, or a board of more than 64 bits.
    """
    check_whole("episodes", episodes, 1)
    check_whole("seed", seed, 0)
    turns: list[tuple[NDArray[Any], ...]] = []
    rules, values = player.network.rules, np.zeros((0, 4), np.float32)  # of the afterstates of this turn

    def values_of(moves: Moves) -> NDArray[np.float32]:
        nonlocal values
        values = np.full(moves.legal.shape, np.nan, np.float32)
        values[moves.legal] = player.afterstate_values(_packed(moves.after[moves.legal], rules))
        return moves.rewards.astype(np.float32) + np.float32(player.gamma) * values

    def keep(games: Which, moves: Moves, _: NDArray[Any], actions: Actions) -> None:
        rows = np.arange(len(games))
        turns.append((games, values[rows, actions], moves.rewards[rows, actions], moves.after[rows, actions]))

    play_by_values(rules, values_of, episodes, seed, boards=boards, on_turn=keep, on_progress=on_progress)
    games, chosen, rewards, cells = (np.concatenate(parts) for parts in zip(*turns, strict=True))
    return _rows(player, games, chosen, rewards, cells)


def _packed(cells: NDArray[Any], rules: Rules) -> NDArray[Any]:
    """Boards as numbers, of rows of their cells."""
    return pack(cells.astype(np.uint64).T, rules)


def _rows(
    player: Player, games: NDArray[Any], values: NDArray[Any], rewards: NDArray[Any], cells: NDArray[Any]
) -> NDArray[np.void]:
    """The moves in the order of the games, each with what its game earned after it."""
    order = np.argsort(games, kind="stable")  # a game's moves stay in their order
    rows = np.zeros(len(order), PLAYED_VALUE)
    rows["episode"], rows["value"] = games[order], values[order]
    first = np.flatnonzero(np.diff(rows["episode"], prepend=-1))
    rows["move"] = np.arange(len(rows)) - np.repeat(first, np.diff(first, append=len(rows)))
    rules = player.network.rules
    tiles = np.array([rules.value(tile) for tile in range(rules.largest + 1)])
    rows["tile"] = tiles[cells[order].max(axis=1).astype(np.int64)]
    rows["afterstate"] = _packed(cells[order], rules)
    rows["earned"] = _earned(rewards[order].tolist(), rows["move"].tolist(), player.gamma)
    return rows


def _earned(rewards: list[int], moves: list[int], gamma: float) -> list[float]:
    """What comes after each move: 0 after the last of a game, before each other the reward and what comes after it."""
    earned, total, last = [0.0] * len(rewards), 0.0, True
    for row in range(len(rewards) - 1, -1, -1):
        earned[row] = total = 0.0 if last else rewards[row + 1] + gamma * total
        last = moves[row] == 0  # the row above is the last move of the game before
    return earned
