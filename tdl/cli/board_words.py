"""Boards on a command line: the words of one, a file with one, a recorded game, or standard input."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tdl.errors import ConfigError
from tdl.game.board_text import MAX_CHARACTERS
from tdl.game.rules import Rules
from tdl.sessions.game_file import ENDINGS
from tdl.sessions.pictures import board_of
from tdl.storage.reading import reading

MAX_PATH = 4096
"""Characters of a path, by Linux."""


def board_of_words(words: Sequence[str], move: int | None = None) -> tuple[str | int, Rules | None]:
    """The text of a board, or of a recorded game the packed board and the rules.

    Parameters
    ----------
    words : that name it; several are one text.
    move : of a game: the number of moves before the board; None: the last board.

    Raises
    ------
    ConfigError : `move` without a game.
    CheckpointError : the file cannot be read, or is no game.
    """
    text = " ".join(words)
    path = Path(text)
    if path.suffix in ENDINGS:
        return board_of(path, move)
    if move is not None:
        raise ConfigError("--move: only a recorded game has moves")
    if text == "-":
        if sys.stdin is None:
            raise ConfigError("board: standard input is closed")
        return sys.stdin.read(MAX_CHARACTERS + 1), None
    if "\0" not in text and len(text) < MAX_PATH and path.is_file():
        with reading(path) as file:
            return file.read(MAX_CHARACTERS + 1).decode(errors="replace"), None
    return text, None
