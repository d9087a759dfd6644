"""Record a game of an evaluation move by move: `record_game` plays the same game as the kernel."""

from collections.abc import Callable

import numpy as np

from tdl.base.checks import check_whole
from tdl.errors import refuse
from tdl.game.engine import EVALUATION, Stream
from tdl.players.player import Player
from tdl.search.options import SearchOptions
from tdl.sessions.action_values import action_values, can_be_recorded, optional_values
from tdl.sessions.recorded_game import Move, RecordedGame, dropped


def record_game(
    player: Player,
    seed: int = 0,
    episode: int = 0,
    *,
    plies: int = 1,
    search: SearchOptions | None = None,
    expectation: str = "auto",
    checkpoint: str | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> RecordedGame:
    """Play game number `episode` of the evaluation with this seed, by the drop law, and keep every move.

    It is the game that `evaluate` plays by the player's network, gamma and target.

    Parameters
    ----------
    plies : the player's moves that are looked at before one is chosen.
    search : how else the player looks ahead; it has plies of its own.
    expectation : as in `evaluate`; a network of states that looks ahead needs "direct".
    checkpoint : digest of the player's checkpoint, to be kept.
    on_progress : called after each move with the number of moves so far. May raise to give the game up.
    """
    check_whole("seed", seed, 0)
    check_whole("episode", episode, 0)
    search = SearchOptions(plies) if search is None else search
    if not can_be_recorded(player, search, expectation):
        raise refuse("expectation", expectation, "direct for a network of states that looks ahead")
    values_of = action_values(player, search, expectation)
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
