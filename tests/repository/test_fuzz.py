"""Files and requests changed at random: a few examples of `support.fuzz`, which `make fuzz` tries 10,000 of.

Trusts the files that the programs write, and the folders beside them, which nobody may touch.
"""

import pytest
from support.fuzz import LEFT_OUT, LOADED, REFUSED, WRONG, judged, tried
from support.fuzz_targets import TARGETS

from tdl.errors import ConfigError, TdlError

EXAMPLES = [
    pytest.param(name, number, marks=[pytest.mark.extra] if name == "page" else [])
    for name, target in TARGETS.items()
    for number in range(target.share)
]


@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_no_example_is_wrong(name, number):
    _, outcome, line = tried(number, name)
    if outcome == LEFT_OUT:
        pytest.skip(line)
    assert outcome != WRONG, f"see `python -m support.fuzz --only {number} --target {name}`: {line}"


@pytest.mark.parametrize(
    ("work", "outcome"),
    [
        (lambda: None, LOADED),
        (lambda: _fail(ConfigError("seed: -1 is not allowed")), REFUSED),
        (lambda: _fail(FileNotFoundError(2, "No such file", "x")), REFUSED),
        (lambda: _fail(TdlError("x" * 2000)), WRONG),
        (lambda: _fail(ValueError("a traceback")), WRONG),
        (lambda: bytearray(1 << 40), WRONG),
    ],
)
def test_what_is_judged_wrong(work, outcome):
    assert judged(work)[0] == outcome


def _fail(error):
    raise error
