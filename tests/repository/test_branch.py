"""A branch of a long run is the run of a smaller budget, bit for bit."""

from pathlib import Path

from support.programs import blocks_of, go_on, learned, result, train

SCHEDULE = "learner.schedule=[20:0.6,50%:0.3,80%:0.1]"
SHORT, LONG = "budget.moves=6000", "budget.moves=20000"


def test_it_has_the_bits_of_a_run_of_its_budget(tmp_path, capsys, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools.branch import main

    words = ("episodes=1000", "learner=tc", "seed=2", SCHEDULE)
    whole = train(tmp_path / "whole", *words, SHORT)
    long = train(tmp_path / "long", *words, LONG, "save.moves=[3000]")
    episode = next(int(folder.name) for folder in (long / "kept").iterdir())
    assert main(str(long), str(episode), str(tmp_path / "branch")) == 0
    branch = go_on(tmp_path / "branch", SHORT)
    assert learned(branch) == learned(whole) != learned(long)
    assert result(branch)["episodes"] == result(whole)["episodes"] < result(long)["episodes"]
    assert list(blocks_of(branch)["mean"]) == list(blocks_of(whole)["mean"])
    assert main(str(long), "7", str(tmp_path / "other")) == 2
    assert f"keeps no checkpoint of episode 7; kept are: {episode}" in capsys.readouterr().err
    assert main(str(long), str(episode), str(branch)) == 2
