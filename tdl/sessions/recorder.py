"""Record a game of an evaluation move by move: `record_game` plays the same game as the kernel."""

from collections.abc import Callable

from tdl.errors import refuse
from tdl.players.player import Player
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import RecordedGame
from tdl.sessions.session import Session


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
    search = SearchOptions(plies) if search is None else search
    if not can_be_recorded(player, search):
        raise refuse("expectation", player.expectation, "direct for a network of states that looks ahead")
    values = player.action_values(search)
    session = Session(
        player.rules, seed=seed, episode=episode, action_values=values, search=search, checkpoint=checkpoint
    )
    while not session.over:
        session.advance()
        if on_progress is not None:
            on_progress(len(session.moves))
    return session.game()
