"""Step sizes by the share of a run that is over: of its episodes or of its budget, whichever is used up first."""

import pytest
from support.programs import blocks_of, go_on, learned, result, train

SHARES = "learner.schedule=[0%:0.5,40%:0.05]"


def steps_by_episodes(folder, at):
    """The same schedule by episodes: the step falls in the first block that begins when so many moves are played."""
    blocks = blocks_of(folder)
    first = blocks["episode"][blocks["moves"].cumsum() >= at].iloc[0]
    return f"learner.schedule=[0:0.5,{first}:0.05]"


def test_of_episodes(tmp_path, small_run):
    by_share = train(tmp_path / "run", "episodes=50", SHARES)
    assert learned(by_share) == learned(small_run("episodes=50", "learner.schedule=[0:0.5,20:0.05]"))


@pytest.mark.parametrize("also", [(), ("replicas=2", "round=10")], ids=["one", "replicas"])
def test_of_moves(tmp_path, also):
    words = ("episodes=1000", "budget.moves=6000", *also)
    by_share = train(tmp_path / "share", *words, SHARES)
    assert 20 < result(by_share)["episodes"] < 500
    by_episodes = train(tmp_path / "episodes", *words, steps_by_episodes(by_share, 2400))
    assert learned(by_share) == learned(by_episodes)
    assert learned(by_share) != learned(train(tmp_path / "fixed", *words, "alpha=0.5"))


def test_a_run_that_is_made_longer_goes_by_its_new_length(tmp_path, small_run):
    """What was played before stays as it was."""
    part = train(tmp_path / "part", "episodes=50", "learner.schedule=[0%:0.5,70%:0.1,90%:0.05]")
    longer = go_on(part, "episodes=80")
    assert learned(longer) == learned(
        small_run("episodes=80", "learner.schedule=[0:0.5,40:0.1,50:0.5,60:0.1,80:0.05]")
    )
