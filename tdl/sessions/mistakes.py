"""Mistakes in a recorded game: what each move loses by the values of a deeper search."""

import dataclasses
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError
from tdl.players.kinds import Agent
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import RecordedGame

MISTAKE = np.dtype([("move", "<i4"), ("chosen", "i1"), ("best", "i1"), ("loss", "<f8")])
"""A move compared with a better player's: its number, the action chosen, the best one, and by how many points it is
better. Equal values lose nothing."""


def mistakes(
    game: RecordedGame,
    player: Agent,
    plies: int = 3,
    *,
    search: SearchOptions | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> NDArray[np.void]:
    """What each move of a game lost by the values of a deeper search, or of another player.

    Parameters
    ----------
    player : of the same rules.
    plies : the player's moves that a search looks at.
    search : how else it looks ahead; it has plies of its own.
    on_progress : called after each move with the number of moves compared. May raise to give it up.

    Returns
    -------
    structured array of dtype `MISTAKE`, shape (moves,), in the order of the game. `np.sort(rows, order="loss")[::-1]`
    has the largest losses first.

    Raises
    ------
    ConfigError : a player of other rules, or plies out of range.
    """
    search = SearchOptions(plies) if search is None else search
    if player.rules != game.rules:
        raise ConfigError(
            f"player: of other rules than the game: {player.rules.to_dict()}, not {game.rules.to_dict()}"
        )
    rows, values_of = np.zeros(len(game.moves), MISTAKE), player.action_values(search)
    for number, move in enumerate(game.moves):
        values = values_of(move.board)
        best = int(np.nanargmax(values))
        rows[number] = (number, move.action, best, values[best] - values[move.action])
        if on_progress is not None:
            on_progress(number + 1)
    return rows


def with_losses(game: RecordedGame, rows: NDArray[np.void]) -> RecordedGame:
    """The game with the losses of its moves, the result of `mistakes`."""
    losses = rows["loss"].tolist()
    moves = [dataclasses.replace(move, loss=loss) for move, loss in zip(game.moves, losses, strict=True)]
    return dataclasses.replace(game, moves=tuple(moves))
