"""Copies of everything that is a value, by `copy.deepcopy` and by `pickle`: both then go on alike, and apart.

Each value has a use that shows what it is and changes it. Trusts these uses.
"""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest
from gymnasium import make, make_vec
from support.networks import random_network, twins
from support.processes import first_action, learned, trained

import tdl
import tdl.gym
from tdl.errors import ConfigError
from tdl.game.batch import Batch
from tdl.game.engine import TRAINING
from tdl.game.merge_laws import GAMES
from tdl.learning.options import LearnerOptions
from tdl.learning.schedule import Schedule
from tdl.network.stages import Stages
from tdl.players.batch_play import LookAhead
from tdl.players.player import Baseline
from tdl.players.policy import Policy
from tdl.search.expectimax import Expectimax
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.sessions.session import Session, record_game
from tdl.solver.solution import solve
from tdl.training.options import PlayOptions

SMALL = tdl.Rules(rows=3, cols=2)
FIBONACCI = tdl.Rules(game="2584", rows=2, cols=3)
CELLS = [[0, 1, 2], [3, 4]]


def network(rules=SMALL, tuples=CELLS, **options):
    return random_network(rules, tuples, **options)


def trainer(**options):
    """A trainer in the middle of its training."""
    stages = options.pop("stages", None)
    begun = tdl.Trainer(tdl.NTupleNetwork(SMALL, CELLS, stages=stages), seed=3, **options)
    begun.train(20)
    begun.spent = 0.25
    return begun


def batch(rules, engine):
    boards = Batch(rules, 3, engine=engine)
    boards.start([0, 2], 5, TRAINING, [7, 8])  # board 1 has no game
    return boards


def begun(env, actions):
    """An environment in the middle of its games."""
    env.reset(seed=4)
    for _ in range(5):
        env.step(actions)
    return env


def session(values=None):
    game = Session(SMALL, seed=2, action_values=values)
    game.advance()
    return game


def use_network(tables):
    seen = tables.describe(), tables.rules, tables.value([[2, 4], [8, 0], [0, 2]]), tables.weights.tobytes()
    tables.weights[:] += 1
    return seen


def use_player(player):
    seen = player.values([[2, 4], [8, 0], [0, 2]], plies=2).tobytes(), player.gamma, player.target, player.expectation
    return *seen, use_network(player.network)


def use_batch(boards):
    shown = []
    for _ in range(4):
        names = ("tiles", "legal", "rewards", "over", "score", "moves", "max_tile", "episode")
        shown += [getattr(boards, name).tolist() for name in names] + [boards.afterstates().tolist()]
        going = np.flatnonzero(~boards.over)
        boards.step(boards.legal[going].argmax(axis=1), going)
    return shown


def use_env(env, actions):
    shown = []
    for _ in range(60):
        observation, reward, over, _, info = env.step(actions)
        shown += [observation.tolist(), np.asarray(reward).tolist(), np.asarray(over).tolist(), str(info)]
        if np.all(over):
            env.reset()
    return [*shown, env.np_random.integers(1000)]


def use_trainer(learning):
    seen = repr(learning), learning.spent, learning.mean_abs_error, learning.moves, learning.play_options.seed
    games = learning.train(20).tobytes()
    return *seen, games, learning.moves, [array.tobytes() for array in learning.arrays().values()]


def use_session(game):
    for _ in range(3):
        game.advance()
    game.undo()
    game.advance()
    return game.game()


def use_games(agent):
    return agent.evaluate(3, seed=1).tobytes()


def powers_of_three(tiles=4):
    """A game of one's own."""
    tdl.register_game("pow3", [3**tile for tile in range(1, tiles + 1)], lambda a, b: 3 * a if a == b else 0)
    return tdl.Rules(game="pow3", rows=2, cols=2)


class Second(tdl.Player):
    """Plays the second of the actions."""

    def best(self, board, plies=1, **options):
        return int(np.argsort(self.values(board, plies, **options))[-2])


def itself(value):
    return value


