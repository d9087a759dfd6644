"""What the benchmarks here share: a command line made of a function, and rows of figures as a table or JSON."""

import inspect
import json
import statistics
import time
from argparse import ArgumentParser, ArgumentTypeError, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tabulate import tabulate

from tdl.cli.messages import one_line_errors
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.runs import environment
from tdl.statistics.intervals import ratio_text

Row = dict[str, Any]
"""Figures by name: a text, a number, a list with one of each turn, or a ratio as `ratio_range` makes it."""


@one_line_errors
def main(measure: Callable[..., Iterable[Row]], words: Sequence[str] | None = None) -> None:
    """Measure with the options of a command line, which are the parameters of `measure`, and print the rows.

    The table shows the median of a list, and a ratio with its range. JSON shows every turn, and the machine.
    """
    parser = ArgumentParser(description=inspect.getdoc(measure), formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    for name, parameter in inspect.signature(measure).parameters.items():
        _add_option(parser, name, parameter.default)
    options = vars(parser.parse_args(words))
    as_json = options.pop("json")
    _print(list(measure(**options)), as_json)


def _add_option(parser: ArgumentParser, name: str, default: Any) -> None:
    """The option of a parameter: of the type of its default, several numbers for a tuple, a text without a default."""
    if default is inspect.Parameter.empty:
        parser.add_argument(f"--{name}", required=True)
        return
    several = isinstance(default, tuple)
    kind = type(default[0] if several else default)

    def read(text: str) -> Any:
        value = kind(text)
        if kind is not str and not value > 0:
            raise ArgumentTypeError(f"{text} is not above 0")
        return value

    parser.add_argument(f"--{name}", default=default, nargs="+" if several else None, type=read, help=f"({default})")


def _print(rows: list[Row], as_json: bool) -> None:
    if not rows:  # those of several processes are the first one's
        return
    network = NTupleNetwork(Rules(), TupleSet(((0, 1),)))  # which chooses the instruction set as all do
    machine = environment.describe(network.instructions)
    if as_json:
        print(json.dumps({**machine, "rows": rows}, indent=1))
    else:
        table = [{name: _text(figure) for name, figure in row.items()} for row in rows]
        print(f"{machine['cpu']}, {machine['instructions']}")
        print(tabulate(table, headers="keys", disable_numparse=True, stralign="right"))


def _text(figure: Any) -> str:
    if isinstance(figure, dict):
        return ratio_text(figure)
    if isinstance(figure, list):
        figure = statistics.median(figure)
    if isinstance(figure, str):
        return figure
    return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.4g}"


def per_second(work: Callable[[], int], seconds: float = 0.0) -> float:
    """Moves per second of work that returns how many it made; done again until so many seconds are over."""
    start, moves, passed = time.perf_counter(), 0, 0.0
    while passed <= seconds:
        moves += work()
        passed = time.perf_counter() - start
    return moves / passed
