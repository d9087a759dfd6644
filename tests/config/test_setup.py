"""A run parsed from its configuration: what is made of its keys, and which keys are refused.

Trusts the options themselves, whose own tests are beside them: here it is the names of keys in what they refuse.
"""

import json

import pytest
from omegaconf import OmegaConf

from tdl.config.compose import composed as plain_of
from tdl.config.setup import Setup
from tdl.errors import ConfigError
from tdl.network.stages import Stages
from tdl.search.options import SearchOptions


@pytest.fixture
def plain(composed):
    """The usual configuration, as a file of a run has it."""
    return json.loads(json.dumps(plain_of(composed())))


def changed(plain, path, value=...):
    """The configuration with another value of a key; without one it lacks the key."""
    copy = OmegaConf.to_container(OmegaConf.create(plain))
    section, _, name = path.rpartition(".")
    place = copy[section] if section else copy
    place.pop(name)
    if value is not ...:
        place[name] = value
    return copy


def test_each_key_reaches_its_options(composed):
    setup = Setup.of(composed("learner=tc", "alpha=0.3", "gamma=0.9", "search.plies=2", "search.by_empty=[[2,4]]",
                              "learner.stages=[64]", "replicas=3", "round=[0:9]", "threads=2"))  # fmt: skip
    assert (setup.learner.step, setup.learner.gamma, setup.alpha, setup.schedule.episodes) == (
        "coherent", 0.9, 0.3, 100_000
    )  # fmt: skip
    assert setup.play.search == SearchOptions(2, by_empty=((2, 4),))
    assert setup.network.stages == Stages((64,))
    assert (setup.replicas.replicas, setup.replicas.round, setup.play.threads) == (3, ["0:9"], 2)
    assert Setup.of(composed("learner=tc")).alpha == 1.0
    assert Setup.of(composed("agent=dqn", "gamma=0.9")).deep.gamma == 0.9


def test_what_a_run_holds_makes_it_again(composed):
    setup = Setup.of(composed("agent=dqn_modern"))
    assert Setup.of(json.loads(json.dumps(setup.plain))) == setup


@pytest.mark.parametrize("path", ["engine", "agent", "evaluate.drops", "learner.clear_last", "tuples.cells"])
def test_a_configuration_that_lacks_keys_is_refused_by_name(plain, path):
    with pytest.raises(ConfigError, match=f"^{path}: missing; a configuration of this version has it$"):
        Setup.of(changed(plain, path))


@pytest.mark.parametrize(("cleared", "board"), [(False, None), (True, "afterstate"), ("state", "state")])
def test_a_configuration_of_an_older_run_is_read(plain, cleared, board):
    """The learner has got some keys since, and `clear_last` was true or false."""
    older = changed(plain, "learner.clear_last", cleared)
    for key in ("running_value", "stage_downgrade", "promotion_share"):
        del older["learner"][key]
    setup = Setup.of(older)
    assert (setup.learner.cleared, setup.learner.running_value) == (board, False)
    assert setup.network.stages == Stages()


@pytest.mark.parametrize(
    "words",
    [("search.plies=2",), ("evaluate.plies=2",), ("search.by_empty=[[2,2]]",)],
)
def test_a_limit_of_time_needs_a_second_ply_in_training_or_in_the_games_after_it(composed, words):
    Setup.of(composed("search.seconds=1", *words))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("search.seconds=1", "search.seconds: 1.0 is not allowed; expected null unless search.plies, evaluate.plies"),
        ("search.seconds=1 evaluate.plies=2 evaluate.episodes=0", "search.seconds: 1.0 is not allowed; expected null"),
        ("+search.cutof=1", "search.cutof: no such key; .*did you mean 'cutoff'"),
        ("evaluate.average=2", "evaluate.average: 2 is not allowed; expected at most save.keep, 1"),
        ("gamma=2", "gamma: 2.0 is not allowed"),
        ("learner.n_step=2 learner.td_lambda=.5", "learner.n_step: 2 is not .* expected 1 unless learner.td_lambda=0"),
        ("placer.depth=2", "placer.depth: 2 is not allowed; expected 1 unless placer.kind=adversary"),
        ("learner.start=carousel", "learner.start: 'carousel' is not .* another one where learner.stages is empty"),
        ("replicas=2 threads=3", "threads: 3 is not allowed; expected at most replicas, 2"),
        ("init=run learner.initial_value=5", "learner.initial_value: 5.0 is not allowed; expected 0 with init"),
        ("agent=dqn agent.double=true", "agent.double: True .* unless agent.target_network_frequency is above 0"),
        ("agent=dqn alpha=0.3", "alpha: 0.3 would change nothing with agent.kind=dqn; leave alpha as it is"),
        ("agent=dqn tuples=8x6", "tuples.cells: would change nothing with agent.kind=dqn; leave tuples as it is"),
        ("agent=random learner=tc", "learner.step: 'coherent' would change nothing with agent.kind=random"),
        ("agent=greedy search.plies=2", "search.plies: 2 would change nothing with agent.kind=greedy"),
        ("agent=greedy evaluate.plies=2", "evaluate.plies: 2 is not allowed; expected 1 with agent.kind=greedy"),
        ("agent=dqn evaluate.plies=6", "evaluate.plies: 6 is not allowed; expected a whole number from 1 to 5"),
        ("agent=dqn placer=adversary", "placer.kind: 'adversary' would change nothing with agent.kind=dqn"),
        ("agent=dqn evaluate.average=2 save.keep=2", "evaluate.average: 2 is not allowed; expected 1 unless"),
        ("agent=dqn device=gpu", "device: 'gpu' is not allowed; expected cpu or cuda"),
        ("agent=dqn agent.loss=hubert", "agent.loss: 'hubert' .* expected squared or huber; did you mean 'huber'"),
        ("agent=dqn agent.learning_rate=null", "agent.learning_rate: None .* expected a value with agent.kind=dqn"),
        ("agent.kind=dqm", "agent.kind: 'dqm' is not allowed; expected ntuple or dqn or random or greedy; did you"),
        ("agent.learning_rate=0.1", "agent.learning_rate: 0.1 is not allowed; expected null unless agent.kind=dqn"),
        ("evaluate.drops=one", "evaluate.drops: 'one' is not allowed; expected all unless evaluate.plies=2"),
        ("evaluate.drops=one evaluate.plies=2 search.cutoff=0.1", "search.cutoff: 0.1 would change nothing with"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(composed, words, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        Setup.of(composed(*words.split()))
