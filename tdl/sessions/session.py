"""A session: one game in the making, in which a person or an agent moves, takes back, and sees action values."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_whole
from tdl.errors import ConfigError, refuse
from tdl.game.boards import action_of
from tdl.game.engine import EVALUATION, Engine, Stream
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.players.kinds import ActionValues
from tdl.players.player import Player
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import Move, RecordedGame, dropped, optional_values


class Session:
    """One game, move by move.

    The drops are those of game number `episode` of an evaluation with this seed: an agent that plays it alone plays
    that game. A move that is taken back and made again is followed by the same drop: nobody can look for a better one.

    Parameters
    ----------
    rules : of the game.
    seed, episode : of the drops.
    start : the first board, packed; None: one of the start law.
    action_values : of the agent; None: the rewards.
    search : how the agent looks ahead, for the record.
    checkpoint : its digest, for the record.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        seed: int = 0,
        episode: int = 0,
        start: int | None = None,
        action_values: ActionValues | None = None,
        search: SearchOptions | None = None,
        checkpoint: str | None = None,
    ) -> None:
        check_whole("seed", seed, 0)
        check_whole("episode", episode, 0)
        self.rules, self.engine, self.seed, self.episode = rules, Engine(rules), seed, episode
        self._drops = Stream(seed, EVALUATION, episode)
        self.own_start = start is not None
        self.start = self.board = self.engine.start(self._drops) if start is None else start
        self.moves: list[Move] = []
        self.score = 0
        self.ask(action_values, search, checkpoint)

    def ask(
        self, action_values: ActionValues | None, search: SearchOptions | None = None, checkpoint: str | None = None
    ) -> None:
        """Ask another agent from now on, or the same at another depth."""
        self._action_values = action_values or self.rewards
        self.search, self.checkpoint = search or SearchOptions(), checkpoint
        self._known: tuple[int, NDArray[np.float64]] | None = None

    def rewards(self, board: int) -> NDArray[np.float64]:
        """The rewards of the four actions on a board: shape (4,), nan where illegal."""
        out = np.full(4, np.nan)
        for action, _, reward in self.engine.afterstates(board):
            out[action] = reward
        return out

    @property
    def over(self) -> bool:
        """Whether no action is legal."""
        return self.engine.terminal(self.board)

    @property
    def legal(self) -> list[int]:
        """The legal actions, ascending."""
        return self.engine.legal(self.board)

    @property
    def max_tile(self) -> int:
        """Value of the largest tile on the board."""
        return self.engine.max_tile(self.board)

    def values(self) -> NDArray[np.float64]:
        """The agent's values of the four actions: shape (4,), nan where illegal. Computed once for a board."""
        if self._known is None or self._known[0] != self.board:
            self._known = self.board, self._action_values(self.board)
        return self._known[1]

    def best(self) -> int | None:
        """The agent's choice; None when the game is over."""
        values = self.values()
        return None if np.isnan(values).all() else int(np.nanargmax(values))

    def move(self, action: Any, by: str = "person") -> Move:
        """Make a move, and let a tile drop. `action`: a number or a name."""
        action = action_of(action)
        if action not in self.legal:
            legal = ", ".join(ACTION_NAMES[other] for other in self.legal) or "the game is over"
            raise ConfigError(f"{ACTION_NAMES[action]} is not legal; {legal}" + " would be" * bool(self.legal))
        values = optional_values(self.values())
        after, reward = self.engine.move(self.board, action)
        following = self.engine.place(after, self._drops)
        move = Move(self.board, action, reward, values, *dropped(after, following, self.rules), by=by)
        self.moves.append(move)
        self.board, self.score = following, self.score + reward
        return move

    def advance(self) -> Move:
        """Make the agent's move."""
        best = self.best()
        if best is None:
            raise ConfigError("the game is over")
        return self.move(best, "agent")

    def undo(self, count: int = 1) -> Move | None:
        """Take the last move back, or the last few; the first of them, None where there is none."""
        if not self.moves or count < 1:
            return None
        first = max(0, len(self.moves) - count)
        taken = self.moves[first:]
        del self.moves[first:]
        self.board, self.score = taken[0].board, self.score - sum(move.reward for move in taken)
        self._drops = Stream(self.seed, EVALUATION, self.episode)
        draws = 0 if self.own_start else len(self.rules.start)
        for _ in range(draws + len(self.moves)):  # each drop is one draw
            self._drops.next()
        return taken[0]

    def game(self) -> RecordedGame:
        """The game so far, as `tdl.sessions.game_file.save` takes it."""
        moves, of_stream = tuple(self.moves), (self.seed, self.episode)
        start = self.start, moves, self.search, *of_stream
        return RecordedGame(self.rules, *start, self.checkpoint, self.over, self.own_start)


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
