"""Pictures of boards: `tdl picture game.jsonl board.png` draws the last board of a game, SVG or PNG.

In Python `svg`, `png`, `text` (for a terminal) and `heatmap` take rows of tile values, or a packed board and rules.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tdl.cli.messages import main_of
from tdl.config import own
from tdl.errors import ConfigError, refuse
from tdl.game.boards import BoardLike
from tdl.game.rules import Rules
from tdl.pictures.board import heatmap, png, svg, text
from tdl.sessions import game_file
from tdl.storage.atomic import new_file

__all__ = ["board_of", "heatmap", "main", "png", "svg", "text", "write"]


def board_of(path: str | Path, move: int | None = None) -> tuple[int, Rules]:
    """A board of a recorded game, packed, and the rules.

    Parameters
    ----------
    move : the number of moves before the board; None: the last board.
    """
    game = game_file.load(path)
    boards = game.boards()
    if move is not None and not 0 <= move < len(boards):
        raise refuse("--move", move, f"0 to {len(boards) - 1}, the moves of {path}")
    return boards[-1 if move is None else move], game.rules


def write(rows: BoardLike, rules: Rules | None, out: Path) -> None:
    """Write a picture, of the kind that the end of the file's name says."""
    if out.suffix == ".svg":
        with new_file(out) as file:
            file.write(svg(rows, rules).encode())
    elif out.suffix == ".png":
        png(rows, out, rules)
    else:
        raise refuse("OUT", str(out), "a name that ends with .svg or .png")


def main(words: Sequence[str] | None = None) -> None:
    """The console script `tdl-picture`."""
    parser = argparse.ArgumentParser(prog="tdl picture", description=__doc__.splitlines()[0])
    parser.add_argument("board", metavar="GAME|ROWS", help="a game.jsonl, or rows of tile values, as [[2,4],[0,8]]")
    parser.add_argument("out", metavar="OUT", type=Path, nargs="?", help=".svg or .png (default: on the screen)")
    parser.add_argument("--move", type=int, help="of a game: the board after so many moves (default: the last)")
    arguments = parser.parse_args(words)

    def work() -> None:
        own.load_games()
        board, rules = _board(arguments.board, arguments.move)
        if arguments.out is None:
            print(text(board, rules, colour=sys.stdout.isatty()))
        else:
            write(board, rules, arguments.out)

    main_of(work)


def _board(board: str, move: int | None) -> tuple[BoardLike, Rules | None]:
    if not board.lstrip().startswith("["):
        return board_of(board, move)
    if move is not None:
        raise ConfigError("--move: only a game has moves")
    try:
        return json.loads(board), None
    except ValueError:
        raise refuse("ROWS", board, "rows of tile values, as [[2,4],[0,8]]") from None


if __name__ == "__main__":
    main()
