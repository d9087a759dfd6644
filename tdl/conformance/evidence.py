"""What was seen of an environment while it was played, as arrays that checks read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.slides import readable, slid_boards
from tdl.game.rules import Rules

Boards = NDArray[np.uint8]
"""Tile indices, row by row: shape (n, cells)."""

Directions = NDArray[np.int8]
"""The direction of each action (up, right, down, left: 0 to 3), -1 where it is unknown."""


def step_type(rules: Rules) -> np.dtype[Any]:
    """The dtype of a step of one game.

    Fields: game and move (both from 0; moves of one game follow each other), seed (of the last reset of all lanes),
    lane, turn (steps of the lane since that reset, those before this one), action (the environment's number),
    direction (ours, -1 unknown), before, after (the reference's afterstate; `before` where the move is illegal), next
    (what was seen next, of an ended game its last board), legal, gained (the reference's reward), merges (merged
    pairs), logs (base-2 logarithms of the merged tiles, their sum), reward (the environment's), terminated, truncated.
    """
    numbers = {"game": "i8", "move": "i4", "seed": "i8", "lane": "i4", "turn": "i4", "action": "i2", "direction": "i1"}
    boards = dict.fromkeys(("before", "after", "next"), ("u1", (rules.cells,)))
    figures = {"legal": "?", "gained": "i8", "merges": "i2", "logs": "f4"}
    answers = {"reward": "f8", "terminated": "?", "truncated": "?"}
    fields = numbers | boards | figures | answers
    return np.dtype({"names": [*fields], "formats": [*fields.values()]})


def compared(steps: NDArray[Any], directions: Directions, rules: Rules) -> NDArray[Any]:
    """The steps with what the reference says of them."""
    steps["direction"], steps["after"] = directions[steps["action"]], steps["before"]
    rows = np.flatnonzero((steps["direction"] >= 0) & readable(steps["before"], rules))
    slides, chosen = slid_boards(steps["before"][rows], rules), steps["direction"][rows]
    for name, column in slides._asdict().items():
        steps[name][rows] = column[np.arange(len(rows)), chosen]
    return steps


@dataclass(frozen=True)
class Failure:
    """An exception that the environment raised when it was to play a move."""

    error: str
    board: Boards
    seed: int
    lane: int
    actions: tuple[int, ...]
    legal: bool


@dataclass(frozen=True)
class Evidence:
    """Games that were played.

    Attributes
    ----------
    rules : that the environment is compared with.
    steps : array of `step_type`; the steps of a game follow each other, those of several games may be mixed.
    starts : first boards of games, in the order of the games: `starts[step["game"]]`.
    lacks : what the environment leaves to others: "starts", "drops" and "ends" may be in it, of functions of boards.
    figures : arrays with a row for each step, of what the environment tells beside the board, by their path.
    failures : what it raised.
    """

    rules: Rules
    steps: NDArray[Any]
    starts: Boards
    lacks: frozenset[str] = frozenset()
    figures: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
