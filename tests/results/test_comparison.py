"""Means and differences of settings with intervals over seeds.

Trusts numbers worked out by hand, and scipy's tests of two samples.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tdl.errors import ConfigError
from tdl.results.answers import failures, finding, latex, sentence
from tdl.results.comparison import against_best, best_by, best_runs, compare, means, run_mean
from tdl.results.design import differing, factors
from tdl.results.labels import titles
from tdl.statistics.intervals import share_interval


def runs(rows, *columns):
    return pd.DataFrame(rows, columns=[*columns, "eval_mean"])


SWEEP = runs(
    [
        (0.1, "4x6", 0, 10.0), (0.1, "4x6", 1, 14.0), (0.1, "8x6", 0, 110.0), (0.1, "8x6", 1, 114.0),
        (0.5, "4x6", 0, 20.0), (0.5, "4x6", 1, 24.0), (0.5, "8x6", 0, 111.0), (0.5, "8x6", 1, 113.0),
    ],
    "alpha", "tuples", "seed",
)  # fmt: skip


def test_means_of_all_settings():
    found = means(SWEEP)
    assert list(found.columns) == ["alpha", "tuples", "runs", "mean", "low", "high"]
    assert found[["alpha", "tuples", "mean"]].to_numpy().tolist() == [
        [0.1, "4x6", 12.0], [0.1, "8x6", 112.0], [0.5, "4x6", 22.0], [0.5, "8x6", 112.0]]  # fmt: skip
    assert (found["runs"] == 2).all()
    half = stats.t.ppf(0.975, 1) * np.sqrt(8.0 / 2)  # of two seeds, 10 and 14; 12 - half is below 0
    assert found[["low", "high"]].iloc[0].tolist() == pytest.approx([0, 12 + half])
    assert found[["low", "high"]].iloc[1].tolist() == pytest.approx([112 - half, 112 + half])


def test_means_over_further_keys_are_stratified():
    """How far the tuples lie apart does not count: the interval is that of what varies within them."""
    found = means(SWEEP, by="alpha")
    assert found[["alpha", "runs", "mean"]].to_numpy().tolist() == [[0.1, 4, 62.0], [0.5, 4, 67.0]]
    half = stats.t.ppf(0.975, 2) * np.sqrt((8.0 / 2 + 8.0 / 2) / 4)  # equal variances: one degree of freedom each
    assert found[["low", "high"]].iloc[0].tolist() == pytest.approx([62 - half, 62 + half])
    assert means(SWEEP, by=["alpha"]).equals(found)
    assert means(SWEEP, by=[])[["runs", "mean"]].to_numpy().tolist() == [[8, 64.5]]


GAMES = SWEEP.assign(eval_low=SWEEP["eval_mean"] - 90, eval_high=SWEEP["eval_mean"] + 90)
"""Runs that their games alone tell to 90 points."""


def test_no_interval_is_narrower_than_the_games_make_it():
    """Means of two runs, means of four, differences of both: 90 points by the square root of a number of runs."""
    wide = means(GAMES)
    assert wide["mean"].equals(means(SWEEP)["mean"])
    assert wide[["low", "high"]].iloc[1].tolist() == pytest.approx([112 - 90 / 2**0.5, 112 + 90 / 2**0.5])
    assert means(GAMES, by="alpha")[["low", "high"]].iloc[0].tolist() == pytest.approx([62 - 45, 62 + 45])
    assert compare(GAMES, "alpha", 0.5, 0.1)[["low", "high"]].tolist() == pytest.approx(
        [5 - 90 / 2**0.5, 5 + 90 / 2**0.5]
    )
    narrow = GAMES.assign(eval_low=SWEEP["eval_mean"] - 0.1, eval_high=SWEEP["eval_mean"] + 0.1)
    for table in (narrow, GAMES.assign(eval_low=np.nan, eval_high=np.nan)):
        assert means(table).equals(means(SWEEP))
    assert means(GAMES.assign(eval_max=SWEEP["eval_mean"]), score="eval_max").equals(means(SWEEP))  # not of games


def test_what_the_games_do_not_tell_apart_does_not_differ():
    """Two seeds each that lie close together by chance: Welch's test alone would tell the settings apart."""
    table = runs([("a", 0, 100.0), ("a", 1, 100.1), ("b", 0, 103.0), ("b", 1, 103.1)], "agent", "seed")
    assert against_best(table)["differs"].tolist() == [False, True]
    games = table.assign(eval_low=table["eval_mean"] - 9, eval_high=table["eval_mean"] + 9)
    found = against_best(games)
    assert found["differs"].tolist() == [False, False]
    assert found["difference_high"].iloc[1] == pytest.approx(3 + 9)
    assert found["p"].iloc[1] == pytest.approx(2 * stats.norm.sf(3, scale=9 / stats.norm.ppf(0.975)))


