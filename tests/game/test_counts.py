"""How many positions can be reached: a count that any wrong move, missing move or doubled drop changes.

Trusts the published counts of 2048 on 2x2: 662 positions in which the player is to move (lost ones among them) and
464 positions after a move.
"""

from itertools import combinations, product

import pytest
from support.shapes import RULES, drawn, engine

from tdl.game import game_reference as reference
from tdl.game.boards import pack, unpack
from tdl.game.rules import DROP


def compiled_moves(board, rules):
    return {after for _, after, _ in engine(rules).afterstates(board)}


def reference_moves(board, rules):
    cells = unpack(board, rules)
    outcomes = [reference.move(cells, action, rules) for action in range(4)]
    return {pack(outcome[0], rules) for outcome in outcomes if outcome}


each_player = pytest.mark.parametrize("moves", [compiled_moves, reference_moves], ids=["engine", "reference"])


def after_drop(board, rules):
    """The boards that a drop makes of one."""
    cells = unpack(board, rules)
    empty = [cell for cell, tile in enumerate(cells) if not tile]
    return {board | tile << rules.bits * cell for cell in empty for tile, _ in rules.drop}


def starts(rules):
    """Every first board."""
    tiles = [[tile for tile, _ in rules.drop] if item == DROP else [item] for item in rules.start]
    return {
        sum(tile << rules.bits * cell for cell, tile in zip(cells, chosen, strict=True))
        for chosen in product(*tiles)
        for order in combinations(range(rules.cells), len(tiles))
        for cells in (order, order[::-1])
    }


@each_player
def test_all_positions_of_2x2(moves):
    rules = RULES["2x2"]
    before, after = starts(rules), set()
    front = set(before)
    while front:
        new = {a for board in front for a in moves(board, rules)} - after
        after |= new
        front = {b for a in new for b in after_drop(a, rules)} - before
        before |= front
    assert (len(before), len(after)) == (662, 464)
    assert max(tile for board in before for tile in unpack(board, rules)) == 5  # the tile 32


GAMES = {
    # Nothing merges at first: each of the four moves leaves 3 empty cells, so 4 * 3 * 2 boards follow.
    "quiet": (
        """
        .   2   4   .
        2   4   8   2
        4   8  16   4
        2  16  64   .
        """,
        [(4, 24), (74, 462)],
    ),
    # Left and right leave 8 empty cells each, up and down 5: (8 + 8 + 5 + 5) * 2 boards.
    "merging": (
        """
        .   2   2   4
        4   4   4   4
        8   8   2   .
        2   .   2   2
        """,
        [(4, 52), (92, 1195)],
    ),
}


@each_player
@pytest.mark.parametrize(("board", "counts"), GAMES.values(), ids=GAMES.keys())
def test_positions_after_some_moves(moves, board, counts):
    """`counts`: of each ply, the distinct positions after the move and after the drop."""
    rules = RULES["4x4"]
    before, counted = {pack(drawn(board, rules), rules)}, []
    for _ in counts:
        after = {a for board in before for a in moves(board, rules)}
        before = {b for a in after for b in after_drop(a, rules)}
        counted.append((len(after), len(before)))
    assert counted == counts
