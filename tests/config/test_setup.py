"""A run parsed from its configuration: what is made of its keys, and which are refused, by name.

Trusts the options themselves, whose own tests are beside them: of each section here is one mistake, by which its keys
are seen to be named, and what no section can say alone.
"""

import json

import pytest
from omegaconf import OmegaConf

from tdl.base.checks import MAX_COUNT
from tdl.config.compose import key_hash
from tdl.config.schema import RUN
from tdl.config.setup import Setup, stored_placer, stored_setup
from tdl.errors import ConfigError
from tdl.network.stages import Stages
from tdl.search.options import SearchOptions
from tdl.storage.result_file import check_result


@pytest.fixture
def values(composed):
    """The usual configuration, as a file of a run has it."""
    return json.loads(json.dumps(RUN.read(composed())))


def changed(values, path, value=...):
    """The configuration with another value of a key; without one it lacks the key."""
    copy = OmegaConf.to_container(OmegaConf.create(values))
    section, _, name = path.rpartition(".")
    place = copy[section] if section else copy
    place.pop(name)
    if value is not ...:
        place[name] = value
    return copy


def test_each_key_reaches_its_options(composed):
    setup = Setup.of(composed("learner=tc", "alpha=0.3", "gamma=0.9", "search.plies=2", "search.by_empty=[[2,4]]",
                              "learner.stages=[64]", "learner.stage_by=sum", "learner.promotion_share=0.5",
                              "learner.schedule=linear", "learner.initial_value=5", "replicas=3", "round=[0:9]",
                              "threads=2", "placer=adversary", "placer.network=there"))  # fmt: skip
    assert (setup.learner.step, setup.learner.gamma, setup.alpha) == ("coherent", 0.9, 0.3)
    assert (setup.schedule.episodes, setup.schedule.form) == (100_000, "linear")
    assert setup.play.search == SearchOptions(2, by_empty=((2, 4),))
    assert (setup.play.placer.kind, setup.judge, setup.play.threads) == ("adversary", "there", 2)
    assert (setup.network.stages, setup.network.initial_value) == (Stages((64,), "sum", share=0.5), 5)
    assert (setup.replicas.replicas, setup.replicas.round) == (3, ["0:9"])
    assert Setup.of(composed("agent=dqn", "gamma=0.9")).deep.gamma == 0.9


@pytest.mark.parametrize(
    ("words", "alpha"),
    [
        ("", 0.1),
        ("learner=tc", 1.0),
        ("learner.alpha=0.5", 0.5),
        ("alpha=0.7 learner.alpha=0.5", 0.7),
        ("alpha=null learner.alpha=0.5", 0.5),
        ("agent=random", None),
    ],
)
def test_the_step_size_is_that_of_the_learner_unless_it_is_given(composed, words, alpha):
    setup = Setup.of(composed(*words.split()))
    assert setup.config["alpha"] == alpha
    assert stored_setup({**setup.config, "alpha": None if alpha in (0.5, 1.0) else alpha}) == setup  # as older runs


def test_jobs_of_finished_sweeps_keep_their_names(composed):
    """In the days of these, alpha was null unless it was given."""
    names = {"": "cd8540c9", "alpha=0.1": "e26e0043", "learner.alpha=0.5": "25afac37", "agent=dqn": "bb535880"}
    assert {words: key_hash(OmegaConf.to_container(composed(*words.split()))) for words in names} == names


def test_a_batch_learner_goes_on_until_a_budget_is_used_up(composed):
    setup = Setup.of(composed("learner=batch", "budget.moves=1000", "learner.schedule=linear"))
    assert (setup.episodes, setup.learner.batched, setup.play.lanes) == (None, True, "auto")
    assert [setup.ends(10**9, moves, 1.0) for moves in (999, 1000)] == [False, True]
    assert setup.share(10**9, 250, 1.0) == 0.25
    assert Setup.of(composed("learner=batch", "episodes=8", "budget.moves=1000")).share(4, 250, 1.0) == 0.5


def test_what_a_run_holds_makes_it_again(composed):
    setup = Setup.of(composed("agent=dqn_modern"))
    assert stored_setup(json.loads(json.dumps(setup.config))) == setup


