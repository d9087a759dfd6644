"""Boards on a command line: the words of one, a file with one, a recorded game, or standard input."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tdl.errors import ConfigError
from tdl.game.board_text import MAX_CHARACTERS
from tdl.game.rules import Rules
from tdl.sessions.game_file import ENDINGS
from tdl.sessions.game_lines import FORMAT
from tdl.sessions.pictures import board_of
from tdl.storage.reading import reading


def board_of_words(words: Sequence[str], move: int | None = None) -> tuple[str | int, Rules | None]:
    """The text of a board, or of a recorded game the packed board and the rules.

    Parameters
    ----------
    words : that name it; several are one text.
    move : of a game: the number of moves before the board; None: the last board.
    """
    text = " ".join(words)
    there = is_file(text)
    if Path(text).suffix in ENDINGS and (not there or FORMAT in _content(text).partition("\n")[0]):
        return board_of(text, move)
    if move is not None:
        raise ConfigError("--move: only the file of a recorded game has moves")
    if text == "-":
        if sys.stdin is None:
            raise ConfigError("board: standard input is closed")
        return sys.stdin.read(MAX_CHARACTERS + 1), None
    return _content(text) if there else text, None


def _content(path: str) -> str:
    with reading(Path(path)) as file:
        return file.read(MAX_CHARACTERS + 1).decode(errors="replace")


def is_file(text: str) -> bool:
    """Whether a text is the path of a file."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long, or with a character that no path has
        return False