VALUES = {
    "Rules": (lambda: FIBONACCI, itself),
    "TupleSet": (lambda: tdl.tuple_set("4x6"), itself),
    "Stages": (lambda: Stages((16, 32)), itself),
    "LearnerOptions": (lambda: LearnerOptions(td_lambda=0.5), itself),
    "Schedule": (lambda: Schedule(0.3, {3: 0.1}), itself),
    "SearchOptions": (lambda: SearchOptions(2, by_empty=((2, 3),)), itself),
    "PlayOptions": (lambda: PlayOptions(seed=4, placer=PlacerOptions("adversary")), itself),
    "RecordedGame": (lambda: record_game(tdl.Player(network()), 1), itself),
    "NTupleNetwork": (network, use_network),
    "NTupleNetwork of stages": (lambda: network(stages=Stages((16,))), use_network),
    "NTupleNetwork of half precision": (lambda: twins(SMALL, CELLS)[0], use_network),
    "Player": (lambda: tdl.Player(network(), 0.75, "state", "direct"), use_player),
    "Baseline": (lambda: Baseline(SMALL, "random"), use_games),
    "Policy": (lambda: Policy(first_action, SMALL), use_games),
    "LookAhead": (lambda: LookAhead(tdl.Player(network()), sampled=True), lambda a: a.values(18).tobytes()),
    "Engine": (lambda: tdl.Engine(SMALL, "array"), lambda e: (e.rules, e.afterstates(e.start(tdl.Stream(1, 0, 0))))),
    "LineTables": (lambda: tdl.Engine(SMALL).tables, lambda tables: tables.rules),
    "Stream": (lambda: tdl.Stream(1, 2, 3), lambda stream: [stream.next() for _ in range(3)]),
    "Batch of 64 bits": (lambda: batch(SMALL, "bits"), use_batch),
    "Batch of 128 bits": (lambda: batch(FIBONACCI, "bits"), use_batch),
    "Batch of bytes": (lambda: batch(SMALL, "array"), use_batch),
    "GameEnv": (lambda: begun(make(tdl.gym.ID, size="2x3", max_episode_steps=40), 1), lambda env: use_env(env, 0)),
    "GameVectorEnv": (
        lambda: begun(make_vec(tdl.gym.ID, 2, size="2x2", observation="planes"), [1, 2]),
        lambda env: use_env(env, [0, 3]),
    ),
    "Trainer": (trainer, use_trainer),
    "Trainer of TC": (lambda: trainer(step="coherent", schedule=[(30, 0.1)]), use_trainer),
    "Trainer of states": (lambda: trainer(target="state"), use_trainer),
    "Trainer of replicas": (lambda: trainer(replicas=2, round=10), use_trainer),
    "Trainer that begins from boards it keeps": (
        lambda: trainer(start="carousel", stages=Stages((16,)), engine="array"), use_trainer),
    "Session": (session, use_session),
    "Session of an agent": (lambda: session(tdl.Player(network()).action_values(SearchOptions(2))), use_session),
    "Solution": (lambda: solve(tdl.Rules(rows=2, cols=2), fold=True),
                 lambda s: (repr(s), s.states.tolist(), s.values_of(s.states).tolist())),
}  # fmt: skip

WAYS = {"deepcopy": copy.deepcopy}
WAYS |= {f"pickle {number}": lambda value, n=number: pickle.loads(pickle.dumps(value, n)) for number in range(2, 6)}


@pytest.mark.parametrize("name", VALUES)
def test_copies_go_on_as_the_value_they_are_of_and_apart_from_it(name):
    build, use = VALUES[name]
    value = build()
    copies = {way: make_copy(value) for way, make_copy in WAYS.items()}
    used = use(value)
    for way, copied in copies.items():
        assert type(copied) is type(value)
        assert use(copied) == used, way


def test_copies_of_ones_own_classes_are_of_these():
    player = Second(network())
    player.name = "second"
    for make_copy in (copy.copy, *WAYS.values()):
        copied = make_copy(player)
        assert (type(copied), copied.name) == (Second, "second")
        assert copied.best([[2, 4], [2, 0], [0, 0]], plies=2) == player.best([[2, 4], [2, 0], [0, 0]], plies=2)


class Tagged(tdl.NTupleNetwork):
    """Has attributes of its own."""


class TaggedEngine(tdl.Engine):
    """The same."""


class TaggedTrainer(tdl.Trainer):
    """The same."""


@pytest.mark.parametrize("build", [partial(Tagged, SMALL, CELLS), TaggedEngine, lambda: TaggedTrainer(network())])
def test_copies_have_the_attributes_of_ones_own_classes(build):
    (value := build()).tags = ["first"]
    for make_copy in (copy.copy, *WAYS.values()):
        copied = make_copy(value)
        assert (type(copied), copied.tags) == (type(value), ["first"])
        assert (copied.tags is value.tags) == (make_copy is copy.copy)


