"""The room that a run takes on the disk is known before it begins. Trusts the arrays that its agent saves."""

import pytest
from support.programs import result

from tdl.config.setup import Setup
from tdl.runs.agents import build_agent
from tdl.runs.disk_space import of_run
from tdl.storage.records import RECORD

CASES = [
    {},
    {"learner": {"step": "coherent"}},
    {"learner": {"target": "state"}},
    {"learner": {"step": "coherent", "stages": [64, 128]}},
    {"tuples": {"radix": 8}},
    {"learner": {"target": "state"}, "tuples": {"orders": [[[0, 1, 2], [4, 5, 6]]], "counts": [[0], [1, 2]]}},
    {"game": {"name": "2584"}, "size": "2x3", "tuples": {"cells": [[0, 1, 2], [3, 4]]}},
]


@pytest.fixture(scope="module")
def setup_of(small_run):
    """The set-up of a small run with other values."""
    config = result(small_run("episodes=20"))["config"]
    return lambda changes: Setup.of(
        config | {key: config[key] | value if isinstance(value, dict) else value for key, value in changes.items()}
    )


@pytest.mark.parametrize("changes", CASES, ids=str)
def test_the_size_of_a_checkpoint(setup_of, changes):
    setup = setup_of(changes)
    arrays = build_agent(setup, 0).arrays()
    assert of_run(setup).weights == sum(array.nbytes for array in arrays.values())


@pytest.mark.parametrize(
    ("save", "kept", "written"),
    [({}, 1, 2), ({"seconds": None}, 1, 1), ({"every": 10, "keep": 5}, 2, 3), ({"moves": [5, 10], "keep": 1}, 3, 4)],
    ids=str,
)
def test_the_number_of_checkpoints(setup_of, save, kept, written):
    disk, weights = of_run(setup_of({"save": save})), of_run(setup_of({})).weights
    assert (disk.weights, disk.peak) == (kept * weights, written * weights)
    assert disk.records >= 25 * RECORD.itemsize