def test_shares_have_the_error_of_their_games_and_stay_shares():
    """Two runs of which each reached a tile in 50 of 100 games; one in which all did, one with 90."""
    table = runs([(0, 1.0), (1, 2.0)], "seed").assign(eval_reach_64=0.5)
    assert run_mean(table, "eval_reach_64") == (0.5, 0.5, 0.5)  # how many games there were is not known
    low, high = share_interval(50, 100)
    half = (high - low) / 2 / 2**0.5
    games = table.assign(**{"evaluate.episodes": 100})
    assert run_mean(games, "eval_reach_64") == pytest.approx((0.5, 0.5 - half, 0.5 + half))
    assert run_mean(games.assign(eval_reach_64=[1.0, 0.9]), "eval_reach_64")[2] == 1
    assert run_mean(games.assign(**{"evaluate.episodes": [None, 0]}), "eval_reach_64") == (0.5, 0.5, 0.5)


def test_a_signed_figure_may_be_below_zero():
    table = runs([(0, 1.0), (1, 2.0)], "seed").assign(eval_value_bias=[1.0, 2.0], gain=[1.0, 2.0], moves=[1, 2])
    lows = {name: run_mean(table, name)[1] for name in ("eval_value_bias", "gain", "moves", "eval_mean")}
    assert {name for name, low in lows.items() if low < 0} == {"eval_value_bias", "gain"}
    assert lows["moves"] == lows["eval_mean"] == 0


def test_difference_and_improvement():
    ours = compare(SWEEP, "alpha", 0.5, 0.1)
    assert (ours["a"], ours["b"], ours["difference"]) == (0.5, 0.1, 5.0)
    assert ours["low"] + ours["high"] == pytest.approx(10)
    # 4x6: all four pairs; 8x6: 111 and 113 beat 110, not 114: half.
    assert ours["improvement"] == 0.75
    tied = runs([("a", 0, 1.0), ("a", 1, 2.0), ("b", 0, 2.0), ("b", 1, 3.0)], "agent", "seed")
    assert compare(tied, "agent", "a", "b")["improvement"] == 0.125  # a tie counts half
    back = compare(SWEEP, "alpha", 0.1, 0.5)
    assert (back["difference"], back["improvement"]) == (-5.0, 0.25)
    assert (back["low"], back["high"]) == pytest.approx((-ours["high"], -ours["low"]))


@pytest.mark.parametrize(("seeds", "known"), [(9, False), (10, True)])
def test_improvement_has_an_interval_from_ten_seeds_on(seeds, known):
    rows = [(alpha, seed, 100 * alpha + seed) for alpha in (0.1, 0.12) for seed in range(seeds)]
    found = compare(runs(rows, "alpha", "seed"), "alpha", 0.12, 0.1)
    assert 0.5 < found["improvement"] < 0.8
    assert np.isfinite(found["improvement_low"]) == known
    assert not known or found["improvement_low"] < found["improvement"] < found["improvement_high"]


