"""The merge laws of the family of 2048: tile values, and which neighbouring tiles merge into what."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class MergeLaw:
    """One game of the family: what its tiles are worth and which neighbours merge.

    Attributes
    ----------
    name : what people call it, and the key in `GAMES`.
    version : rises when results change.
    value : the tile value of an index; 0 of index 0, an empty cell.
    merge : the tile index that two neighbouring indices above 0 merge into, 0 when they do not merge. Symmetric.
    bits : bits of a cell on boards of up to 16 cells, 4 or 5; larger boards need 5 for any game.
    largest : largest tile index there is, where a cell has room for more. Scores of a move must fit into 31 bits.
    radix : tile symbols of a cell in a network, where the tuple set does not say.
    """

    name: str
    version: int
    value: Callable[[int], int]
    merge: Callable[[int, int], int]
    bits: int
    largest: int
    radix: int


def _power_of_two(index: int) -> int:
    return 1 << index if index else 0


def _merge_equal(a: int, b: int) -> int:
    return a + 1 if a == b else 0


def _fibonacci(index: int) -> int:
    a, b = 0, 1
    for _ in range(index):
        a, b = b, a + b
    return b if index else 0


def _merge_neighbours(a: int, b: int) -> int:
    return max(a, b) + 1 if abs(a - b) == 1 or a == b == 1 else 0


def _three_doubled(index: int) -> int:
    return 3 << index - 3 if index > 2 else index


def _merge_threes(a: int, b: int) -> int:
    if a + b == 3:
        return 3
    return a + 1 if a == b > 2 else 0


GAMES: dict[str, MergeLaw] = {
    # 2048, Gabriele Cirulli 2014: https://github.com/gabrielecirulli/2048/blob/master/js/game_manager.js
    # 2^26 is the largest tile that 25 cells can make of drops of 2 and 4.
    "2048": MergeLaw("2048", 1, _power_of_two, _merge_equal, bits=4, largest=26, radix=16),
    # 2584-Fibonacci: neighbours in the sequence 1, 2, 3, 5, 8 ... merge into their sum, and so do two 1s, but no other
    # equal tiles. Index 17 is the tile 2584.
    "2584": MergeLaw("2584", 1, _fibonacci, _merge_neighbours, bits=5, largest=31, radix=18),
    # The merge law of Threes! (Vollmer and Wohlwend 2014) on the slides and drops of 2048: 1 and 2 make 3, and from 3
    # on equal tiles merge. As in 2048, drops of indices 1 and 2 make no index above 26 on 25 cells.
    "threes_law": MergeLaw("threes_law", 1, _three_doubled, _merge_threes, bits=4, largest=26, radix=16),
}
"""All games by name. They grow by `tdl.register_game`."""
