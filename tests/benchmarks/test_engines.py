"""The benchmark of boards does the same work on both engines; its speeds are not judged here."""

import pytest
from support.shapes import each_rules

from tdl.benchmarks.engines import compare, sample_boards, text
from tdl.benchmarks.operations import OPERATIONS
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet


def test_boards_compares_both_engines():
    figures = compare(TupleSet(((0, 1, 2), (4, 5))), episodes=50, rounds=2, boards=500, seconds=1e-4)
    for game in ("2048", "2584"):
        parts = figures[game]["operations"]
        assert tuple(parts) == OPERATIONS
        for part in parts.values():
            ratios = [array / bits for array, bits in zip(part["array"], part["bits"], strict=True)]
            assert (part["ratio_min"], part["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-2)
        assert len(figures[game]["training"]["bits"]) == len(figures[game]["training"]["array"]) == 2
    assert len(text({"tuples": "two", **figures}).splitlines()) == 1 + 2 * (len(OPERATIONS) + 2)


@each_rules
@pytest.mark.parametrize("build", ["portable", None])
def test_operations_do_the_same_to_both_engines(rules, build):
    network = NTupleNetwork(rules, TupleSet(((0, 1), (2, 3, 0))))
    network.use_instructions(build)
    bits, array = sample_boards(network, 300).values()
    for operation in OPERATIONS:
        assert bits.run(operation, 2) == array.run(operation, 2) > 0, operation
