"""Record a game of an evaluation move by move: `record_game` plays the same game as the kernel."""

from collections.abc import Callable

import numpy as np

from tdl.base.checks import check_whole
from tdl.errors import refuse
from tdl.game.engine import Stream
from tdl.game.streams import EVALUATION
from tdl.players.player import Player
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import Move, RecordedGame, dropped, optional_values


def can_be_recorded(player: Player, search: SearchOptions) -> bool:
    """Whether the action values of a search are those of an evaluation: it has no table of the drops."""
    return search.greedy or not player.shares_drops


def record_game(
    player: Player,
    seed: int = 0,
    episode: int = 0,
    *,
    plies: int = 1,
    search: SearchOptions | None = None,
    checkpoint: str | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> RecordedGame:
    """Play game number `episode` of the evaluation with this seed, by the drop law, and keep every move.

    It is the game that `evaluate` plays.

    Parameters
    ----------
    player : a network of states that looks ahead needs expectation="direct".
    plies : the player's moves that are looked at before one is chosen.
    search : how else the player looks ahead; it has plies of its own.
    checkpoint : digest of the player's checkpoint, to be kept.
    on_progress : called after each move with the number of moves so far. May raise to give the game up.
    """
    check_whole("seed", seed, 0)
    check_whole("episode", episode, 0)
    search = SearchOptions(plies) if search is None else search
    if not can_be_recorded(player, search):
        raise refuse("expectation", player.expectation, "direct for a network of states that looks ahead")
    values_of = player.action_values(search)
    engine, drops = player.engine, Stream(seed, EVALUATION, episode)
    board = start = engine.start(drops)
    moves: list[Move] = []
    while not np.isnan(values := values_of(board)).all():
        action = int(np.nanargmax(values))
        after, reward = engine.move(board, action)
        following = engine.place(after, drops)
        cell, tile = dropped(after, following, engine.rules)
        moves.append(Move(board, action, reward, optional_values(values), cell, tile))
        board = following
        if on_progress is not None:
            on_progress(len(moves))
    return RecordedGame(engine.rules, start, tuple(moves), search, seed, episode, checkpoint)
