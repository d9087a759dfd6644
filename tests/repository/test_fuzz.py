"""Files changed at random: a few examples of `support.fuzz`, which `make fuzz` tries 10,000 of.

Trusts the files that the programs write, and the folders beside them, which nobody may touch.
"""

import pytest
from support.fuzz import KINDS, WRONG, tried

EXAMPLES = 40


@pytest.mark.parametrize("first", range(0, EXAMPLES, 10))
def test_no_example_is_wrong(first):
    for number in range(first, first + 10):
        kind, outcome, line = tried(number)
        assert outcome != WRONG, f"example {number} ({kind}), see `python -m support.fuzz --only {number}`: {line}"


def test_the_examples_are_of_every_kind():
    """Also those that are known to be of each: a change of `KINDS` gives every number another example."""
    assert len({*KINDS}) == 8
