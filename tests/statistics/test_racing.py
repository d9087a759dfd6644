"""A race by its scores alone: who stops and when, what is due next, and that the best seldom stops.

Trusts `scipy.stats` for Student's t.
"""

import numpy as np
import pytest
from scipy import stats

from tdl.statistics.racing import DIVERGED, look_at, standing

NOBODY = np.zeros(3, np.bool_)


def scores_of(*rows, seeds=4):
    """Scores with nan for what is not played yet."""
    return np.array([[*row, *[np.nan] * (seeds - len(row))] for row in rows], float)


def test_first_all_play_two_seeds_then_those_that_are_left_play_one_more():
    assert standing(scores_of((), (), ())).due == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    now = standing(scores_of((100, 102), (99, 101), (10, 11)))
    assert (now.stopped.tolist(), now.seeds.tolist(), now.due) == ([False, False, True], [2, 2, 2], [(0, 2), (1, 2)])
    over = standing(scores_of((100, 102, 101, 99), (99, 101, 100, 102), (10, 11)))
    assert (over.stopped.tolist(), over.seeds.tolist(), over.due) == ([False, False, True], [4, 4, 2], ())


def test_a_race_with_one_setting_left_is_over():
    over = standing(scores_of((100, 101), (10, 11), (10, 12)))
    assert (over.stopped.tolist(), over.due) == ([False, True, True], ())


def test_decisions_do_not_depend_on_how_many_seeds_are_to_come():
    rng = np.random.default_rng(0)
    scores = np.exp(0.05 * rng.normal(size=(6, 30)) - 0.04 * np.arange(6)[:, None])
    few, many = standing(scores[:, :12]), standing(scores)
    stopped = few.stopped
    assert 0 < stopped.sum() < 5
    assert (many.stopped[stopped]).all()
    assert (many.seeds[stopped] == few.seeds[stopped]).all()


def test_a_setting_stops_at_two_divergences_and_one_makes_it_last():
    assert standing(scores_of((1, 2), (DIVERGED, DIVERGED), (1, 2))).stopped.tolist() == [False, True, False]
    assert standing(scores_of((1, 2), (DIVERGED, 9), (1, 2))).stopped.tolist() == [False, False, False]
    assert standing(scores_of((1, 2, 1), (DIVERGED, 9, DIVERGED), (1, 2, 2))).stopped.tolist() == [False, True, False]
    over = standing(scores_of(*[(DIVERGED, DIVERGED)] * 3))
    assert over.stopped.all()
    assert np.isposinf(over.looks[0].behind).all()  # they took part, and none leads


@pytest.mark.parametrize(("behind", "stops"), [(1.001, True), (0.999, False)])
@pytest.mark.parametrize("spread", [(0.01, 0.02, 0.03), (0.03, 0.02, 0.01), (0.01, 0.05, 0.01)])
def test_the_margin_is_that_of_students_t(spread, behind, stops):
    """Of the logarithms, with the variance of all settings or of the two, at the level of this look."""
    n, spread = 5, np.array(spread)
    shape = np.array([-2, -1, 0, 1, 2.0])
    variances = spread**2 * shape.var(ddof=1)
    level = 0.05 / 2 * ((4 / 6) ** 3 - (3 / 5) ** 3)
    both = max(2 * variances.mean(), variances[0] + variances[1])
    margin = stats.t.isf(level, 3 * (n - 1)) * np.sqrt(both / n)
    means = np.array([0, -behind * margin, -0.1 * margin])
    scores = np.exp(means[:, None] + spread[:, None] * shape)
    assert look_at(scores, NOBODY, n - 1, 0.05).stopped.tolist() == [False, stops, False]
    assert look_at(100 * scores, NOBODY, n - 1, 0.05).stopped.tolist() == [False, stops, False]


def test_scores_of_another_race_count_for_the_variance_alone():
    rows, others = (
        np.array([[100, 101.0], [92, 93.0]]),
        np.array([[50, 50.1], [60, 60.1], [70, np.nan], [DIVERGED, 9]]),
    )
    alone, known = look_at(rows, NOBODY[:2], 1, 0.05), look_at(rows, NOBODY[:2], 1, 0.05, elsewhere=others)
    together = look_at(np.vstack([rows, others]), np.arange(6) > 1, 1, 0.05 * 5)
    assert known.margin == pytest.approx(together.margin[:2])
    assert known.means.tolist() == alone.means.tolist()
    assert (alone.stopped.tolist(), known.stopped.tolist()) == ([False, False], [False, True])
    assert standing(rows).stopped.tolist() == [False, False]
    assert standing(rows, elsewhere=others).stopped.tolist() == [False, True]


def test_a_rung_stops_only_what_cannot_catch_up_either():
    ahead, near, far = (100, 102, 101), (70, 71, 72), (20, 21, 20)
    scores = np.full((2, 3, 3), np.nan)
    now = standing(scores, rungs=(0.1,))
    assert (now.layer, now.due) == (0, [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)])
    scores[0] = ahead, near, far
    now = standing(scores, rungs=(0.1,))
    assert (now.layer, now.due, now.stopped.tolist()) == (1, [(0, 0), (1, 0), (0, 1), (1, 1)], [False, False, True])
    assert [(look.seeds, look.share) for look in now.looks] == [(2, 0.1)]
    scores[1, :2] = ahead, near
    now = standing(scores, rungs=(0.1,))
    assert (now.stopped.tolist(), now.seeds.tolist(), now.due) == ([False, True, True], [2, 2, 0], ())
    assert [look.stopped.tolist() for look in now.looks] == [[False, False, True], [False, True, False]]


def test_who_is_left_alone_is_judged_at_no_further_rung():
    scores = np.full((3, 2, 2), np.nan)
    scores[0] = (100, 101), (10, 11)
    now = standing(scores, rungs=(0.1, 0.5))
    assert (now.stopped.tolist(), now.layer, now.due) == ([False, True], 2, [(0, 0), (0, 1)])


def test_equal_scores_decide_nothing():
    assert not standing(scores_of((5, 5), (4, 4), (0, 0))).stopped.any()


def test_scores_that_are_not_above_0_are_compared_as_they_are():
    assert standing(scores_of((3, 4), (2, 3), (-900, -901))).stopped.tolist() == [False, False, True]


def test_the_best_seldom_stops():
    """Where all others are as near as they can be without counting as the best; of 300 races 15 may lose it."""
    rng, lost = np.random.default_rng(1), 0
    for _ in range(300):
        true = np.append(1, np.full(7, 0.985))
        lost += bool(standing(true[:, None] * np.exp(0.05 * rng.normal(size=(8, 20)))).stopped[0])
    assert lost <= 15