def test_what_was_left_out_is_said():
    table = pd.concat([SWEEP, runs([(0.5, "5x6", 0, 1.0), (0.1, "4x6", 2, np.nan)], "alpha", "tuples", "seed")])
    assert compare(table, "alpha", 0.5, 0.1)["left_out"] == [
        "1 of 10 runs without a score",
        "5x6: only with alpha 0.5",
    ]
    assert compare(SWEEP, "alpha", 0.5, 0.1)["left_out"] == []
    assert means(table[table["tuples"] != "5x6"]).equals(means(SWEEP))


def test_settings_against_the_best():
    rows = [(alpha, seed, score + 2 * seed) for alpha, score in ((0.1, 50), (0.3, 91), (0.5, 92)) for seed in range(4)]
    found = against_best(runs(rows, "alpha", "seed"))
    assert found["alpha"].tolist() == [0.5, 0.3, 0.1]
    assert found["difference"].tolist() == pytest.approx([np.nan, 1, 42], nan_ok=True)
    assert found["differs"].tolist() == [False, False, True]
    scores = np.arange(0, 8, 2.0)
    tests = [stats.ttest_ind(scores + gap, scores, equal_var=False) for gap in (1, 42, 41)]
    near, far, _ = (test.pvalue for test in tests)
    assert found["p"].tolist() == pytest.approx(
        [np.nan, near, 3 * far], nan_ok=True
    )  # the last and the first of three
    bounds = tests[0].confidence_interval()  # the largest p of three is as it is
    assert found.loc[1, ["difference_low", "difference_high"]].tolist() == pytest.approx([bounds.low, bounds.high])
    assert len(against_best(SWEEP[:2])) == 1
    assert against_best(SWEEP[:0], "alpha").empty


def test_only_settings_that_both_have_count():
    table = SWEEP[(SWEEP["alpha"] == 0.1) | (SWEEP["tuples"] == "4x6")]
    assert compare(table, "alpha", 0.5, 0.1)["difference"] == 10.0
    table = SWEEP[(SWEEP["alpha"] == 0.1) ^ (SWEEP["tuples"] == "8x6")]
    assert compare(table, "alpha", 0.5, 0.1)["difference"] == 100.0  # tuples go with alpha, as one choice
    apart = pd.concat([table, runs([(0.1, "5x6", 0, 1.0), (0.5, "7x6", 0, 1.0)], "alpha", "tuples", "seed")])
    with pytest.raises(ConfigError, match=r"alpha: 0.5 and 0.1 have no setting of tuples in common"):
        compare(apart, "alpha", 0.5, 0.1)


def test_keys_that_follow_are_no_obstacle():
    """Learners have step sizes of their own."""
    table = runs([("td", 0.1, 0, 1.0), ("td", 0.1, 1, 2.0), ("tc", 1.0, 0, 3.0), ("tc", 1.0, 1, 5.0)],
                 "learner", "alpha", "seed")  # fmt: skip
    assert compare(table, "learner", "tc", "td")["difference"] == 2.5


def test_no_value_is_a_value():
    table = runs([(None, 0.1, 0, 1.0), (None, 0.1, 1, 2.0), ("halving:5", 0.2, 0, 3.0), ("halving:5", 0.2, 1, 5.0)],
                 "schedule", "alpha", "seed")  # fmt: skip
    assert compare(table, "schedule", "halving:5", None)["difference"] == 2.5
    numbers = runs([(np.nan, 0, 1.0), (16.0, 0, 3.0)], "radix", "seed")
    assert compare(numbers, "radix", 16, None)["difference"] == 2.0
    with pytest.raises(ConfigError, match=r"schedule: 'halving:6' is not allowed"):
        compare(table, "schedule", "halving:6", None)


def test_mistakes_are_named():
    with pytest.raises(ConfigError, match=r"alhpa: no such column of the table; did you mean 'alpha'\?"):
        means(SWEEP, by=["alhpa"])
    with pytest.raises(ConfigError, match=r"alpha: 0.7 is not allowed; expected one of 0.1, 0.5"):
        compare(SWEEP, "alpha", 0.7, 0.1)
    with pytest.raises(ConfigError, match=r"alfa: no such column of the table; did you mean 'alpha'\?"):
        best_by("tuples", tune="alfa", table=SWEEP)


