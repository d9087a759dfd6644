"""What a sweep found, in words. Trusts sentences written by hand."""

import numpy as np
import pandas as pd
import pytest

from tdl.results.answers import failures, sentence


def table(*settings, seeds=3):
    """Runs of settings `(learner, alpha, mean)`, 10 points apart."""
    rows = [(learner, alpha, seed, mean + 10.0 * seed - 10 * (seeds - 1) / 2, "finished", None)
            for learner, alpha, mean in settings for seed in range(seeds)]  # fmt: skip
    return pd.DataFrame(rows, columns=["learner", "alpha", "seed", "eval_mean", "status", "error"])


def test_the_best_and_the_next():
    assert sentence(table(("td", 0.1, 500.0), ("tc", 1.0, 3000.0))) == (
        "Best: tc, alpha 1, 3,000 [2,975, 3,025], 3 runs. "
        "The next, td, alpha 0.1, is 2,500 [2,477, 2,523] lower, a clear difference (p < 0.001)."
    )
    assert sentence(table(("td", 0.1, 2990.0), ("tc", 1.0, 3000.0))) == (
        "Best: tc, alpha 1, 3,000 [2,975, 3,025], 3 runs. "
        "The next, td, alpha 0.1, is 10 [-13, 33] lower, no clear difference (p = 0.29)."
    )


def test_one_seed_or_one_setting():
    assert sentence(table(("td", 0.1, 500.0), ("tc", 1.0, 3000.0), seeds=1)) == (
        "Best: tc, alpha 1, 3,000, 1 run. The next, td, alpha 0.1, is 2,500 lower; one seed each cannot show a "
        "difference, seed='range(0,5)' can."
    )
    assert sentence(table(("td", 0.1, 500.0))) == "Mean 500 [475, 525], 3 runs."
    assert sentence(table(("td", 0.1, 500.0), seeds=1)) == "Mean 500, 1 run; seed='range(0,5)' would give an interval."


def test_nothing_is_said_of_nothing():
    assert sentence(table(("td", 0.1, np.nan))) == ""
    assert sentence(table(("td", 0.1, 5.0)).drop(columns="eval_mean")) == ""


def test_failures_by_setting_and_reason():
    runs = table(("tc", 1.0, 3000.0), ("td", 1.0, np.nan), ("td", 0.1, 500.0))
    runs.loc[3:5, ["status", "error"]] = [
        "failed",
        "learning diverged: a value left +-1e+09; a smaller alpha is needed",
    ]
    runs.loc[8, ["status", "error"]] = ["interrupted", None]
    runs.loc[2, ["status", "error"]] = ["failed", "[Errno 28] No space left on device"]
    assert failures(runs) == [
        "tc, alpha 1: 1 of 3 failed: [Errno 28] No space left on device",
        "td, alpha 0.1: 1 of 3 interrupted",
        "td, alpha 1: 3 of 3 diverged; lower alpha",
    ]
    assert failures(table(("tc", 1.0, 3000.0))) == []


@pytest.mark.parametrize("status", ["running", "cut off"])
def test_runs_that_go_on_are_listed(status):
    assert failures(table(("tc", 1.0, 1.0)).assign(status=status)) == [f"3 of 3 runs {status}"]
