"""Boards a line in, directions a line out: what `tdl move --stdin` answers to programs.

A line is a board in any notation that fits into a line (`tdl.game.board_text`). Its answer is a line, too: `up`,
`right`, `down`, `left`, `none` where the game is over, or `error` and the reason. Lines that wait are taken together.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError, one_line
from tdl.game.board_text import MAX_CHARACTERS
from tdl.game.boards import read_board
from tdl.game.rules import ACTION_NAMES
from tdl.players.kinds import Agent
from tdl.search.options import SearchOptions
from tdl.sessions.judged_board import JudgedBoard

CHUNK = 1 << 16
"""Bytes that are read at a time: some 2,000 boards."""

FEW = 8
"""Boards that are valued one by one: below, that is faster than together."""

Answer = Callable[[NDArray[np.float64]], str]


def waiting_lines(stream: BinaryIO) -> Iterator[list[bytes]]:
    """The lines that wait, as soon as there is one; of a longer one than a board has only the beginning."""
    rest = b""
    while chunk := stream.read1(CHUNK):  # type: ignore[attr-defined]
        *lines, rest = (rest + chunk).split(b"\n")
        rest = rest[: MAX_CHARACTERS + 1]
        if lines:
            yield lines
    if rest:
        yield [rest]


class MoveLines:
    """Answers lines with an agent's moves.

    Parameters
    ----------
    agent : whose values decide.
    search : how far it looks ahead.
    exponents, last_first : as `tdl.game.boards.read_board`.
    as_json : whether an answer is a JSON object with the values, and `error` a key of it.

    Raises
    ------
    ConfigError : the agent has no values, or no such search.
    """

    def __init__(
        self,
        agent: Agent,
        search: SearchOptions,
        *,
        exponents: bool = False,
        last_first: bool = False,
        as_json: bool = False,
    ) -> None:
        self._agent, self._greedy = agent, search == SearchOptions()
        deeper = agent.action_values(search)
        self._values = agent.values if self._greedy else deeper
        self._reading = {"exponents": exponents, "last_first": last_first}
        self._json = as_json

    def answers(self, lines: Sequence[bytes]) -> Iterator[list[str]]:
        """The answers to the lines, in their order: all together, or one by one where the agent looks ahead."""
        size = len(lines) if self._greedy else 1
        for first in range(0, len(lines), size):
            yield self._together(lines[first : first + size])

    def _together(self, lines: Sequence[bytes]) -> list[str]:
        boards: list[int] = []
        errors: dict[int, str] = {}
        for number, line in enumerate(lines):
            try:
                boards.append(read_board(line.decode(errors="replace"), self._agent.rules, **self._reading))
            except ConfigError as error:
                errors[number] = self._error(one_line(str(error)))
        answers = self._moves(boards)
        for number, text in errors.items():  # in their order, so that each finds its place
            answers.insert(number, text)
        return answers

    def _moves(self, boards: list[int]) -> list[str]:
        if self._greedy and len(boards) > FEW:
            values = self._agent.values_of(boards)
        else:
            values = np.array([self._values(board) for board in boards]).reshape(-1, 4)
        if self._json:
            return [json.dumps(JudgedBoard.of(row).to_dict()) for row in values]
        best = np.where(np.isnan(values), -np.inf, values).argmax(axis=1)
        best[np.isnan(values).all(axis=1)] = len(ACTION_NAMES)
        return [_NAMES[number] for number in best.tolist()]

    def _error(self, text: str) -> str:
        return json.dumps({"error": text}) if self._json else f"error {text}"


_NAMES = (*ACTION_NAMES, "none")
