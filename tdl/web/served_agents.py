"""The agents of the server: few are kept loaded, each for one thread at a time, and a search is bounded in time."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from copy import copy
from pathlib import Path

from tdl.base.checks import check_whole
from tdl.players.kinds import ActionValues, Agent, Values, agent_of, kind_of
from tdl.search.options import SearchOptions
from tdl.storage.checkpoint import Meta
from tdl.web.library import Library, turn

MAX_PLIES = 5
"""Of a search; where the time ends, the answer is that of fewer."""

QUICK_PLIES = 2
"""Up to here a search needs no clock: it takes a millisecond."""

MAX_AGENTS = 4
"""Kept loaded."""


class _Turns:
    """An agent for many threads: one after another."""

    def __init__(self, load: Callable[[], Agent]) -> None:
        self._load, self._lock = load, threading.Lock()
        self._agent: Agent | None = None
        self._action_values: dict[SearchOptions, ActionValues] = {}

    def values(self, board: int, search: SearchOptions) -> Values:
        with turn(self._lock, "the agent is busy with other games"):
            self._agent = self._agent or self._load()
            if search not in self._action_values:
                self._action_values[search] = self._agent.action_values(search)
            return self._action_values[search](board)


class ServedAgent:
    """A trained agent for all games of the server.

    There are two of it once it has to look far ahead, of one network: so the quick values of one game need not wait
    for the search of another.

    Parameters
    ----------
    seconds : time limit of a search.
    """

    def __init__(self, name: str, folder: Path, meta: Meta, seconds: float) -> None:
        first = agent_of(folder, meta)
        first.say_memory()
        self.name, self.rules, self.digest = name, first.rules, str(meta["digest"])
        # A deep network takes no limit of time, and 3 plies of it take seconds.
        self.max_plies = MAX_PLIES if kind_of(meta).tables else QUICK_PLIES
        self._seconds, self._quick, self._far = seconds, _Turns(lambda: first), _Turns(lambda: copy(first))
        self._quick.values(0, SearchOptions())  # refuses an agent without values

    def search(self, plies: int) -> SearchOptions:
        """Its search of this many plies."""
        check_whole("plies", plies, 1, self.max_plies + 1)
        return SearchOptions(plies, seconds=self._seconds if plies > QUICK_PLIES else None)

    def values(self, board: int, search: SearchOptions) -> Values:
        """The values of the four actions: shape (4,), nan where illegal."""
        return (self._quick if search.plies <= QUICK_PLIES else self._far).values(board, search)


class ServedAgents:
    """The agents of a library; those that were asked last are kept loaded."""

    def __init__(self, library: Library, seconds: float) -> None:
        self.library, self._seconds = library, seconds
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], ServedAgent] = OrderedDict()

    def get(self, name: object) -> ServedAgent:
        """The agent of a checkpoint, by its name or that of its run."""
        folder, meta = self.library.checkpoint(name)
        key = str(folder), str(meta["digest"])
        with self._lock:  # one is loaded at a time
            if key not in self._kept:
                self._kept[key] = ServedAgent(str(name), folder, meta, self._seconds)
                while len(self._kept) > MAX_AGENTS:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]
