"""The tuple sets of `conf/tuples`, and the boards on which their cells are numbered."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from tdl.config.files import group_file, group_names
from tdl.config.schema import TuplesConfig
from tdl.errors import ConfigError
from tdl.game.rules import Rules, parse_size
from tdl.network.tuples import TupleSet
from tdl.network.tuples import tuple_set as tuple_set


@tuple_set.register
def _named(name: str, rules: Rules | None = None) -> TupleSet:
    """One of the named tuple sets of `conf/tuples`."""
    shape = group_file("tuples", name)
    board, size = shape.get("board"), None if rules is None else f"{rules.rows}x{rules.cols}"
    if board and size and board != size:
        raise ConfigError(
            f"tuples: the cells of {name} are numbered on a {board} board, and the rules have {size}; expected lists "
            f"of cells, or tdl.tuple_set({name!r}) to take the numbers as they are"
        )
    return _without_board(shape)


def tuple_set_of(section: TuplesConfig) -> TupleSet:
    """The set of a configuration."""
    return _without_board(dataclasses.asdict(section))


def _without_board(shape: Mapping[str, Any]) -> TupleSet:
    """The board belongs to the numbers of cells, not to the set."""
    return TupleSet(**{key: value for key, value in shape.items() if key != "board"})


def check_numbering(section: TuplesConfig, size: str) -> None:
    """Refuse a named set whose cells are numbered on another board: there the same numbers are other shapes.

    Cells given on top of a named set are meant for the board of the run, whatever the set's own board is.
    """
    if section.board in (None, size):
        return
    sets = {name: group_file("tuples", name) for name in group_names("tuples")}
    named = [name for name, shape in sets.items() if shape.get("board") == section.board and _repeats(section, shape)]
    if parse_size(section.board, "tuples.board") == parse_size(size) or not named:
        return
    fitting = ", ".join(name for name, shape in sets.items() if shape.get("board") == size)
    raise ConfigError(
        f"tuples: the cells of {named[0]} are numbered on a {section.board} board, and size is {size}; expected "
        f"{f'a set of that size ({fitting}), ' if fitting else ''}tuples.cells of your own, or "
        f"tuples.board=null to take the numbers as they are"
    )


def _repeats(section: TuplesConfig, named: Mapping[str, Any]) -> bool:
    """Whether the numbers of cells are those of a named set."""
    pairs = ("cells", section.cells), ("orders", section.orders)
    return any(cells and cells == named.get(key) for key, cells in pairs)
