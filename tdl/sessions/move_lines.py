"""Boards a line in, directions a line out: what `tdl move --stdin` answers to programs.

A line is a board in any notation that fits into a line (`tdl.game.board_text`). Its answer is a line, too: `up`,
`right`, `down`, `left`, `none` where the game is over, or `error` and the reason. Lines that wait are taken together.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

import numpy as np

from tdl.errors import ConfigError, one_line
from tdl.game.board_text import MAX_CHARACTERS
from tdl.game.boards import read_board
from tdl.game.rules import ACTION_NAMES
from tdl.players.batch_play import best_of
from tdl.players.kinds import Agent
from tdl.search.options import SearchOptions
from tdl.sessions.judged_board import judged

CHUNK = 1 << 16
"""Bytes that are read at a time: some 2,000 boards."""

FEW = 8
"""Boards that are valued one by one: below, that is faster than together."""


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
    """Answers lines with an agent's moves, whose values decide after a search.

    Parameters
    ----------
    reading : options of `tdl.game.boards.read_board`.
    as_json : whether an answer is a JSON object with the values, and `error` a key of it.

    Attributes
    ----------
    values : of the moves of a board, by which it answers.
    """

    def __init__(
        self, agent: Agent, search: SearchOptions, reading: Mapping[str, bool], *, as_json: bool = False
    ) -> None:
        self._agent, self._greedy, self._reading, self._json = agent, search == SearchOptions(), reading, as_json
        deeper = agent.action_values(search)  # refuses an agent without values
        self.values = agent.values if self._greedy else deeper

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
                text = one_line(str(error))
                errors[number] = json.dumps({"error": text}) if self._json else f"error {text}"
        answers = self._moves(boards)
        for number, text in errors.items():  # in their order, so that each finds its place
            answers.insert(number, text)
        return answers

    def _moves(self, boards: list[int]) -> list[str]:
        if self._greedy and len(boards) > FEW:
            values = self._agent.values_of(boards)
        else:
            values = np.array([self.values(board) for board in boards]).reshape(-1, 4)
        if self._json:
            return [json.dumps(judged(row)) for row in values]
        best = best_of(values)
        best[np.isnan(values).all(axis=1)] = len(ACTION_NAMES)
        names = (*ACTION_NAMES, "none")
        return [names[number] for number in best.tolist()]
