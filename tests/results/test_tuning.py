"""Learners at their own best step sizes. Trusts numbers worked out by hand."""

import math

import pandas as pd
import pytest

from tdl.errors import ConfigError
from tdl.results import best_by, best_runs, compare

TABLE = pd.DataFrame(
    [(learner, alpha, seed, score, 1000, 2.0) for learner, alpha, scores in (
        ("td", 0.1, (30, 34, 32)), ("td", 0.5, (40, 36, 10)), ("tc", 0.5, (50, 52, 54)), ("tc", 1.0, (60, 61, 62)),
    ) for seed, score in enumerate(scores)],
    columns=["learner", "alpha", "seed", "eval_mean", "moves", "seconds"],
)  # fmt: skip


def test_each_at_its_best():
    found = best_by("learner", tune="alpha", table=TABLE)
    columns = ["learner", "alpha", "runs", "mean", "tried", "tried_runs", "tried_moves", "tried_seconds"]
    assert found[columns].to_numpy().tolist() == [
        ["tc", 1.0, 3, 61.0, 2, 6, 6000.0, 12.0], ["td", 0.1, 3, 32.0, 2, 6, 6000.0, 12.0]]  # fmt: skip


def test_a_seed_is_judged_by_what_is_best_on_the_others():
    held_out = best_by("learner", tune="alpha", table=TABLE).set_index("learner")["held_out"]
    assert held_out["tc"] == 61.0
    # td: without seed 0 or 1 it is 0.1 (33 to 23, 31 to 25), without seed 2 it is 0.5 (38 to 32)
    assert held_out["td"] == pytest.approx((30 + 34 + 10) / 3)
    alone = best_by("learner", tune="alpha", table=TABLE[TABLE["seed"] == 0])
    assert all(map(math.isnan, alone["held_out"]))


def test_the_runs_at_their_best_can_be_compared():
    best = best_runs("learner", tune="alpha", table=TABLE)
    assert sorted(best["eval_mean"]) == [30, 32, 34, 60, 61, 62]
    found = compare(best, "learner", "tc", "td")
    assert found["difference"] == 29.0
    assert found["low"] > 20


def test_mistakes_are_named():
    with pytest.raises(ConfigError, match=r"alfa: no such column of the table; did you mean 'alpha'\?"):
        best_by("learner", tune="alfa", table=TABLE)
