"""The way of each tile in a move, for an animation."""

from collections.abc import Iterator

from tdl.game.boards import lines, unpack
from tdl.game.rules import Rules


def slides(board: int, action: int, rules: Rules) -> list[tuple[int, int]]:
    """The cell of each tile before a move and after it, where that is another one, or one that another tile shares.

    Parameters
    ----------
    board : packed.
    """
    tiles = unpack(board, rules)
    moved = [pair for cells in lines(action, rules) for pair in _line(cells, tiles, rules)]
    targets = [target for _, target in moved]
    return [(cell, target) for cell, target in moved if cell != target or targets.count(target) > 1]


def _line(cells: list[int], tiles: list[int], rules: Rules) -> Iterator[tuple[int, int]]:
    """The cell before and after the move of all tiles of one line, read from the wall."""
    full, place = [cell for cell in cells if tiles[cell]], 0
    while full:
        cell = full.pop(0)
        yield cell, cells[place]
        if full and rules.merge(tiles[cell], tiles[full[0]]):
            yield full.pop(0), cells[place]
        place += 1
