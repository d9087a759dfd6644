"""Lowering in plain Python, the twin of `downgrade.pxd`."""

from __future__ import annotations

from tdl.game.packing import Board
from tdl.game.rules import Rules


def lowered(board: Board, limit: int, rules: Rules) -> Board:
    """A board whose largest tile index is `limit`, or as near as lowering comes."""
    while max(board) > limit:
        there = {tile for tile in board if tile}
        for hole in range(max(there) - 1, 0, -1):
            below = {tile: tile - (tile > hole) for tile in there}
            if hole not in there and all(
                bool(rules.merge(a, b)) == bool(rules.merge(below[a], below[b])) for a in there for b in there
            ):
                board = [below.get(tile, 0) for tile in board]
                break
        else:
            return board
    return board
