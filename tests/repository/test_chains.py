"""Chains of largest tiles, told by scores."""

from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def chains(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools import chains

    return chains


def test_the_score_of_a_tile_is_that_of_its_merges(chains):
    """Merges of a tile: t/4 of two 2s worth 4 each, t/8 worth 8, and so on; each dropped 4 spares one."""

    def points(tile):
        return 0 if tile == 2 else tile + 2 * points(tile // 2)

    drops = 2048 / 2.2  # of 2 and 4
    assert chains.score_of((2048,)) == pytest.approx(points(2048) - 4 * 0.1 * drops)
    assert chains.score_of((2048, 1024)) == pytest.approx(chains.score_of((2048,)) + chains.score_of((1024,)))


def test_games_that_go_on_are_counted(chains):
    first, second = chains.score_of((2048,)), chains.score_of((2048, 1024))
    table = chains.table(np.array([0, first - 1, first, first + 1, second, second + 1]))
    assert list(table["games"][:3]) == [4, 2, 0]
    assert list(table["reach_next"][:2]) == [0.5, 0]
    assert table["reach_next"][2:].isna().all()
    assert table["score"].is_monotonic_increasing
    assert (table["reach_next_low"][:2] <= table["reach_next"][:2]).all()
