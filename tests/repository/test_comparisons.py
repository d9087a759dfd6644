"""The tools of experiments that compare: differences with intervals, best step sizes, variants of a base."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.programs import inside, train

from tdl.statistics.intervals import contrast_interval, contrast_p, mean_interval

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


SAMPLES = {"a": np.array([10.0, 12, 17]), "b": np.array([4.0, 5, 9]), "c": np.array([11.0, 14, 18])}


def test_differences_are_of_independent_runs_or_of_pairs():
    from experiments.tools.contrasts import PAIRED, WELCH, differences

    table = differences(SAMPLES, [("a", "b"), ("c", "a")], paired=[("c", "a")])
    first, second = table.to_dict("records")
    bounds = ["difference", "difference_low", "difference_high"]
    welch = contrast_interval([SAMPLES["a"], SAMPLES["b"]], [1, -1])
    assert [first[name] for name in bounds] == np.round(welch, 1).tolist()
    assert (first["setting"], first["less"], first["interval"]) == ("a", "b", WELCH)
    assert [second[name] for name in bounds[1:]] == np.round(mean_interval(np.array([1.0, 2, 1])), 1).tolist()
    assert second["interval"] == PAIRED
    assert np.isnan(second["p"])
    assert 0 < first["p"] < 0.1
    games = dict.fromkeys("ab", np.full(3, 30.0))  # few games: no seeds make the means better known than these do
    (row,) = differences(SAMPLES, [("a", "b")], errors=games).to_dict("records")
    assert row["difference_high"] - row["difference_low"] == pytest.approx(2 * 1.96 * 30 * np.sqrt(2 / 3), rel=0.01)
    assert row["p"] > 0.5


def test_the_power_of_three_seeds_is_that_of_simulated_experiments():
    """In four of five experiments with the difference `shown` the interval leaves out 0; so the corrected p's."""
    from experiments.tools.contrasts import power

    (row,) = power([*SAMPLES.values()], 7).to_dict("records")
    assert row["spread"] == pytest.approx(np.sqrt(np.mean([np.var(s, ddof=1) for s in SAMPLES.values()])), abs=0.06)
    draws = np.random.default_rng(1)
    ours, theirs = draws.normal(row["shown"], row["spread"], (2000, 3)), draws.normal(0, row["spread"], (2000, 3))
    shown = [contrast_interval(pair, [1, -1])[1] > 0 for pair in zip(ours, theirs, strict=True)]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.03)
    ours += row["shown_corrected"] - row["shown"]
    shown = [7 * contrast_p(pair, [1, -1]) < 0.05 for pair in zip(ours, theirs, strict=True)]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.03)


def test_learners_are_judged_at_their_own_best_steps(tmp_path):
    """The best is that of the finished: one lucky run of a step at which others diverge does not count."""
    from experiments.tools import own_steps

    rows = [
        ("td", 0.0, alpha, seed, "failed" if alpha == 1 and seed else "finished", score + seed)
        for alpha, score in {0.1: 20, 0.25: 40, 1: 90}.items()
        for seed in (0, 1)
    ]
    rows += [("tc", 0.5, 1.0, seed, "finished", 70 + seed) for seed in (0, 1)]
    columns = [*own_steps.LEARNER, "alpha", "seed", "status", "greedy_mean"]
    tuning = pd.DataFrame(rows, columns=columns).assign(episodes=9, moves=100, seconds=1.0)
    tuning.loc[tuning["status"] == "failed", "greedy_mean"] = None
    tuning[[*own_steps.LEARNER, *own_steps.TUNING]].to_csv(tmp_path / "tuning.csv", index=False)
    judged = [("td", 0.0, 0.25, seed, "finished", 38.0 + seed) for seed in (5, 6)]
    judged += [("tc", 0.5, 1.0, seed, "finished", 60.0 + seed) for seed in (5, 6)]
    pd.DataFrame(judged, columns=columns).assign(episodes=2000).to_csv(tmp_path / "results.csv", index=False)
    curve = pd.DataFrame({"episode": [1000, 2000], "mean": [1.0, 2], "low": [0.5, 1.5], "high": [1.5, 2.5]})
    curves = [curve.assign(**dict(zip(own_steps.LEARNER, name, strict=True))) for name in (("td", 0.0), ("tc", 0.5))]
    pd.concat(curves).to_csv(tmp_path / "by_episodes.csv", index=False)

    own_steps.compare(tmp_path)
    own_steps.draw(tmp_path)
    best = pd.read_csv(tmp_path / "best.csv").set_index("learner")
    assert best.loc["td", ["alpha", "tried", "tried_runs", "tried_moves"]].tolist() == [0.25, 3, 6, 600]
    assert best.loc["td", ["tuned", "judged"]].tolist() == [40.5, 43.5]
    (difference,) = pd.read_csv(tmp_path / "differences.csv").to_dict("records")
    assert (difference["setting"], difference["less"], difference["difference"]) == ("TC(.5)", "TD(0)", 22)
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_learners_of_different_games_are_not_compared():
    from experiments.tools import own_steps

    keys = ["tiles", "learner"]
    settings = [("p90_10", "tc"), ("p90_10", "td"), ("p75_25", "tc")]
    assert own_steps.rivals(keys, settings) == [("p90_10 TC", "p90_10 TD")]
    assert len(own_steps.rivals(own_steps.LEARNER, [("tc", 0.5), ("td", 0.5), ("td", 0.0)])) == 3
    assert own_steps.name_of(own_steps.LEARNER, ("td", 0.0)) == "TD(0)"