def test_weights_of_a_copy_lie_in_memory_of_its_own_that_can_learn():
    tables = network()
    tables.weights.flags.writeable = False
    copied = copy.deepcopy(tables)
    assert copied.weights.ctypes.data % 4096 == 0
    assert not np.shares_memory(copied.weights, tables.weights)
    tdl.Trainer(copied).train(1)
    assert np.shares_memory(copy.copy(tables).weights, tables.weights)  # a shallow copy has the same


def test_weights_travel_as_buffers_of_their_own():
    """Pickle's protocol 5 leaves them to the caller, who may share them: they are not copied."""
    tables, buffers = network(), []
    content = pickle.dumps(tables, 5, buffer_callback=buffers.append)
    assert [buffer.raw().nbytes for buffer in buffers] == [tables.weights.nbytes]
    assert len(content) < 2000
    assert np.shares_memory(pickle.loads(content, buffers=buffers).weights, tables.weights)


def test_what_a_trainer_learns_is_what_its_adversary_reads():
    tables = network()
    adversary = PlayOptions(placer=PlacerOptions("adversary"), evaluator=tdl.Player(tables))
    for make_copy in WAYS.values():
        copied = make_copy(tdl.Trainer(tables, play=adversary))
        assert copied.play_options.evaluator.network is copied.network is not tables


@pytest.mark.parametrize(
    ("value", "instead"),
    [
        (lambda: Expectimax(network(), SearchOptions(2)), "an Expectimax .*; copy its Player"),
        (lambda: trainer()._players._plays[0], "a SelfPlay .*; copy its Trainer"),
        (lambda: trainer(replicas=2)._players._merge, "a Merge .*; copy their Trainer"),
    ],
    ids=["Expectimax", "SelfPlay", "Merge"],
)
def test_what_is_no_value_says_what_to_copy_instead(value, instead):
    for make_copy in (copy.copy, *WAYS.values()):
        with pytest.raises(TypeError, match=instead):
            make_copy(value())


def test_a_registered_game_travels_with_its_rules():
    rules = powers_of_three()
    content, moves = pickle.dumps(rules), tdl.Engine(rules).afterstates([[3, 3], [9, 0]])
    del GAMES["pow3"]
    assert tdl.Engine(pickle.loads(content)).afterstates([[3, 3], [9, 0]]) == moves
    del GAMES["pow3"]
    powers_of_three(3)
    with pytest.raises(ConfigError, match="there is a game 'pow3' with other rules"):
        pickle.loads(content)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_that_begin_anew_take_values_and_give_them(method):
    context, rules = multiprocessing.get_context(method), powers_of_three()
    player, boards = tdl.Player(network(rules, tuples=[[0, 1, 2]])), [[[3, 3], [9, 0]], [[3, 9], [0, 9]]]
    begun = trainer()
    with context.Pool(1) as pool:
        assert pool.map(player.best, boards) == list(map(player.best, boards))
        assert pool.map(learned, [5]) == [pytest.approx(learned(5), abs=0)]
        assert use_trainer(pool.apply(trained, [begun])) == use_trainer(trained(begun))
    with ProcessPoolExecutor(1, mp_context=context) as executor:
        games = executor.submit(player.evaluate, 3, seed=1).result()
    assert games.tobytes() == player.evaluate(3, seed=1).tobytes()


@pytest.mark.extra
def test_workers_of_joblib_map_large_weights(tmp_path):
    joblib = pytest.importorskip("joblib", reason="the extra joblib is not installed")
    tables = tdl.NTupleNetwork(SMALL, [[0, 1, 2, 3, 4]])
    assert tables.weights.nbytes > 1 << 20  # above which joblib shares a file in the place of a copy
    tdl.Player(tables).save(tmp_path / "saved")
    player, begun = tdl.load(tmp_path / "saved"), tdl.Trainer(tables)  # of a file, and of memory
    with joblib.Parallel(n_jobs=2) as parallel:
        played = parallel(joblib.delayed(player.evaluate)(3, seed=seed) for seed in range(3))
        (learning,) = parallel([joblib.delayed(trained)(begun)])
    assert [games.tobytes() for games in played] == [player.evaluate(3, seed=seed).tobytes() for seed in range(3)]
    assert learning.network.weights.tobytes() == trained(begun).network.weights.tobytes()