@pytest.mark.parametrize("path", ["agent", "size", "evaluate.drops", "tuples.cells"])
def test_a_configuration_that_lacks_keys_is_refused_by_name(values, path):
    with pytest.raises(ConfigError, match=f"^config.{path}: missing; a configuration of this version has it$"):
        stored_setup(changed(values, path))


@pytest.mark.parametrize(("cleared", "board"), [(False, None), (True, "afterstate"), ("state", "state")])
def test_a_configuration_of_an_older_run_is_read(values, cleared, board):
    """The learner has got some keys since, and `clear_last` was true or false."""
    older = changed(values, "learner.clear_last", cleared)
    for key in ("running_value", "stage_downgrade", "promotion_share"):
        del older["learner"][key]
    setup = Setup.of(older)
    assert (setup.learner.cleared, setup.learner.running_value) == (board, False)
    assert setup.network.stages == Stages()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("alpha", "${oc.env:HOME}", "config.alpha: '${oc.env:HOME}' is not allowed; expected a value that is there"),
        ("tiles.drop", [["???", 1]], "config.tiles.drop: '???' is not allowed; expected a value that is there"),
        ("learner.order", "back", "config.learner.order: 'back' is not allowed; expected backward or"),
        ("episodes", "many", "config.episodes: Value 'many' of type 'str' could not be converted to Integer"),
        ("learner", 3, "config.learner: 3 is not allowed; expected values for its keys"),
    ],
)
def test_values_of_a_file_are_held_to_the_same_checks(values, path, value, message):
    with pytest.raises(ConfigError) as error:
        stored_setup(changed(values, path, value))
    assert str(error.value).startswith(message)


def test_the_placer_of_a_file(values):
    assert stored_placer(values) == values["placer"]
    assert stored_placer({}) is None
    for value, message in ((9, "config.placer.depth: 9 is not allowed"), ("x", "config.placer.depth: Value 'x'")):
        with pytest.raises(ConfigError, match=f"^{message}"):
            stored_placer(changed(values, "placer.depth", value))


@pytest.mark.parametrize("words", ["search.plies=2", "evaluate.plies=2", "search.by_empty=[[2,2]]"])
def test_a_limit_of_time_needs_a_second_ply_in_training_or_in_the_games_after_it(composed, words):
    Setup.of(composed("search.seconds=1", words))


