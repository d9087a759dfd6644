"""The games of the family of 2048: tile values, and which neighbouring tiles merge into what; games of one's own."""

import itertools
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tdl.base.checks import check_whole, without_numpy
from tdl.base.synonyms import new_choice
from tdl.errors import ConfigError, refuse


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

MAX_TILES = 31
"""Tiles of a game: what a cell of 5 bits holds beside the empty cell."""

MAX_RADIX = 18
"""As in the tuple sets of games with more tiles than that: six cells of 18 symbols are 34 million entries, of 32 a
billion."""

_registered: set[str] = set()


def _entry(table: tuple[tuple[int, ...], ...], a: int, b: int) -> int:
    return table[a][b]


def register_game(
    name: str,
    tiles: Sequence[int],
    merge: Callable[[int, int], int],
    *,
    radix: int | None = None,
) -> None:
    """Make a game known, whose tiles slide as far as they can: then `Rules(game=name)` and `game=name` take it.

    Checkpoints know their game by its name and its tables, so it has to be registered again wherever they are read.
    The same game may be registered again.

    Parameters
    ----------
    name : of the game, of lower-case letters, digits and underscores.
    tiles : the values of its tiles, ascending: tile index 1 has the first. With at most 15 a board of up to 16 cells
        is 64 bits, with more, at most 31, it is 128.
    merge : the value of the tile that two neighbours merge into, from their values; 0 where they do not merge. It is
        also the reward. It must not depend on their order. What is larger than the last tile becomes the last one.
    radix : tile symbols of a cell in a network, where its tuple set does not say; None: one for each tile and one for
        the empty cell, at most 18.

    Raises
    ------
    ConfigError : no game can be made of that, or another one has the name.

    >>> register_game("pow3", [3**i for i in range(1, 13)], lambda a, b: 3 * a if a == b else 0)
    """
    if isinstance(tiles, str | Mapping) or not isinstance(tiles, Iterable):
        raise refuse("tiles", tiles, "a list of tile values")
    if not callable(merge):
        raise refuse("merge", merge, "a function of the values of two tiles")
    values = tuple(_whole("tiles", value) for value in tiles)
    if not 2 <= len(values) <= MAX_TILES:
        raise refuse("tiles", list(values), f"2 to {MAX_TILES} values")
    if values[0] < 1 or any(one >= other for one, other in itertools.pairwise(values)):
        raise refuse("tiles", list(values), f"whole numbers above 0, ascending, each the value of a tile of {name}")
    merged, above = _merge_table(name, values, merge)
    if radix is not None and not 2 <= radix <= len(values) + 1:
        raise refuse("radix", radix, f"2 to {len(values) + 1}, the tiles of {name} and the empty cell")
    law = MergeLaw(
        name,
        zlib.crc32(repr((values, merged, above)).encode()),
        (0, *values, above).__getitem__,  # functions that other processes can be given
        partial(_entry, merged),
        bits=4 if len(values) <= 15 else 5,
        largest=len(values),
        radix=min(len(values) + 1, MAX_RADIX) if radix is None else radix,
    )
    add_game(law)


def add_game(law: MergeLaw) -> None:
    """Make the law of a registered game known, here or in another process."""
    _check_name(law)
    GAMES[law.name] = law
    _registered.add(law.name)


def registered_game(name: str) -> MergeLaw | None:
    """The law of a game, if it was registered."""
    return GAMES[name] if name in _registered else None


def _merge_table(
    name: str, values: tuple[int, ...], merge: Callable[[int, int], int]
) -> tuple[tuple[tuple[int, ...], ...], int]:
    """The tile index that each two indices merge into, and the value of the index after the last."""
    index_of = {value: index for index, value in enumerate(values, 1)}
    above: set[int] = set()
    table = [[0] * (len(values) + 1) for _ in range(len(values) + 1)]
    for a, b in itertools.product(values, repeat=2):
        value = _whole("merge", merge(a, b))
        if value != _whole("merge", merge(b, a)):
            raise ConfigError(f"merge: {a} and {b} merge into {value}, and {b} and {a} do not")
        if value == 0:
            continue
        if value <= max(a, b):
            raise refuse("merge", value, f"a tile above both of {a} and {b}, or 0")
        if value > values[-1]:
            above.add(value)
        elif value not in index_of:
            raise refuse("merge", value, f"a tile of {name}, for {a} and {b}, or 0")
        table[index_of[a]][index_of[b]] = index_of.get(value, len(values) + 1)
    if len(above) > 1:
        raise ConfigError(f"merge: {sorted(above)} are above the last tile; expected one such value at most")
    if 10 * max(above, default=values[-1]) >= 2**31:
        raise refuse("tiles", values[-1], "tiles of which ten fit into the reward of a move, which is below 2^31")
    return tuple(map(tuple, table)), max(above, default=values[-1] + 1)


def _whole(key: str, value: object) -> int:
    """A whole number, also as a whole float or of NumPy; None is 0."""
    number: Any = without_numpy(value)
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    number = 0 if number in (None, False) else number
    check_whole(key, number, 0)
    return int(number)


def _check_name(law: MergeLaw) -> None:
    if not isinstance(law.name, str) or not re.fullmatch(r"[a-z0-9_]+", law.name):
        raise refuse("name", law.name, "lower-case letters, digits and underscores")
    if new := new_choice("game", law.name):
        raise refuse("name", law.name, f"another name than the old one of {new}")
    if law.name in GAMES and (law.name not in _registered or GAMES[law.name].version != law.version):
        raise ConfigError(f"name: there is a game {law.name!r} with other rules; give this one another name")
