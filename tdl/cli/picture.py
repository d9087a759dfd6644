"""Pictures of boards: `tdl picture game.jsonl board.png` draws the last board of a game, SVG or PNG."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tdl.cli.messages import one_line_errors
from tdl.config import files
from tdl.errors import ConfigError, refuse
from tdl.game.boards import BoardLike
from tdl.game.rules import Rules
from tdl.sessions.pictures import board_of, text, write


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl picture`."""
    parser = argparse.ArgumentParser(prog="tdl picture", description=__doc__)
    parser.add_argument("board", metavar="GAME|ROWS", help="a game.jsonl, or rows of tile values, as [[2,4],[0,8]]")
    parser.add_argument("out", metavar="OUT", type=Path, nargs="?", help=".svg or .png (default: on the screen)")
    parser.add_argument("--move", type=int, help="of a game: the board after so many moves (default: the last)")
    options = parser.parse_args(words)
    files.load_games()
    board, rules = _board(options.board, options.move)
    if options.out is None:
        print(text(board, rules, colour=sys.stdout.isatty()))
    else:
        write(board, rules, options.out)


def _board(board: str, move: int | None) -> tuple[BoardLike, Rules | None]:
    if not board.lstrip().startswith("["):
        return board_of(board, move)
    if move is not None:
        raise ConfigError("--move: only a game has moves")
    try:
        return json.loads(board), None
    except ValueError:
        raise refuse("ROWS", board, "rows of tile values, as [[2,4],[0,8]]") from None
