"""The content of the screen while a game is played."""

import numpy as np
from numpy.typing import NDArray

from tdl.game.boards import unpack
from tdl.sessions.action_values import optional_values
from tdl.sessions.session import Session
from tdl.terminal.view import Hints, View

KEYS = (("←↑→↓", "move"), ("u", "undo"), ("r", "new game"), ("q", "quit"))

AGENT_KEYS = (
    ("←↑→↓", "move"), ("u", "undo"), ("?", "hint"), ("space", "agent"), ("n", "one move"), ("+ -", "speed"),
    ("[ ]", "plies"), ("r", "new"), ("q", "quit"),
)  # fmt: skip

Figures = tuple[tuple[str, str], ...]


def view_of(session: Session, best: int, hints: Hints | None, state: str, message: str, agent: Figures) -> View:
    """The content of the screen."""
    rules, over = session.rules, session.over
    figures = (
        ("moves", f"{len(session.moves):,}"),
        ("game", rules.name),
        ("seed", f"{session.seed}, game {session.episode}"),
        *agent,
    )
    return View(
        rules,
        tuple(unpack(session.board, rules)),
        session.moves[-1].cell if session.moves else None,
        session.score,
        max(best, session.score),
        figures,
        None if over else hints,
        "the game is over" if over else state,
        message or (end_of(session) if over else ""),
        over,
        AGENT_KEYS if agent else KEYS,
    )


def hints_of(values: NDArray[np.float64] | None) -> Hints:
    """Hints of action values; None: the search still runs."""
    return Hints(None) if values is None else Hints(optional_values(values), int(np.nanargmax(values)))


def end_of(session: Session) -> str:
    """The message at the end of a game."""
    return f"Game over: score {session.score:,}, tile {session.max_tile:,}"
