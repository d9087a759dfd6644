"""What checks of single values say of numbers that nobody can print or use. Trusts Python's own numbers."""

import functools

import pytest

from tdl.base.checks import check_above_zero, check_whole, without_numpy
from tdl.errors import ConfigError

HUGE, TELLING = 10**5000, "a number of more than 4,300 digits is not allowed"
DEEP = functools.reduce(lambda value, _: [value], range(30_000), [])


@pytest.mark.parametrize(
    ("check", "value", "bound", "telling"),
    [
        (check_whole, 0, 1, "n: 0 is not allowed; expected a whole number of at least 1"),
        (check_whole, 2**63, 1, f"n: {2**63} is not allowed; expected a whole number from 1 to {2**63 - 1}"),
        (check_whole, HUGE, 1, f"n: {TELLING}; expected a whole number from 1 to {2**63 - 1}"),
        (check_whole, [HUGE], 1, f"n: {TELLING}; expected a whole number of at least 1"),
        (check_whole, DEEP, 1, "n: a list in too many others is not allowed; expected a whole number of at least 1"),
        (check_above_zero, HUGE, 10, f"n: {TELLING}; expected a number above 0 and at most 10"),
        (check_above_zero, 10**150 * 10**160, 1e9, f"n: 1{'0' * 198}… is not allowed; expected a number above 0 and"),
    ],
    ids=["low", "high", "huge", "within", "deep", "float", "no float"],
)
def test_a_number_that_nobody_can_use(check, value, bound, telling):
    with pytest.raises(ConfigError) as caught:
        check("n", without_numpy(value), bound)
    assert str(caught.value).startswith(telling)
