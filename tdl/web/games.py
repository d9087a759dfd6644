"""The games that pages play: bounded in number and length, each for several requests at once."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from http import HTTPStatus
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import Game, Move
from tdl.sessions.session import Session
from tdl.web.agents import QUICK_PLIES, Agent
from tdl.web.animation import slides
from tdl.web.errors import Refusal

MAX_MOVES = 100_000
"""Of a game: each takes memory, and what is taken back is drawn anew from the start."""

MAX_COUNT = 200
"""Moves of one request."""

Values = NDArray[np.float64]
View = dict[str, Any]


class OpenGame:
    """A game that a page plays. Searches run beside it: a person never waits for one to move.

    Parameters
    ----------
    agent : who is asked for values; None: a move is worth its reward.
    seconds : after which no further move of a request is begun.

    Attributes
    ----------
    id : by which it is asked for; it cannot be guessed.
    engine : of the game.
    """

    def __init__(self, rules: Rules, agent: Agent | None, seed: int, plies: int, seconds: float) -> None:
        self.id = secrets.token_urlsafe(12)
        self.rules, self.agent, self._seconds = rules, agent, seconds
        self._lock, self._version = threading.Lock(), 0
        self._known: tuple[int, Values] | None = None
        self._searching = self._deep(plies)
        digest = agent.digest if agent is not None else None
        self._session = Session(rules, seed=seed, think=self._think, searching=self._searching, checkpoint=digest)
        self.engine = self._session.engine

    def _deep(self, plies: int) -> SearchOptions:
        if self.agent is not None:
            return self.agent.searching(plies)
        if plies != 1:
            raise ConfigError(f"plies: {plies!r} is not allowed; expected 1 without an agent")
        return SearchOptions()

    def _think(self, board: int) -> Values:
        """For the session: what was found already, else what takes no time."""
        if self._known is not None and self._known[0] == board:
            return self._known[1]
        return self._asked(board, self._searching if self._is_quick else SearchOptions())

    def _asked(self, board: int, searching: SearchOptions) -> Values:
        return self._session.rewards(board) if self.agent is None else self.agent.values(board, searching)

    @property
    def _is_quick(self) -> bool:
        return self._searching.plies <= QUICK_PLIES

    def view(self) -> View:
        """The game as it stands; `values` is null where they take a search, which `values` does."""
        with self._lock:
            return self._view()

    def _view(self) -> View:
        session = self._session
        if self._is_quick:
            self._known = session.board, self._think(session.board)
        values = self._known[1] if self._known is not None and self._known[0] == session.board else None
        legal = session.legal
        return {
            "board": self.engine.array(session.board).tolist(),
            "score": session.score,
            "moves": len(session.moves),
            "version": self._version,
            "legal": [ACTION_NAMES[action] for action in legal],
            "over": not legal,
            "largest": session.max_tile,
            "plies": self._searching.plies,
            **valued(values),
        }

    def move(self, action: str, version: int | None = None) -> View:
        """A person's move.

        Parameters
        ----------
        version : of the board that they saw.

        Raises
        ------
        Refusal : the board is another one by now.
        ConfigError : the move is not legal.
        """
        with self._lock:
            if version is not None and version != self._version:
                raise Refusal(HTTPStatus.CONFLICT, "the board has changed meanwhile")
            return self._made(self._session.move(ACTION_NAMES.index(action)))

    def step(self, count: int) -> list[View]:
        """Moves of the agent: what the board is after each. Fewer than `count` where the time or the game is over.

        Raises
        ------
        ConfigError : the game is over.
        """
        frames: list[View] = []
        end = time.monotonic() + self._seconds
        while len(frames) < count and (not frames or time.monotonic() < end):
            with self._lock:
                board, version, over = self._session.board, self._version, self._session.over
            if over and frames:
                break
            values = self._found(board)
            with self._lock:
                if version != self._version:  # somebody took over
                    break
                self._known = board, values
                if frames:
                    frames[-1] |= valued(values)
                frames.append(self._made(self._session.advance()))
        return frames

    def _found(self, board: int) -> Values:
        """Values at the depth that is set, without holding the game up."""
        known, searching = self._known, self._searching
        return known[1] if known is not None and known[0] == board else self._asked(board, searching)

    def _made(self, move: Move) -> View:
        """The game after a move, and what moved."""
        if len(self._session.moves) > MAX_MOVES:
            self._session.undo()
            raise ConfigError(f"a game here has at most {MAX_MOVES:,} moves; take some back or start a new one")
        self._version += 1
        made = {
            "action": ACTION_NAMES[move.action],
            "by": move.by,
            "reward": move.reward,
            "slides": slides(move.board, move.action, self.rules),
            "drop": {"cell": move.cell, "tile": self.rules.value(move.tile)},
        }
        return self._view() | {"made": made}

    def undo(self, count: int) -> View:
        """Take moves back."""
        with self._lock:
            for _ in range(min(count, len(self._session.moves))):
                self._session.undo()
            self._version += 1
            return self._view()

    def look(self, plies: int | None) -> View:
        """The game with the agent's values, after a search where they need one.

        Parameters
        ----------
        plies : how far to look ahead from now on; None: as before.

        Raises
        ------
        ConfigError : the agent does not look so far.
        """
        with self._lock:
            if plies is not None and plies != self._searching.plies:
                self._searching, self._known = self._deep(plies), None
                self._session.ask(self._think, self._searching, self._session.checkpoint)
            board, searching = self._session.board, self._searching
        values = self._found(board)
        with self._lock:
            if (board, searching) == (self._session.board, self._searching):
                self._known = board, values
            return self._view()

    def judged(self, board: int) -> Values:
        """What the agent takes moves on another board to be worth."""
        return self._asked(board, self._searching)

    def game(self) -> Game:
        """The game so far, to be saved."""
        with self._lock:
            return self._session.game()


def valued(values: Values | None) -> View:
    """Values of the four actions as a page is told them, and the best action."""
    if values is None or np.isnan(values).all():
        return {"values": None if values is None else [None] * 4, "best": None}
    told = [None if np.isnan(value) else value for value in values.tolist()]
    return {"values": told, "best": ACTION_NAMES[int(np.nanargmax(values))]}


class Games:
    """The games that are open; of too many the one that was not asked for longest is put away.

    Parameters
    ----------
    most : games at once.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._lock = threading.Lock()
        self._open: OrderedDict[str, OpenGame] = OrderedDict()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, game: OpenGame) -> None:
        """Keep a game."""
        with self._lock:
            self._open[game.id] = game
            while len(self._open) > self.most:
                self._open.popitem(last=False)

    def get(self, game: object) -> OpenGame:
        """The game of this name.

        Raises
        ------
        Refusal : there is none.
        """
        with self._lock:
            if not isinstance(game, str) or game not in self._open:
                raise Refusal(HTTPStatus.NOT_FOUND, "game: not known here; of too many the oldest are put away")
            self._open.move_to_end(game)
            return self._open[game]
