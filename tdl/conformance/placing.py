"""Boards that are put there: every row, in all directions."""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.choosers import SkilledChooser
from tdl.conformance.evidence import Boards, Evidence, Failure, compared, step_type
from tdl.conformance.finding import raised
from tdl.conformance.foreign_play import FAILED, begin_all
from tdl.conformance.slides import tile_values
from tdl.game.rules import Rules

MAX_ROWS = 65_536


def placed(player: SkilledChooser, boards: Boards, action: int) -> NDArray[Any]:
    """The steps of a move on boards that are put there, one in each lane; they are of game -1."""
    subject, rules = player.subject, player.rules
    subject.set_boards(tile_values(rules)[boards].reshape(-1, rules.rows, rules.cols))
    answer = subject.step(np.full(subject.n, action))
    if answer.ended.any():
        subject.begin()
    steps = np.zeros(subject.n, step_type(rules))
    steps["game"], steps["action"], steps["before"] = -1, action, boards
    steps["next"], steps["reward"] = player.reading.boards(answer.leaves), answer.rewards
    steps["terminated"], steps["truncated"] = answer.terminated, answer.truncated
    return steps


def place(player: SkilledChooser, seed: int) -> Evidence:
    """Put every row there, and play it in all directions; of more than `MAX_ROWS` so many at random."""
    subject, rules = player.subject, player.rules
    parts: list[NDArray[Any]] = [np.zeros(0, step_type(rules))]
    failures: list[Failure] = []
    begin_all(subject, seed)
    for direction in np.flatnonzero(player.action_of >= 0).tolist():
        action = int(player.action_of[direction])
        for boards in _boards_of_rows(direction, rules, subject.n, seed).reshape(-1, subject.n, rules.cells):
            try:
                parts.append(placed(player, boards, action))
            except Exception as error:  # whatever it is
                failures.append(Failure(raised(error), boards[0], seed, 0, (action,), True))
                begin_all(subject, seed)
    steps = compared(np.concatenate(parts), player.directions, rules)
    return Evidence(rules, steps, player.boards[:0], failures=tuple(failures[:FAILED]))


def _boards_of_rows(direction: int, rules: Rules, n: int, seed: int) -> Boards:
    """Boards that have all lines along a direction; as many as fill groups of n."""
    along_columns = direction % 2 == 0
    length, width = (rules.rows, rules.cols) if along_columns else (rules.cols, rules.rows)
    symbols = rules.largest + 1
    if symbols**length <= MAX_ROWS:
        lines = np.array([*product(range(symbols), repeat=length)], np.uint8)
    else:
        lines = np.random.default_rng(seed).integers(symbols, size=(MAX_ROWS, length)).astype(np.uint8)
    lines = np.concatenate([lines, np.zeros((-len(lines) % (width * n), length), np.uint8)])
    grids = lines.reshape(-1, width, length)
    return (grids.transpose(0, 2, 1) if along_columns else grids).reshape(-1, rules.cells)