def test_factors_are_choices_that_differ():
    table = SWEEP.assign(status="finished", run=[str(i) for i in range(8)], gamma=1.0, moves=range(8))
    table["tuples.cells"] = table["tuples"].map({"4x6": "[[0]]", "8x6": "[[1]]"})
    assert factors(table) == ["alpha", "tuples"]
    assert set(differing(table)) == {"alpha", "tuples", "seed", "run", "moves", "eval_mean"}
    failed = table.assign(error=["no"] + [None] * 7, status=["failed"] + ["finished"] * 7)
    assert factors(failed) == ["alpha", "tuples"]
    nothing = SWEEP[:2].assign(schedule=["halving:5", None], radix=[16.0, None], note=[None, np.nan])
    assert factors(nothing) == ["schedule", "radix"]


def test_an_evaluation_beside_runs_is_no_difference():
    table = SWEEP.assign(gamma=1.0, checkpoint=None)
    evaluation = pd.DataFrame([{"checkpoint": "a/checkpoint", "seed": 0, "eval_mean": 50.0, "evaluate.plies": 2}])
    mixture = pd.concat([table, evaluation], ignore_index=True)
    assert factors(mixture) == ["alpha", "tuples"]
    again = evaluation.assign(**{"evaluate.plies": 3})
    assert factors(pd.concat([mixture, again], ignore_index=True)) == ["alpha", "tuples", "evaluate.plies"]


def test_settings_are_compared_where_both_have_the_values_of_a_further_key():
    rows = [("a", gamma, seed, score + seed) for gamma, score in ((0.9, 10), (1.0, 50)) for seed in (0, 1)]
    rows += [("b", 1.0, seed, 5.0 + seed) for seed in (0, 1)]
    found = against_best(runs(rows, "learner", "gamma", "seed"), "learner")
    assert found["mean"].tolist() == [30.5, 5.5]
    assert found["difference"].tolist() == pytest.approx([np.nan, 45.0], nan_ok=True)
    apart = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "gamma": [0.9, 1, 0.7, 0.8], "eval_mean": [1.0, 2, 3, 4]})
    found = against_best(apart.assign(seed=0), "alpha")  # nothing in common: no difference, and no error either
    assert found["difference"].isna().all()
    assert not found["differs"].any()


TUNED = pd.DataFrame(
    [(learner, alpha, seed, score, 1000, 2.0) for learner, alpha, scores in (
        ("td", 0.1, (30, 34, 32)), ("td", 0.5, (40, 36, 10)), ("tc", 0.5, (50, 52, 54)), ("tc", 1.0, (60, 61, 62)),
    ) for seed, score in enumerate(scores)],
    columns=["learner", "alpha", "seed", "eval_mean", "moves", "seconds"],
)  # fmt: skip


def test_each_at_its_best():
    found = best_by("learner", tune="alpha", table=TUNED)
    columns = ["learner", "alpha", "runs", "mean", "tried", "tried_runs", "tried_moves", "tried_seconds"]
    assert found[columns].to_numpy().tolist() == [
        ["tc", 1.0, 3, 61.0, 2, 6, 6000.0, 12.0], ["td", 0.1, 3, 32.0, 2, 6, 6000.0, 12.0]]  # fmt: skip


def test_a_seed_is_judged_by_what_is_best_on_the_others():
    held_out = best_by("learner", tune="alpha", table=TUNED).set_index("learner")["held_out"]
    assert held_out["tc"] == 61.0
    # td: without seed 0 or 1 it is 0.1 (33 to 23, 31 to 25), without seed 2 it is 0.5 (38 to 32)
    assert held_out["td"] == pytest.approx((30 + 34 + 10) / 3)
    alone = best_by("learner", tune="alpha", table=TUNED[TUNED["seed"] == 0])
    assert alone["held_out"].isna().all()


