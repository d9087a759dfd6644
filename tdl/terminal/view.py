"""The content of the screen as data: widgets draw it, programs make it, tests read it."""

from dataclasses import dataclass

from tdl.game.rules import Rules

Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Hints:
    """Action values of a board.

    Attributes
    ----------
    values : of up, right, down, left; None where illegal. None: the search still runs.
    chosen : the action of the largest value, or that was taken; None where there is none.
    """

    values: tuple[float | None, ...] | None
    chosen: int | None = None


@dataclass(frozen=True)
class View:
    """The whole screen.

    Attributes
    ----------
    rules : of the game.
    tiles : index of each cell's tile, row by row.
    dropped : cell of the newest tile; None: unknown.
    score, best : in points; no best score where None.
    figures : further lines of the panel: name and value.
    hints : action values; None: they are not shown.
    state : who moves, in a few words.
    message : shown below the board.
    over : whether the message is of the end of a game.
    keys : pairs of keys and what they do.
    """

    rules: Rules
    tiles: tuple[int, ...]
    dropped: int | None
    score: int
    best: int | None
    figures: Pairs
    hints: Hints | None
    state: str
    message: str
    over: bool
    keys: Pairs
