"""The games that pages play, each for several requests at once: bounded in number and length."""

import secrets
import threading
import time
from collections import OrderedDict
from http import HTTPStatus
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError, refuse
from tdl.game.boards import lines, unpack
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.search.options import SearchOptions
from tdl.sessions.judged_board import judged
from tdl.sessions.recorded_game import Move, RecordedGame, optional_values
from tdl.sessions.session import Session
from tdl.web.library import Refusal
from tdl.web.served_agents import QUICK_PLIES, ServedAgent

MAX_MOVES = 100_000
"""Of a game: each takes memory, and to take one back draws all others again."""

MAX_COUNT = 200
"""Moves of one request."""

Values = NDArray[np.float64]
State = dict[str, Any]
"""A game as a page gets it, for JSON."""


class OpenGame:
    """A game that a page plays. Searches run beside it: a person never waits for one to move.

    Parameters
    ----------
    agent : gives the action values; None: they are the rewards.
    start : the first board, packed; None: one of the start law.
    seconds : time after which a request begins no further move.

    Attributes
    ----------
    id : its name in requests; it cannot be guessed.
    engine : of the game.
    """

    def __init__(
        self, rules: Rules, agent: ServedAgent | None, seed: int, plies: int, seconds: float, start: int | None = None
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.rules, self.agent, self.start, self._seconds = rules, agent, start, seconds
        self._lock, self._version = threading.RLock(), 0
        self._known: tuple[int, Values] | None = None
        self._search = self._search_of(plies)
        self._session = Session(
            rules,
            seed=seed,
            start=start,
            action_values=self._quick_values,
            search=self._search,
            checkpoint=None if agent is None else agent.digest,
        )
        self.engine = self._session.engine

    def _search_of(self, plies: int) -> SearchOptions:
        if self.agent is not None:
            return self.agent.search(plies)
        if plies != 1:
            raise refuse("plies", plies, "1 without an agent")
        return SearchOptions()

    @property
    def _is_quick(self) -> bool:
        return self._search.plies <= QUICK_PLIES

    def _quick_values(self, board: int) -> Values:
        """For the session: values that are known, else those that take no time."""
        return self.values_of(board, self._search if self._is_quick else SearchOptions())

    def values_of(self, board: int, search: SearchOptions | None = None) -> Values:
        """The action values of a board, by the depth that is set unless they are known; the game is not locked."""
        known = self._known
        if known is not None and known[0] == board:
            return known[1]
        return self._session.rewards(board) if self.agent is None else self.agent.values(board, search or self._search)

    def state(self) -> State:
        """The game as it stands; `values` is null where they take a search."""
        with self._lock:
            session = self._session
            if self._is_quick:
                self._known = session.board, self._quick_values(session.board)
            known, legal = self._known, session.legal
            return {
                "board": self.engine.array(session.board).tolist(),
                "score": session.score,
                "moves": len(session.moves),
                "version": self._version,
                "legal": [ACTION_NAMES[action] for action in legal],
                "over": not legal,
                "largest": session.max_tile,
                "plies": self._search.plies,
                **values_json(known[1] if known is not None and known[0] == session.board else None),
            }

    def move(self, action: str, version: int | None = None) -> State:
        """A person's move."""
        with self._lock:
            if version is not None and version != self._version:
                raise Refusal(HTTPStatus.CONFLICT, "the board has changed meanwhile")
            return self._after(self._session.move(ACTION_NAMES.index(action)))

    def step(self, count: int) -> list[State]:
        """Moves of the agent: the state after each. Fewer than `count` where the time or the game is over."""
        frames: list[State] = []
        end = time.monotonic() + self._seconds
        while len(frames) < count and (not frames or time.monotonic() < end):
            with self._lock:
                board, version, over = self._session.board, self._version, self._session.over
            if over and frames:
                break
            values = self.values_of(board)
            with self._lock:
                if version != self._version:  # somebody took over
                    break
                self._known = board, values
                if frames:
                    frames[-1] |= values_json(values)
                frames.append(self._after(self._session.advance()))
        return frames

    def _after(self, move: Move) -> State:
        """The state after a move, with the move."""
        if len(self._session.moves) > MAX_MOVES:
            self._session.undo()
            raise ConfigError(f"a game here has at most {MAX_MOVES:,} moves; take some back or start a new one")
        self._version += 1
        return self.state() | {"made": made_json(move, self.rules)}

    def undo(self, count: int) -> State:
        """Take moves back."""
        with self._lock:
            self._session.undo(count)
            self._version += 1
            return self.state()

    def look(self, plies: int | None) -> State:
        """The game with the agent's values, after a search where they need one.

        Parameters
        ----------
        plies : of searches from now on; None: as before.
        """
        with self._lock:
            if plies is not None and plies != self._search.plies:
                self._search, self._known = self._search_of(plies), None
                self._session.ask(self._quick_values, self._search, self._session.checkpoint)
            board, search = self._session.board, self._search
        values = self.values_of(board)
        with self._lock:
            if (board, search) == (self._session.board, self._search):
                self._known = board, values
            return self.state()

    def whole(self) -> State:
        """What a page needs to go on with the game: its seed, its first board where that is any, scores and state."""
        with self._lock:
            session = self._session
            start = None if self.start is None else self.engine.array(self.start).tolist()
            scores = list(accumulate((move.reward for move in session.moves), initial=0))
            return {"seed": session.seed, "board": start, "scores": scores, "state": self.state()}

    def judged(self) -> State:
        """The board as it stands, the values of its moves, the best of them, and what each other one loses."""
        board = self._session.board
        rows, plies = self.engine.array(board).tolist(), self._search.plies
        return {"board": rows, **judged(self.values_of(board)), "plies": plies}

    def game(self) -> RecordedGame:
        """The game so far, to be saved."""
        with self._lock:
            return self._session.game()


def made_json(move: Move, rules: Rules) -> State:
    """A move as a page gets it."""
    return {
        "action": ACTION_NAMES[move.action],
        "by": move.by,
        "reward": move.reward,
        "slides": slides(move.board, move.action, rules),
        "drop": {"cell": move.cell, "tile": rules.value(move.tile)},
    }


def slides(board: int, action: int, rules: Rules) -> list[tuple[int, int]]:
    """The cell of each tile before a move and after it, where that is another one, or one that another tile shares."""
    tiles, ways = unpack(board, rules), []
    for cells in lines(action, rules):  # each read from the wall
        full, place = [cell for cell in cells if tiles[cell]], 0
        while full:
            cell = full.pop(0)
            ways.append((cell, cells[place]))
            if full and rules.merge(tiles[cell], tiles[full[0]]):
                ways.append((full.pop(0), cells[place]))
            place += 1
    targets = [target for _, target in ways]
    return [(cell, target) for cell, target in ways if cell != target or targets.count(target) > 1]


def values_json(values: Values | None) -> State:
    """Values of the four actions as a page gets them."""
    return {"values": None if values is None else optional_values(values)}


class OpenGames:
    """The games that are open, up to a limit: then the one with the oldest request is closed."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._lock = threading.Lock()
        self._open: OrderedDict[str, OpenGame] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, game: OpenGame) -> None:
        """Keep a game."""
        with self._lock:
            self._open[game.id] = game
            while len(self._open) > self.limit:
                self._open.popitem(last=False)

    def get(self, game: object) -> OpenGame:
        """The game of this name."""
        with self._lock:
            if not isinstance(game, str) or game not in self._open:
                raise Refusal(HTTPStatus.NOT_FOUND, "game: not known here; of too many the oldest are put away")
            self._open.move_to_end(game)
            return self._open[game]
