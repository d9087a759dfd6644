"""Refuses boards that no game can come to, by conditions that every game meets: what passes need not be possible."""

from collections.abc import Mapping
from functools import cache

from tdl.errors import ConfigError, refuse
from tdl.game.packing import unpack
from tdl.game.rules import DROP, Rules


@cache
def cells_needed(rules: Rules) -> Mapping[int, int]:
    """For each tile index that this board can make: the fewest cells in which it can be made.

    A tile that falls needs one cell. To merge two tiles one is made first, and lies there while the other is made: as
    many cells as the larger need, and one more where both need the same (Sethi and Ullman 1970, of registers).
    """
    needed = dict.fromkeys(_placed(rules), 1)
    for cells in range(2, rules.cells + 1):
        while new := _merged(rules, needed, cells) - needed.keys():
            needed |= dict.fromkeys(new, cells)
    return needed


def _placed(rules: Rules) -> set[int]:
    """The tiles that no merge makes."""
    return {tile for tile, _ in rules.drop} | {int(item) for item in rules.start if item != DROP}


def _merged(rules: Rules, needed: Mapping[int, int], cells: int) -> set[int]:
    """The results of merges of two tiles of which the second has a cell less."""
    tiles = {rules.merge(one, other) for one in needed for other, least in needed.items() if least < cells}
    return {min(tile, rules.largest) for tile in tiles if tile}


def check_possible(board: int, rules: Rules) -> None:
    """Refuse a packed board to move on that no game can come to; the ConfigError says why."""
    tiles, placed, needed = [tile for tile in unpack(board, rules) if tile], _placed(rules), cells_needed(rules)
    least = min(2, len(rules.start))
    if len(tiles) < least:
        raise refuse("board", f"{len(tiles)} tiles", f"at least {least}: a drop follows what was there")
    if not placed & set(tiles):
        values = ", ".join(str(rules.value(tile)) for tile in sorted(placed))
        raise ConfigError(f"board: no game comes to it: the last drop is missing, which is one of {values}")
    if beyond := set(tiles) - needed.keys():
        raise ConfigError(
            f"board: no game comes to it: {rules.value(max(beyond))} cannot be made on {rules.cells} cells"
        )
    for others, need in enumerate(sorted((needed[tile] for tile in tiles), reverse=True)):
        if need + others > rules.cells:
            raise ConfigError("board: no game comes to it: its large tiles leave too few cells to make all of them")
