"""The tuple sets of `conf/tuples`, and the boards on which their cells are numbered."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tdl.base.checks import built
from tdl.config.files import group_file, group_names
from tdl.errors import ConfigError
from tdl.game.rules import Rules, checked_rules, parse_size
from tdl.network.tuples import TupleSet
from tdl.network.tuples import tuple_set as tuple_set


@tuple_set.register
def _named(name: str, rules: Rules | None = None) -> TupleSet:
    """One of the named tuple sets of `conf/tuples`."""
    shape = group_file("tuples", name)
    board, asked = shape.get("board"), checked_rules(rules)
    size = f"{asked.rows}x{asked.cols}"
    if board and rules is not None and board != size:
        raise ConfigError(
            f"tuples: the cells of {name} are numbered on a {board} board, and the rules have {size}; expected lists "
            f"of cells, or tdl.tuple_set({name!r}) to take the numbers as they are"
        )
    return tuple_set_of(shape)


def tuple_set_of(section: Mapping[str, Any]) -> TupleSet:
    """The set of a section `tuples`. Its board belongs to the numbers of cells, not to the set."""
    values = {key: value for key, value in section.items() if key != "board"}
    return built(TupleSet, "tuples", values, optional={field.name for field in fields(TupleSet)} - {"cells"})


def check_numbering(section: Mapping[str, Any], size: str) -> None:
    """Refuse a named set whose cells are numbered on another board: there the same numbers are other shapes.

    Cells given on top of a named set are meant for the board of the run, whatever the set's own board is.
    """
    board = section["board"]
    if board in (None, size):
        return
    sets = {name: group_file("tuples", name) for name in group_names("tuples")}
    named = [name for name, shape in sets.items() if shape.get("board") == board and _repeats(section, shape)]
    if parse_size(board, "tuples.board") == parse_size(size) or not named:
        return
    fitting = ", ".join(name for name, shape in sets.items() if shape.get("board") == size)
    raise ConfigError(
        f"tuples: the cells of {named[0]} are numbered on a {board} board, and size is {size}; expected "
        f"{f'a set of that size ({fitting}), ' if fitting else ''}tuples.cells of your own, or "
        f"tuples.board=null to take the numbers as they are"
    )


def _repeats(section: Mapping[str, Any], named: Mapping[str, Any]) -> bool:
    """Whether the numbers of cells are those of a named set."""
    pairs = ("cells", section["cells"]), ("orders", section["orders"])
    return any(cells and cells == named.get(key) for key, cells in pairs)