def test_the_runs_at_their_best_can_be_compared():
    best = best_runs("learner", tune="alpha", table=TUNED)
    assert sorted(best["eval_mean"]) == [30, 32, 34, 60, 61, 62]
    found = compare(best, "learner", "tc", "td")
    assert found["difference"] == 29.0
    assert found["low"] > 20


@pytest.mark.parametrize("table", ["outputs/alpha", None, {"alpha": [1]}, 3], ids=repr)
def test_what_is_no_table_is_refused(table):
    for ask in (means, against_best, differing, factors, titles, failures, finding, sentence, latex):
        with pytest.raises(ConfigError, match=r"table: .* expected DataFrame, as tdl\.results\.runs\(FOLDER\) gives"):
            ask(table)
    with pytest.raises(ConfigError, match=r"table: .* expected DataFrame"):
        compare(table, "alpha", 1, 2)
    if table is not None:  # which stands for the runs in `outputs`
        with pytest.raises(ConfigError, match=r"table: .* expected DataFrame"):
            best_by("learner", "alpha", table)


RACE = runs(
    [(1, seed, score) for seed, score in enumerate((50.0, 54, 52, 56))]
    + [(2, seed, score) for seed, score in enumerate((51.0, 49, 50, 48))]
    + [(3, seed, score) for seed, score in enumerate((20.0, 24, 22))]
    + [(4, seed, score) for seed, score in enumerate((90.0, 10))],
    "alpha", "seed",
).assign(stopped=[None] * 8 + ["after 3 seeds: 59% behind, 40% enough"] * 3 + ["after 2 seeds: a"] * 2)  # fmt: skip
"""Of four settings a race stopped two; that with the fewest seeds scored most, or least."""


def test_what_a_race_stopped_is_last_and_has_no_p_value():
    """A p value of the others counts all pairs: it is that of six tests, of which the others found nothing."""
    found = against_best(RACE)
    assert found["alpha"].tolist() == [1, 2, 3, 4]
    assert found["stopped"].isna().tolist() == [True, True, False, False]
    p = stats.ttest_ind([50, 54, 52, 56], [51, 49, 50, 48], equal_var=False).pvalue
    assert found["p"].tolist()[1] == pytest.approx(6 * p)
    assert found[["p", "difference_low", "difference_high"]].isna().all(axis=1).tolist() == [True, False, True, True]
    assert found[["low", "high"]].isna().all(axis=1).tolist() == [False, False, True, True]
    assert found["difference"].tolist()[1:] == [3.5, 31.0, 3.0]
    assert found["differs"].tolist() == [False, False, True, True]
    assert "is 4 [-" in sentence(RACE)
    one = RACE[RACE["alpha"] != 2]
    assert sentence(one) == "Best: alpha 1, 53 [49, 57], 4 runs. The race stopped all others."
    assert finding(one) == "alpha 1 scores most: 53 [49, 57]"
    assert latex(RACE).index("53") < latex(RACE).index("50 &")


def test_means_over_settings_some_of_which_a_race_stopped_are_not_judged():
    table = pd.concat([RACE.assign(learner="td"), RACE.assign(learner="tc", stopped=None)])
    found = against_best(table, "learner")
    assert found["stopped"].isna().all()
    assert found["p"].isna().all()
    assert not found["differs"].any()
    pair = compare(RACE, "alpha", 1, 4)
    assert pair[["low", "high", "improvement_low", "improvement_high"]].isna().all()
    assert pair["left_out"] == ["intervals, since a race stopped settings for their scores"]
    assert compare(RACE, "alpha", 1, 2)["left_out"] == []


def test_a_setting_that_a_race_stopped_is_best_of_none_that_went_on():
    table = RACE.assign(learner=["td"] * 8 + ["tc"] * 5)
    found = best_by("learner", tune="alpha", table=table)
    assert found[["learner", "alpha"]].to_numpy().tolist() == [["td", 1], ["tc", 3]]
    assert found["held_out"].tolist() == [53.0, (20 + 10 + 22) / 3]  # of seed 1 the other seed of both says 4
