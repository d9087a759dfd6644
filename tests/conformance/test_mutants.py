"""Each wrong environment of `support.mutants` is found, for the right reason; right ones with any convention are not.

Trusts the wrong environments to be wrong in what they say, and nothing else.
"""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support.mutants import MUTANTS
from support.plain_2048 import Functions, Lanes, Plain

import tdl
from tdl.game.rules import Rules

RULES = Rules(rows=3, cols=3)
ALONE = {"seeds", "spaces", "arrays", "after the end", "interface"}
"""What is wrong with an environment by itself, not with its rules; of others many are played at once."""

CHANCE = {"drop tiles", "drop cells", "first tiles"}
"""What takes more steps to be found."""


def steps_for(checks):
    return 4000 if checks & CHANCE else 1500


def wrong(env, steps=1500, rules=RULES):
    """What checks call wrong, and why."""
    table = tdl.rules_check(env, rules, steps=steps, seed=1)
    return {row.check: row.text for row in table.itertuples() if row.verdict == "wrong"}


@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_wrong_is_found_and_nothing_else(name):
    mutant, words, checks = MUTANTS[name]
    if issubclass(mutant, Lanes) or checks & ALONE:
        reasons = wrong(mutant(**words), 1000)
    else:
        reasons = wrong(Lanes(lambda: mutant(**words)), steps_for(checks))
    assert {*reasons} == checks, reasons


@pytest.mark.parametrize(
    "words",
    [
        *({"shown": shown} for shown in ("indices", "planes", "flat", "dict")),
        *({"illegal": illegal} for illegal in ("ends", "truncates", "raises", "costs")),
        {"order": (3, 0, 1, 2), "first": 1},
        {"order": (2, 3, 0, 1), "first": 3, "limit": 30},
        {"goal": 5, "masked": True},
        {"size": (2, 3)},
        {"size": (4, 4), "paid": lambda gained: gained / 2},
        {"paid": lambda gained: np.log2(gained) if gained else 0.0},
        {"paid": lambda gained: gained - 1},
    ],
    ids=", ".join,
)
def test_nothing_is_wrong_with_any_convention(words):
    rows, cols = words.get("size", (3, 3))
    rules = Rules(rows=rows, cols=cols)
    assert wrong(Plain(**words), 1500, rules) == {}


@pytest.mark.parametrize("mode", AutoresetMode)
def test_nothing_is_wrong_with_any_mode_of_auto_reset(mode):
    assert wrong(Lanes(mode=mode)) == {}


@pytest.mark.parametrize(
    "name", ["PaysTheFirstMerge", "DropsTwo", "DropsEqualTiles", "DropsOnTheFirstOfTwo", "EndsWhenFull"]
)
def test_functions_of_boards_that_are_wrong_are_found(name):
    mutant, _, checks = MUTANTS[name]
    reasons = wrong(Functions(mutant()), steps_for(checks))
    assert {*reasons} == checks - {"score"}, reasons  # they tell none


def test_nothing_is_wrong_with_right_functions_of_boards():
    assert wrong(Functions()) == {}
