"""Options that several benchmarks share."""

import json
from argparse import ArgumentParser

from tdl.config.tuple_sets import tuple_set
from tdl.errors import refuse
from tdl.network.tuples import TupleSet


def add_training(parser: ArgumentParser) -> None:
    """The options `--tuples`, `--lanes`, and `--blank` and `--state` of training that is measured twice."""
    parser.add_argument("--tuples", default="4x6", help="a named tuple set (4x6), or its cells: [[0,1,2],[4,5,6]]")
    parser.add_argument("--lanes", type=_lanes, default="auto", help="auto or a number")
    parser.add_argument("--blank", type=int, default=20_000, help="episodes measured from blank (20000)")
    parser.add_argument("--state", type=int, default=100_000, help="episodes before the second measurement; 0: none")


def _lanes(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def tuples_of(text: str) -> TupleSet:
    """The tuple set of `--tuples`: a name, or cells as JSON."""
    if not text.startswith("["):
        return tuple_set(text)
    try:
        return TupleSet(json.loads(text))
    except ValueError as error:
        raise refuse("--tuples", text, "a name, or cells as [[0,1,2],[4,5,6]]") from error
