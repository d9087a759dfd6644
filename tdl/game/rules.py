"""Rules as data: the board's shape, the merge law, the drop law and the start law of a game.

Line tables, engine, placer, search and exact solver all read a `Rules` value; none of them knows a game by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cached_property
from typing import Any

from tdl.base.checks import built, check_above_zero, check_instance, without_numpy
from tdl.base.synonyms import new_choice, with_new_names
from tdl.errors import ConfigError, nearest, refuse, shown
from tdl.game.merge_laws import GAMES as GAMES
from tdl.game.merge_laws import MergeLaw, add_game, registered_game

UP, RIGHT, DOWN, LEFT = 0, 1, 2, 3
"""Actions. Some programs count left, up, right, down: convert at the edge, never inside."""
ACTION_NAMES = ("up", "right", "down", "left")

DRAW_ONE = 2**32
"""A probability of one, in the units of `Rules.thresholds`."""

DROP = "drop"
"""In a start law: a tile placed by the drop law."""


@dataclass(frozen=True)
class Rules:
    """A game on a board of `rows` x `cols` cells with a drop law and a start law.

    Attributes
    ----------
    game : name of the merge law, a key of `GAMES`.
    drop : pairs (tile index, probability) of a dropped tile; the cell is uniform over the empty ones.
    start : one item for each tile of the first board: `"drop"` (by the drop law) or a tile index.

    Raises
    ------
    ConfigError : a law that is not a probability distribution, an unknown game, a board that does not fit.
    """

    game: str = "2048"
    rows: int = 4
    cols: int = 4
    drop: tuple[tuple[int, float], ...] = ((1, 0.9), (2, 0.1))
    start: tuple[int | str, ...] = (DROP, DROP)

    def __post_init__(self) -> None:
        for option in fields(self):
            object.__setattr__(self, option.name, without_numpy(getattr(self, option.name)))
        game: Any = self.game
        game = str(game) if type(game) is int else game  # 2048
        if not isinstance(game, str) or game not in GAMES:
            raise unknown_game("game", game)
        object.__setattr__(self, "game", game)
        for name, side in (("rows", self.rows), ("cols", self.cols)):
            if isinstance(side, bool) or not isinstance(side, int) or not 2 <= side <= 5:
                raise refuse(f"board {name}", side, "2 to 5")
        object.__setattr__(self, "drop", _checked_drop(self.drop, self.tiles))
        object.__setattr__(self, "start", _checked_start(self.start, self.tiles, self.cells))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rules, (registered_game(self.game), *astuple(self))

    @property
    def name(self) -> str:
        """The game and its board: "2048 4x4"."""
        return f"{self.game} {self.rows}x{self.cols}"

    @property
    def tiles_text(self) -> str:
        """Drop law and start law in words: "2 at 90%, 4 at 10%", then the tiles that every game begins with."""
        drops = ", ".join(f"{self.value(index)} at {100 * share:.3g}%" for index, share in self.drop)
        first = [str(self.value(int(item))) for item in self.start if item != DROP]
        return f"{drops}; begins with {' and '.join(first)}" if first else drops

    @cached_property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.cols

    @cached_property
    def bits(self) -> int:
        """Bits of a cell in the packed board: 4, if they hold the game's tiles and 64 bits hold the board, or 5."""
        return GAMES[self.game].bits if self.cells <= 16 else 5

    @cached_property
    def largest(self) -> int:
        """Largest tile index a cell can hold. Two that merge into a larger one become it, with the full reward."""
        return min(self.cell_mask, GAMES[self.game].largest)

    @cached_property
    def cell_mask(self) -> int:
        """The bits of the lowest cell of a packed board."""
        return (1 << self.bits) - 1

    @property
    def radix(self) -> int:
        """Tile symbols of a cell in a network, where its tuple set does not say."""
        return min(GAMES[self.game].radix, self.largest + 1)

    def value(self, index: int) -> int:
        """Tile value of a tile index (0 for an empty cell)."""
        return GAMES[self.game].value(index)

    def merge(self, a: int, b: int) -> int:
        """Index two neighbouring tile indices merge into, 0 when they do not merge. May exceed `largest` by 1."""
        return GAMES[self.game].merge(a, b) if a and b else 0

    @property
    def thresholds(self) -> tuple[tuple[int, int], ...]:
        """The drop law for a 32-bit draw u: pairs (tile index, t); the first pair with u < t is dropped.

        Exact to 2^-32. Placer, chance node and solver read the law from here or from `drop`, nowhere else.
        """
        total, pairs = 0.0, []
        for index, probability in self.drop:
            total += probability
            pairs.append((index, min(DRAW_ONE, round(total * DRAW_ONE))))
        pairs[-1] = (pairs[-1][0], DRAW_ONE)
        return tuple(pairs)

    @property
    def tiles(self) -> tuple[int, ...]:
        """All tile values of this board, ascending."""
        return tuple(self.value(i) for i in range(1, self.largest + 1))

    @cached_property
    def index_of(self) -> Mapping[int, int]:
        """The tile index of each tile value of this board, ascending; 0: an empty cell."""
        return {value: index for index, value in enumerate((0, *self.tiles))}

    def to_dict(self) -> dict[str, Any]:
        """The description in `meta.json`; `from_dict` reads it back."""
        return {
            "game": self.game,
            "version": GAMES[self.game].version,
            "rows": self.rows,
            "cols": self.cols,
            "drop": [list(pair) for pair in self.drop],
            "start": list(self.start),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rules:
        """The rules of a description by `to_dict`; a ConfigError where the game's version is another one."""
        if not isinstance(data, Mapping):
            raise refuse("rules", data, "names with values")
        rest = dict(with_new_names({"rules": data})["rules"])
        version = rest.pop("version", None)
        try:
            rules = built(cls, "", rest)
        except ConfigError as error:  # with the keys of a configuration, as `tiles.drop`
            raise ConfigError(f"rules: {error}") from error
        if version != GAMES[rules.game].version or isinstance(version, bool):
            raise refuse("rules version", version, f"{GAMES[rules.game].version} for game {rules.game}")
        return rules


def _rules(law: MergeLaw | None, *values: Any) -> Rules:
    """Rules with these values for their fields, and the game made known where it is a registered one."""
    if law is not None:
        add_game(law)
    return Rules(*values)


def checked_rules(rules: Rules | None) -> Rules:
    """The rules themselves; None stands for 2048 on 4x4. Refuses anything else."""
    if rules is None:
        return Rules()
    check_instance("rules", rules, Rules, "as tdl.Rules(rows=4, cols=4)")
    return rules


def parse_size(text: object, key: str = "size") -> tuple[int, int]:
    """Rows and columns of a board: `"2x3"` gives (2, 3); a ConfigError names `key` and the nearest board."""
    if isinstance(text, str) and re.fullmatch("[2-5]x[2-5]", text):
        return int(text[0]), int(text[2])
    sides = re.findall(r"\d+", shown(text))
    if len(sides) == 1 and len(sides[0]) <= 2:  # 44, or 4
        sides = (list(sides[0]) * 2)[:2]
    hint = ""
    if len(sides) == 2:
        rows, cols = (min(max(int(side[:9]), 2), 5) for side in sides)
        hint = f"; did you mean '{rows}x{cols}'?"
    raise refuse(key, text, f"ROWSxCOLS from 2x2 to 5x5, as 4x4{hint}")


def unknown_game(key: str, name: object) -> ConfigError:
    """The refusal of what is no game's name."""
    new = new_choice("game", name)
    hint = f"; did you mean {new!r}?" if new else nearest(str(name), GAMES)
    way = "; a game of your own is registered first: TDL_CONFIG_DIR=FOLDER, or tdl.register_game in Python"
    return refuse(key, name, f"one of {', '.join(GAMES)}{hint or way}")


def _checked_drop(law: Sequence[Any], tiles: Sequence[int]) -> tuple[tuple[int, float], ...]:
    if not isinstance(law, Sequence) or isinstance(law, str):
        raise refuse("tiles.drop", law, "a list of pairs [tile index, probability]")
    if not law:
        raise refuse("tiles.drop", [], "at least one pair [tile index, probability]")
    for pair in law:
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise refuse("tiles.drop", pair, "pairs [tile index, probability]")
        index, probability = pair
        _check_tile("tiles.drop", index, tiles)
        check_above_zero("tiles.drop", probability, 1.0)
    if len({index for index, _ in law}) < len(law):
        raise refuse("tiles.drop", [list(pair) for pair in law], "each tile index once")
    total = math.fsum(probability for _, probability in law)
    if abs(total - 1) > 1e-9:
        raise ConfigError(f"tiles.drop: the probabilities sum to {total:.12g}; expected a sum of 1")
    return tuple((index, float(probability)) for index, probability in law)


def _checked_start(law: Sequence[Any], tiles: Sequence[int], cells: int) -> tuple[int | str, ...]:
    if not isinstance(law, Sequence) or isinstance(law, str):
        raise refuse("tiles.start", law, "a list of tile indices, or of the word drop")
    if not 1 <= len(law) < cells:
        raise refuse("tiles.start", list(law), f"between 1 and {cells - 1} tiles")
    for item in law:
        if item != DROP:
            _check_tile("tiles.start", item, tiles, ", or drop")
    return tuple(law)


def _check_tile(key: str, index: object, tiles: Sequence[int], other: str = "") -> None:
    """Refuse what is no index into `tiles`, the tile values of the board from index 1 on."""
    if isinstance(index, bool) or not isinstance(index, int) or not 1 <= index <= len(tiles):
        hint = ""
        if isinstance(index, int) and index > len(tiles) and index in tiles:  # a value where an index belongs
            hint = f"; did you mean {1 + tiles.index(index)}, the index of tile {index}?"
        raise refuse(key, index, f"a tile index from 1 to {len(tiles)}{other}{hint}")