REFUSED = [
    # of each section, and of the keys without one
    ("alpha=nan", "alpha: nan is not allowed; expected a number above 0"),
    ("gamma=2", "gamma: 2.0 is not allowed"),
    ("alpha_per=entries", "alpha_per: 'entries' .* did you mean 'entry'"),
    ("learner.order=backwards", "learner.order: 'backwards' .* did you mean 'backward'"),
    ("learner.n_step=2 learner.td_lambda=.5", "learner.n_step: 2 is not .* expected 1 unless learner.td_lambda=0"),
    ("learner.schedule=halfing:5", "learner.schedule: 'halfing:5' .* halving:EPISODES"),
    ("learner.fixed_share=1.5", "learner.fixed_share: 1.5 is not allowed"),
    ("learner.stages=[512,256]", r"learner.stages: \[512, 256\] is not allowed"),
    ("learner.promotion_share=0.5", "learner.promotion_share: 0.5 .* learner.stages is empty"),
    ("learner.initial_value=nan", "learner.initial_value: nan is not allowed"),
    ("tuples.cells=[[0,1,16]]", r"tuples.cells: cell 16 of \[0, 1, 16\] .* 0 to 15"),
    ("tiles.drop=[[1,0.5],[2,0.4]]", "tiles.drop: the probabilities sum to 0.9"),
    ("game.name=20488", "game.name: '20488' .* did you mean '2048'"),
    ("size=6x6", "size: '6x6' .* ROWSxCOLS from 2x2 to 5x5.* did you mean '5x5'?"),
    ("placer.kind=adversry", "placer.kind: 'adversry' .* did you mean 'adversary'"),
    ("placer.depth=2", "placer.depth: 2 is not allowed; expected 1 unless placer.kind=adversary"),
    ("search.cutoff=2", "search.cutoff: 2.0 is not allowed"),
    ("+search.cutof=1", "search.cutof: no such key; .*did you mean 'cutoff'"),
    ("engine=arrays", "engine: 'arrays' .* did you mean 'array'"),
    ("seed=-1", "seed: -1 is not allowed; expected a whole number of at least 0"),
    ("lanes=0", "lanes: 0 is not allowed; .* 1 to 64"),
    ("threads=0", "threads: 0 is not allowed; .* from 1 to 256"),
    ("replicas=0", "replicas: 0 is not allowed"),
    ("episodes=-5", "episodes: -5 is not allowed"),
    ("block=0", "block: 0 is not allowed"),
    ("logger=wand", "logger: 'wand' .* did you mean 'wandb'"),
    ("budget.moves=0", "budget.moves: 0 is not allowed"),
    ("save.keep=0", "save.keep: 0 is not allowed"),
    ("save.moves=[5,3]", r"save.moves: \[5, 3\] is not allowed; .* in ascending order"),
    ("save.moves=[0]", "save.moves: 0 is not allowed"),
    ("save.moves=5", "save.moves: 5 is not allowed"),
    ("save.final=perhaps", "save.final: 'perhaps' is not allowed; expected true, false or auto"),
    ("evaluate.episodes=-1", "evaluate.episodes: -1 is not allowed"),
    ("evaluate.plies=13", "evaluate.plies: 13 is not allowed; expected a whole number from 1 to 12"),
    ("agent.kind=dqm", "agent.kind: 'dqm' is not allowed; expected ntuple or dqn or random or greedy; did you"),
    ("agent=dqn agent.loss=hubert", "agent.loss: 'hubert' .* expected squared or huber; did you mean 'huber'"),
    ("agent=dqn agent.double=true", "agent.double: True .* unless agent.target_network_frequency is above 0"),
    ("agent=dqn device=gpu", "device: 'gpu' is not allowed; expected cpu or cuda"),
    # what no section can say alone
    ("size=5x5", r"tuples: the cells of 4x6 are numbered on a 4x4 board, and size is 5x5; .*\(5x5_4x6\).*board=null"),
    ("tuples=2x3_full", "tuples: the cells of 2x3_full are numbered on a 2x3 board, and size is 4x4; .*4x6"),
    ("tuples=8x6_order_count size=3x3 tuples.cells=[[0,1]]", r"tuples: the cells of 8x6_order_count .*\(3x3_2x6\)"),
    ("tuples.board=4x6 size=5x5", "tuples.board: '4x6' .* did you mean '4x5'?"),
    ("search.seconds=1", "search.seconds: 1.0 is not allowed; expected null unless search.plies, evaluate.plies or"),
    ("search.seconds=1 evaluate.plies=2 evaluate.episodes=0", "search.seconds: 1.0 is not allowed; expected null"),
    ("evaluate.average=2", "evaluate.average: 2 is not allowed; expected at most save.keep, 1"),
    ("learner.start=carousel", "learner.start: 'carousel' is not .* another one where learner.stages is empty"),
    ("learner=tc learner.memory=9 replicas=2", "learner.memory: 9 is not allowed; expected null with replicas"),
    ("learner.memory=9", "learner.memory: 9 is not allowed; expected null unless learner.step=coherent"),
    ("replicas=2 threads=3", "threads: 3 is not allowed; expected at most replicas, 2"),
    ("init=run learner.initial_value=5", "learner.initial_value: 5.0 is not allowed; expected 0 with init"),
    ("init_accumulators=false", "init_accumulators: False is not allowed; expected true unless init names a run"),
    ("placer.network=there", "placer.network: .* null unless placer.kind=adversary"),
    ("agent.learning_rate=0.1", "agent.learning_rate: 0.1 is not allowed; expected null unless agent.kind=dqn"),
    ("agent=dqn agent.learning_rate=null", "agent.learning_rate: None .* expected a value with agent.kind=dqn"),
    ("agent=dqn alpha=0.3", "alpha: 0.3 would change nothing with agent.kind=dqn; leave alpha as it is"),
    ("agent=dqn tuples=8x6", "tuples.cells: would change nothing with agent.kind=dqn; leave tuples as it is"),
    ("agent=dqn placer=adversary", "placer.kind: 'adversary' would change nothing with agent.kind=dqn"),
    ("agent=dqn evaluate.plies=6", "evaluate.plies: 6 is not allowed; expected a whole number from 1 to 5"),
    ("agent=dqn evaluate.average=2 save.keep=2", "evaluate.average: 2 is not allowed; expected 1 unless"),
    ("agent=random learner=tc", "learner.step: 'coherent' would change nothing with agent.kind=random"),
    ("agent=greedy search.plies=2", "search.plies: 2 would change nothing with agent.kind=greedy"),
    ("agent=greedy evaluate.plies=2", "evaluate.plies: 2 is not allowed; expected 1 with agent.kind=greedy"),
    ("device=cuda", "device: 'cuda' is not allowed; expected cpu unless learner=batch or agent=dqn"),
    ("agent=random device=cuda", "device: 'cuda' is not allowed; expected cpu unless learner=batch or agent=dqn"),
    ("evaluate.drops=one", "evaluate.drops: 'one' is not allowed; expected all unless evaluate.plies=2"),
    ("evaluate.drops=one evaluate.plies=2 search.cutoff=0.1", "search.cutoff: 0.1 would change nothing with"),
    ("evaluate.solution=there placer=adversary", "evaluate.solution: 'there' .* null unless placer.kind=random"),
    ("lanes=65", "lanes: 65 is not allowed; expected auto or a whole number from 1 to 64 unless learner=batch"),
    ("episodes=null", "episodes: None is not allowed; expected a whole number unless learner=batch"),
    (
        "learner=batch",
        "budget.moves: None is not allowed; expected a number of moves, or budget.seconds, where episodes",
    ),
    *(
        (f"learner=batch budget.moves=9 {words}", message)
        for words, message in (
            ("block=4095", "block: 4095 is not allowed; expected with learner=batch, moves, at least lanes, 4096"),
            ("replicas=2", "replicas: 2 is not allowed; expected 1 with learner.batch_sum=mean"),
            ("engine=array", "engine: 'array' .* expected bits with learner.batch_sum=mean"),
            ("search.plies=2", "search.plies: 2 .* expected 1 with learner.batch_sum=mean"),
            ("search.by_empty=[[2,3]]", r"search.by_empty: .* expected \[\] with learner.batch_sum=mean"),
            ("search.downgrade=9", "search.downgrade: 9 .* expected null with learner.batch_sum=mean"),
            ("placer=adversary", "placer.kind: 'adversary' .* expected random with learner.batch_sum=mean"),
            ("learner.order=forward", "learner.order: 'forward' .* expected delayed with learner.batch_sum=mean"),
            ("learner.td_lambda=.99", "learner.td_lambda: 0.99 is not allowed; expected at most 0.975"),
            ("lanes=131073", "lanes: 131073 .* 1 to 64, with learner=batch to 131072"),
            ("device=cuda size=3x3 tuples=3x3_2x6", "device=cuda: a board of 3x3 is not done; expected 4x4"),
            ("device=cuda tuples.share=false", "device=cuda: expected tuples.symmetries=true and tuples.share=true"),
            ("device=cuda replicas=2", "replicas: 2 "),
            ("device=cuda evaluate.plies=4", "evaluate.plies: 4 is not allowed; expected at most 3 with device=cuda"),
            ("device=cuda evaluate.plies=2 evaluate.drops=one", "evaluate.drops: 'one' .* expected all with device="),
            ("device=cuda search.cutoff=.1", "search.cutoff: 0.1 is not allowed; expected 0 with device=cuda"),
            ("agent=dqn episodes=9", "learner.* would change nothing with agent.kind=dqn"),
        )
    ),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[words for words, _ in REFUSED])
def test_what_is_refused(composed, words, message):
    with pytest.raises(ConfigError, match=f"^{message}"):
        Setup.of(composed(*words.split()))


@pytest.mark.parametrize("key", ["episodes", "evaluate.episodes"])
def test_a_run_takes_no_number_that_its_result_may_not_have(values, key):
    """Else it would be trained and then be refused: a run that goes on, and a table, read `result.json`."""
    most = changed(values, key, MAX_COUNT)
    check_result({"config": Setup.of(most).config})
    with pytest.raises(ConfigError, match=f"{key}: .* expected a whole number from 0 to {MAX_COUNT}"):
        Setup.of(changed(values, key, MAX_COUNT + 1))
