"""Games of one's own: `tdl.register_game`, from tile values and a rule of which two merge into what."""

import itertools
import re
import zlib
from collections.abc import Callable, Sequence

from tdl.base.names import new_choice
from tdl.errors import ConfigError, refuse
from tdl.game.merge_laws import GAMES, MergeLaw

MAX_TILES = 31
"""Tiles of a game: what a cell of 5 bits holds beside the empty cell."""

MAX_RADIX = 18
"""As in the tuple sets of games with more tiles than that: six cells of 18 symbols are 34 million entries, of 32 a
billion."""

_registered: set[str] = set()


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
    values = _checked_tiles(name, tiles)
    merged, above = _merges(name, values, merge)
    usual = min(len(values) + 1, MAX_RADIX)
    if radix is not None and not 2 <= radix <= len(values) + 1:
        raise refuse("radix", radix, f"2 to {len(values) + 1}, the tiles of {name} and the empty cell")
    known = (0, *values, above)
    law = MergeLaw(
        name,
        zlib.crc32(repr((values, merged, above)).encode()),
        lambda index: known[index],
        lambda a, b: merged[a][b],
        bits=4 if len(values) <= 15 else 5,
        largest=len(values),
        radix=usual if radix is None else radix,
    )
    _check_name(law)
    GAMES[name] = law
    _registered.add(name)


def _check_name(law: MergeLaw) -> None:
    if not re.fullmatch(r"[a-z0-9_]+", law.name):
        raise refuse("name", law.name, "lower-case letters, digits and underscores")
    if new := new_choice("game", law.name):
        raise refuse("name", law.name, f"another name than the old one of {new}")
    if law.name in GAMES and (law.name not in _registered or GAMES[law.name].version != law.version):
        raise ConfigError(f"name: there is a game {law.name!r} with other rules; give this one another name")


def _checked_tiles(name: str, tiles: Sequence[int]) -> tuple[int, ...]:
    values = tuple(int(value) for value in tiles)
    if not 2 <= len(values) <= MAX_TILES:
        raise refuse("tiles", list(values), f"2 to {MAX_TILES} values")
    if values[0] < 1 or any(one >= other for one, other in itertools.pairwise(values)):
        raise refuse("tiles", list(values), f"whole numbers above 0, ascending, each the value of a tile of {name}")
    return values


def _merges(
    name: str, values: tuple[int, ...], merge: Callable[[int, int], int]
) -> tuple[tuple[tuple[int, ...], ...], int]:
    """The tile index that each two indices merge into, and the value of the index after the last."""
    index = {value: number for number, value in enumerate(values, 1)}
    above: set[int] = set()
    table = [[0] * (len(values) + 1) for _ in range(len(values) + 1)]
    for a in values:
        for b in values:
            value = int(merge(a, b) or 0)
            if value != int(merge(b, a) or 0):
                raise ConfigError(f"merge: {a} and {b} merge into {value}, and {b} and {a} do not")
            if value and value <= max(a, b):
                raise refuse("merge", value, f"a tile above both of {a} and {b}, or 0")
            if value and value not in index:
                if value < values[-1]:
                    raise refuse("merge", value, f"a tile of {name}, for {a} and {b}, or 0")
                above.add(value)
            table[index[a]][index[b]] = index.get(value, len(values) + 1) if value else 0
    if len(above) > 1:
        raise ConfigError(f"merge: {sorted(above)} are above the last tile; expected one such value at most")
    largest = max(above, default=values[-1])
    if 10 * largest >= 2**31:
        raise refuse("tiles", values[-1], "tiles of which ten fit into the reward of a move, which is below 2^31")
    return tuple(map(tuple, table)), max(above, default=values[-1] + 1)
