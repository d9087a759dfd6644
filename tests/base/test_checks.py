"""What checks of single values say of numbers that nobody can print or use. Trusts Python's own numbers."""

import pytest

from tdl.base.checks import check_above_zero, check_whole, without_numpy
from tdl.errors import ConfigError

HUGE = 10**5000


@pytest.mark.parametrize(
    ("value", "telling"),
    [
        (0, "n: 0 is not allowed; expected a whole number of at least 1"),
        (2**63, f"n: {2**63} is not allowed; expected a whole number from 1 to {2**63 - 1}"),
        (HUGE, f"n: a number of more than 4,300 digits is not allowed; expected a whole number from 1 to {2**63 - 1}"),
        ([HUGE], "n: a number of more than 4,300 digits is not allowed; expected a whole number of at least 1"),
    ],
    ids=["low", "high", "huge", "within"],
)
def test_a_number_that_is_too_large(value, telling):
    with pytest.raises(ConfigError) as caught:
        check_whole("n", value, 1)
    assert str(caught.value) == telling


def test_a_number_that_no_float_holds():
    with pytest.raises(ConfigError, match=r"alpha: 10+… is not allowed; expected a number above 0 and at most 10"):
        check_above_zero("alpha", 10**400, 10)
    with pytest.raises(ConfigError, match="alpha: a number of more than 4,300 digits is not allowed"):
        check_above_zero("alpha", HUGE)


def test_a_list_in_too_many_others():
    deep = []
    for _ in range(30_000):
        deep = [deep]
    with pytest.raises(ConfigError, match="n: a list in too many others is not allowed; expected a whole number"):
        check_whole("n", without_numpy(deep), 1)
