"""The agents that are asked: few are kept, each by one thread at a time, and no search takes longer than told."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tdl.agents.player import kind_of
from tdl.checks import check_whole
from tdl.search.options import SearchOptions
from tdl.sessions.advisor import Advisor, load_advisor
from tdl.sessions.recorded_game import ActionValues
from tdl.storage.checkpoint import Meta
from tdl.web.errors import Refusal
from tdl.web.library import Library

MAX_PLIES = 5
"""A page may ask for; what is not searched in time is answered to fewer."""

QUICK_PLIES = 2
"""Up to so many a search needs no clock: it takes a millisecond."""

MAX_AGENTS = 4
"""Kept for further games."""

PATIENCE = 10.0
"""Seconds to wait for a turn at an agent."""


class _Turns:
    """A `Advisor` for many threads: one after another.

    Parameters
    ----------
    make : loads it, when it is first asked.
    """

    def __init__(self, make: Callable[[], Advisor]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._thinker: Advisor | None = None
        self._thinks: dict[SearchOptions, ActionValues] = {}

    def values(self, board: int, searching: SearchOptions) -> NDArray[np.float64]:
        if not self._lock.acquire(timeout=PATIENCE):
            raise Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "the agent is busy with other games; ask again")
        try:
            if self._thinker is None:
                self._thinker = self._make()
            if searching not in self._thinks:
                self._thinks[searching] = self._thinker.at(searching)
            return self._thinks[searching](board)
        finally:
            self._lock.release()


class Agent:
    """A trained agent at any depth that is offered.

    It is loaded twice once it is asked to look far ahead (the weights lie in memory once): so the quick values of one
    game need not wait for the search of another.

    Parameters
    ----------
    folder : of its checkpoint.
    seconds : most time of a search.

    Attributes
    ----------
    name : as the library has it.
    rules, digest : of its checkpoint.
    most_plies : that it can be asked for.

    Raises
    ------
    CheckpointError : the checkpoint is damaged, or its agent has no values.
    """

    def __init__(self, name: str, folder: Path, meta: Meta, seconds: float) -> None:
        first = load_advisor(folder)
        self.name, self.rules, self.digest = name, first.rules, first.digest
        # A deep network takes no limit of time, and 3 plies of it take seconds.
        self.most_plies = MAX_PLIES if kind_of(meta) == "ntuple" else QUICK_PLIES
        self._seconds, self._quick, self._far = seconds, _Turns(lambda: first), _Turns(lambda: load_advisor(folder))

    def searching(self, plies: int) -> SearchOptions:
        """How it looks so far ahead.

        Raises
        ------
        ConfigError : it does not.
        """
        check_whole("plies", plies, 1, self.most_plies + 1)
        return SearchOptions(plies, seconds=self._seconds if plies > QUICK_PLIES else None)

    def values(self, board: int, searching: SearchOptions) -> NDArray[np.float64]:
        """What it takes the four actions to be worth: shape (4,), nan where illegal.

        Raises
        ------
        Refusal : too many others ask it.
        """
        return (self._quick if searching.plies <= QUICK_PLIES else self._far).values(board, searching)


class Agents:
    """The agents of a library, the ones asked last kept.

    Parameters
    ----------
    seconds : most time of a search of one move.
    """

    def __init__(self, library: Library, seconds: float) -> None:
        self.library, self._seconds = library, seconds
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], Agent] = OrderedDict()

    def get(self, name: object) -> Agent:
        """The agent of a checkpoint, by its name or that of its run.

        Raises
        ------
        Refusal : it is not below the folder that is served.
        CheckpointError : it is missing or damaged, or its agent has no values.
        """
        folder, meta = self.library.checkpoint(name)
        key = str(folder), str(meta["digest"])
        with self._lock:  # one is loaded at a time
            if key not in self._kept:
                self._kept[key] = Agent(str(name), folder, meta, self._seconds)
                while len(self._kept) > MAX_AGENTS:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]