def test_a_curve_ends_with_the_shortest_of_its_runs():
    from experiments.tools import own_steps

    blocks = pd.DataFrame({"run": [*"aab"], "episode": [10, 20, 10], "seconds": [1.0, 1, 3], "mean": [5.0, 9, 7]})
    blocks = blocks.assign(learner="td")
    (row,) = own_steps.curves(blocks, ["learner"]).to_dict("records")
    assert (row["episode"], row["seconds"], row["mean"]) == (10, 2, 6)


def test_variants_are_called_by_what_they_change(tmp_path):
    from experiments.tools import variants

    words = ("episodes=20", "learner=tc", "save.keep=1", "evaluate.episodes=5")
    changes = {
        "base": (), "n_step": ("learner.n_step=3",), "order": ("learner.order=forward",),
        "radix": ("tuples.radix=12",), "stages": ("learner.stages=[64]",),
        "carousel": ("learner.stages=[64]", "learner.start=carousel"),
    }  # fmt: skip
    for name, more in changes.items():
        for seed in (0, 1):
            train(tmp_path / name / str(seed), *words, *more, f"seed={seed}")
    for seed in (0, 1):
        told = (f"checkpoint={tmp_path / 'base' / str(seed)}", "evaluate.plies=2", "evaluate.episodes=5")
        folder = f"hydra.run.dir={tmp_path / 'plies' / str(seed)}"
        assert inside(*told, folder, program=__import__("tdl.evaluate", fromlist=["main"]).main).returncode == 0
    folders = [str(tmp_path / name) for name in [*changes, "plies"]]
    variants.main("one", *folders, f"into={tmp_path / 'out'}")
    rows = pd.read_csv(tmp_path / "out" / "results.csv")
    names = ["base", "n_step=3", "order=forward", "radix=12", "stages=[64]", "start=carousel stages=[64]", "plies=2"]
    assert rows["variant"].iloc[0] == "base"
    assert sorted(rows["variant"].unique()) == sorted(names)
    assert rows["seed"].tolist() == [0, 1] * len(names)
    assert set(rows["games"]) == {5}
    assert set(rows[rows["networks"] == "base"]["variant"]) == {"base", "plies=2"}
    found = pd.read_csv(tmp_path / "out" / "differences.csv")
    assert sorted(found["setting"].iloc[:-1]) == sorted(names[1:])
    assert found["less"].tolist() == ["base"] * 6 + ["stages=[64]"]
    assert found.set_index("setting")["interval"]["plies=2"] == "pairs"
    assert (found["interval"] == "Welch").sum() == 6
    assert (tmp_path / "out" / "figure.png").stat().st_size > 10_000


def test_replicas_are_compared_with_one_of_their_panel():
    """With p corrected for all rows, and no interval narrower than the games of the runs make it."""
    from experiments.tools.replica_curves import differences

    means = {1: [100.0, 101, 102], 2: [110.0, 111, 112], 4: [100.0, 101, 103]}
    rows = [
        (tuples, "td", replicas, seed, mean, mean - half, mean + half)
        for tuples, half in (("4x6", 0.1), ("8x6", 50.0))
        for replicas, seeds in means.items()
        for seed, mean in enumerate(seeds)
    ]
    columns = ["tuples", "learner", "replicas", "seed", "greedy_mean", "greedy_mean_low", "greedy_mean_high"]
    table = differences(pd.DataFrame(rows, columns=columns)).set_index(["tuples", "replicas"])
    assert table["difference"].tolist() == [10, 0, 10, 0]
    assert table.loc[("4x6", 2), "p"] < 0.01 < table.loc[("4x6", 4), "p"]
    assert table.loc[("4x6", 2), "difference_low"] > 0 > table.loc[("8x6", 2), "difference_low"]
    assert table.loc[("8x6", 2), "p"] == 1
