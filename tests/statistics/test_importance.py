"""Shares of the variance over settings, where they are known."""

import numpy as np
import pytest

from tdl.statistics.importance import main_effects

GRID = {"a": [0, 0, 0, 1, 1, 1], "b": ["x", "y", "z"] * 2}


def test_a_whole_grid_has_the_sums_of_squares():
    scores = np.array([3.0, 5, 1, 4, 2, 9])
    table = scores.reshape(2, 3)
    shares, rest = main_effects(GRID, scores)
    assert shares == pytest.approx(
        {"a": table.mean(axis=1).var() / scores.var(), "b": table.mean(axis=0).var() / scores.var()}, abs=1e-6
    )
    assert rest == pytest.approx(1 - sum(shares.values()), abs=1e-6)


def test_where_settings_are_missing_a_sum_of_effects_is_found():
    scores = np.array([10.0 * a + {"x": 0, "y": 3, "z": 6}[b] for a, b in zip(*GRID.values(), strict=True)])
    some = {key: values[:5] for key, values in GRID.items()}
    assert main_effects(some, scores[:5])[0] == pytest.approx(main_effects(GRID, scores)[0], abs=1e-6)


@pytest.mark.parametrize("values", [
    {"a": [0, 1, 2], "b": [0, 0, 1]},  # too few
    {"a": [0, 0, 1, 1, 2], "b": [0, 0, 1, 1, 2]},  # one follows the other
    {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]},  # one score
])  # fmt: skip
def test_nothing_where_effects_cannot_be_told_apart(values):
    number = len(values["a"])
    scores = np.ones(number) if number == 4 else np.arange(float(number))
    assert main_effects(values, scores) == ({}, 1.0)
