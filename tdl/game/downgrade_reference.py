"""Tile downgrading in plain Python: the reference implementation of `downgrade.pxd`."""

from tdl.game.packing import Board
from tdl.game.rules import Rules


def downgraded(board: Board, limit: int, rules: Rules) -> Board:
    """The board with `limit` as its largest tile index, or as near as downgrading comes."""
    while max(board) > limit:
        tiles = {tile for tile in board if tile}
        for gap in range(max(tiles) - 1, 0, -1):
            below = {tile: tile - (tile > gap) for tile in tiles}
            if gap not in tiles and all(
                bool(rules.merge(a, b)) == bool(rules.merge(below[a], below[b])) for a in tiles for b in tiles
            ):
                board = [below.get(tile, 0) for tile in board]
                break
        else:
            return board
    return board
