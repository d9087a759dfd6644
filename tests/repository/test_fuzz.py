"""Files and requests changed at random: a few examples of `support.fuzz`, which `make fuzz` tries 10,000 of.

Trusts the files that the programs write, and the folders beside them, which nobody may touch.
"""

import random

import pytest
from support.fuzz import LEFT_OUT, WRONG, target_of, tried
from support.fuzz_targets import TARGETS

EXAMPLES = 20


@pytest.mark.parametrize("first", range(0, EXAMPLES, 10))
def test_no_example_is_wrong(first):
    for number in range(first, first + 10):
        _try(number)


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "page"])
def test_every_target_has_an_example(target):
    _try(0, target)


@pytest.mark.extra
@pytest.mark.parametrize("number", range(3))
def test_pages_of_changed_runs(number):
    if _try(number, "page") == LEFT_OUT:
        pytest.skip("no browser here")


def _try(number, name=None):
    if name is None and target_of(random.Random(number)) == "page":
        return LEFT_OUT  # it has tests of its own
    target, outcome, line = tried(number, name)
    again = f"`python -m support.fuzz --only {number}{f' --target {name}' if name else ''}`"
    assert outcome != WRONG, f"example {number} ({target}), see {again}: {line}"
    return outcome
