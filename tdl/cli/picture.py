"""Pictures of boards: `tdl picture game.jsonl board.png` draws the last board of a game, SVG or PNG."""

import sys
from collections.abc import Sequence
from pathlib import Path

from tdl.cli.board_words import board_of_words
from tdl.cli.messages import CommandParser, one_line_errors
from tdl.config import files
from tdl.game.board_text import NOTATIONS
from tdl.sessions.pictures import text, write


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl picture`."""
    parser = CommandParser(prog="tdl picture", description=__doc__)
    board_help = f"a game.jsonl, a file with a board, or one: {NOTATIONS}; OUT: .svg or .png (default: the screen)"
    parser.add_argument("board", metavar="BOARD [OUT]", nargs="+", help=board_help)
    parser.add_argument("--move", type=int, help="of a game: the board after so many moves (default: the last)")
    options = parser.parse_args(words)
    files.load_games()
    *several, last = options.board
    out = Path(last) if several and Path(last).suffix and not last.endswith(".") else None
    board, rules = board_of_words(several if out else options.board, options.move)
    if out is None:
        print(text(board, rules, colour=sys.stdout.isatty(), encoding=sys.stdout.encoding))
    else:
        write(board, rules, out)
