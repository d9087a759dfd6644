"""The deep Q-learner: its network, replay, labels, returns, player, and training that continues bit for bit."""

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason='needs PyTorch: pip install "tdl[dqn]"')

from tdl.agents.batch_moves import Moves, best_of, moves_of_boards  # noqa: E402
from tdl.agents.batch_play import play_games  # noqa: E402
from tdl.agents.lookahead import look_ahead, one_sampled_look_ahead  # noqa: E402
from tdl.agents.player import Player  # noqa: E402
from tdl.config.agent import dqn_choices  # noqa: E402
from tdl.dqn.learner import WEIGHTS, Learner  # noqa: E402
from tdl.dqn.networks import new_network  # noqa: E402
from tdl.dqn.options import NETWORKS  # noqa: E402
from tdl.dqn.player import DQNPlayer, player_of  # noqa: E402
from tdl.dqn.pytorch import without_denormals  # noqa: E402
from tdl.dqn.replay import Replay  # noqa: E402
from tdl.dqn.returns import Returns  # noqa: E402
from tdl.dqn.trainer import DQNTrainer  # noqa: E402
from tdl.errors import CheckpointError, DivergenceError  # noqa: E402
from tdl.game.engine import Engine, Stream  # noqa: E402
from tdl.game.rules import Rules  # noqa: E402
from tdl.network.ntuple import NTupleNetwork  # noqa: E402
from tdl.network.tuples import TupleSet  # noqa: E402
from tdl.search.expectimax import Expectimax  # noqa: E402
from tdl.search.options import SearchOptions  # noqa: E402

TINY = Rules(rows=2, cols=2)

PUBLISHED, MODERN = dqn_choices("dqn"), dqn_choices("dqn_modern")

SMALL = replace(PUBLISHED, network="dense", input="planes", width=16, least=40, newest=20, older=20, epochs=2,
                batch=8, games=4, greedy_every=2, replay=200, scale=100.0, rate=1e-3)  # fmt: skip
"""The published schedule in little."""

LIVELY = replace(MODERN, width=32, least=100, replay=2_000, games=8, every=8, batch=32, target_network=50,
                 epsilon_games=200, scale=20.0, rate=2e-3)  # fmt: skip
"""The modern one in little."""


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def learner_of(choices, rules=TINY):
    choices.check("dqn.")
    return Learner(choices, rules, generator())


def some_boards(rules, n, seed=0):
    """Boards of random play, packed."""
    engine, chance, drops, out = Engine(rules), np.random.default_rng(seed), Stream(seed, 0, 0), []
    while len(out) < n:
        board = engine.start(drops)
        while (moves := engine.afterstates(board)) and len(out) < n:
            out.append(board)
            board = engine.place(moves[chance.integers(len(moves))][1], drops)
    return out


# networks


def test_the_published_network_has_the_published_number_of_parameters():
    network = new_network(PUBLISHED, Rules(), generator())
    assert sum(weight.numel() for weight in network.parameters()) == 2_371_665


def test_it_sees_tile_values():
    network = new_network(PUBLISHED, Rules(rows=2, cols=3), generator())
    seen = network.encoded(torch.tensor([[0, 1, 2, 3, 4, 11]], dtype=torch.uint8))
    assert seen.tolist() == [[[[0, 2, 4], [8, 16, 2048]]]]


def test_planes_share_the_last_one():
    network = new_network(replace(PUBLISHED, input="planes", planes=3), TINY, generator())
    seen = network.encoded(torch.tensor([[0, 1, 2, 7]], dtype=torch.uint8))
    assert seen.tolist() == [[[[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [1, 1]]]]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("size", [(2, 2), (2, 3), (4, 4), (5, 5)])
def test_all_four_actions_at_once_are_worth_what_they_are_one_by_one(name, size):
    rules = Rules(rows=size[0], cols=size[1])
    network = new_network(replace(PUBLISHED, network=name, width=8, input="planes"), rules, generator())
    torch.nn.init.normal_(network.last.weight, generator=generator(1))
    tiles = torch.randint(0, 8, (5, rules.cells), generator=generator()).to(torch.uint8)
    single = torch.stack([network(tiles, torch.full((5,), action)) for action in range(4)], 1)
    assert single.std() > 0
    assert torch.allclose(network.every(tiles), single, rtol=1e-5, atol=1e-5)
    legal = torch.rand((5, 4), generator=generator()) < 0.5
    assert torch.allclose(network.every(tiles, legal)[legal], single[legal], rtol=1e-5, atol=1e-5)


def test_small_numbers_are_zeros_while_it_trains_only():
    def tiny():
        return (torch.full((4,), 1e-38) * 0.01).tolist()

    before = tiny()
    assert min(before) > 0
    with without_denormals():
        assert tiny() == [0, 0, 0, 0]
    assert tiny() == before


# replay


def numbered(first, last):
    """Transitions whose boards are their numbers."""
    n = last - first
    number = np.arange(first, last, dtype=np.uint8)
    return {
        "board": np.repeat(number[:, None], 4, 1), "action": np.zeros(n, np.int64), "reward": np.zeros(n, np.float32),
        "next": np.zeros((n, 1, 4), np.uint8), "gains": np.zeros((n, 4), np.float32), "legal": np.ones((n, 4), bool),
    }  # fmt: skip


def test_the_replay_keeps_the_newest():
    replay = Replay(replace(PUBLISHED, replay=10), 4)
    replay.add(numbered(0, 4))
    assert len(replay) == 4
    replay.add(numbered(4, 13))
    replay.add(numbered(13, 13))
    assert len(replay) == 10
    assert replay.rows(np.arange(10))["board"][:, 0].tolist() == list(range(12, 2, -1))
    replay.add(numbered(100, 130))  # more than it holds
    assert sorted(replay.rows(np.arange(10))["board"][:, 0].tolist()) == list(range(120, 130))


def test_a_fit_takes_the_newest_and_a_sample_of_the_older_none_twice():
    replay = Replay(replace(PUBLISHED, replay=100), 4)
    replay.add(numbered(0, 120))
    counts = np.zeros(120, int)
    for seed in range(200):
        taken = replay.newest_and_older(10, 30, generator(seed))["board"][:, 0]
        assert taken[:10].tolist() == list(range(119, 109, -1))
        assert len(set(taken.tolist())) == 40
        counts[taken] += 1
    assert not counts[:20].any()
    assert (counts[110:] == 200).all()
    older = counts[20:110]  # each with 200 * 30 / 90 = 66.7, standard deviation 6.7
    assert older.min() > 35
    assert older.max() < 100


def test_a_sample_draws_all_alike():
    replay = Replay(replace(PUBLISHED, replay=10), 4)
    replay.add(numbered(0, 15))
    taken = np.bincount(replay.sample(10_000, generator())["board"][:, 0], minlength=15)
    assert not taken[:5].any()
    assert taken[5:].min() > 850  # 1,000 each, standard deviation 30


# labels


class Told:
    """A network of known values: of actions by the board's first tile, or of afterstates."""

    def __init__(self, actions=None, afterstates=None):
        self.of_actions, self.actions, self.afterstates = actions is not None, actions, afterstates

    def every(self, tiles, legal=None):
        return torch.tensor([self.actions[tile] for tile in tiles[:, 0].tolist()], dtype=torch.float32)

    def __call__(self, tiles):
        return torch.tensor([self.afterstates[tile] for tile in tiles[:, 0].tolist()], dtype=torch.float32)


def transition(legal, *, reward=2.0, next_tiles=((5, 0, 0, 0),), gains=(0, 0, 0, 0)):
    return {
        "board": np.zeros((1, 4), np.uint8), "action": np.zeros(1, np.int64), "reward": np.float32([reward]),
        "next": np.array([next_tiles], np.uint8), "gains": np.float32([gains]), "legal": np.array([legal], bool),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "legal", "expected"),
    [
        ({}, (1, 1, 1, 0), 2 + 30),
        ({}, (1, 1, 0, 0), 2 + 20),
        ({}, (0, 0, 0, 0), 2),
        ({"gamma": 0.5}, (1, 1, 1, 0), 2 + 15),
        ({"gamma": 0.5, "n_step": 3}, (1, 1, 1, 0), 2 + 30 / 8),
        ({"masked": False}, (1, 1, 0, 0), 2 + 40),
        ({"masked": False}, (0, 0, 0, 0), 2),
        ({"target_network": 1}, (1, 1, 1, 0), 2 + 300),  # the largest of the frozen network
        ({"target_network": 1, "double": True}, (1, 1, 1, 0), 2 + 100),  # the frozen one's, of the other's best
        ({"target_network": 1, "double": True, "masked": False}, (1, 1, 1, 0), 2 + 400),
    ],
)
def test_labels_of_actions_by_hand(changed, legal, expected):
    learner = learner_of(replace(PUBLISHED, **changed))
    learner.network = Told(actions={5: [10, 20, 30, 40]})
    learner.frozen = Told(actions={5: [300, 200, 100, 400]}) if changed.get("target_network") else learner.network
    assert learner.labels(transition(legal)).tolist() == [expected]


@pytest.mark.parametrize(
    ("changed", "legal", "expected"),
    [
        ({}, (1, 1, 1, 0), 8 + 10),
        ({}, (0, 1, 1, 0), 4 + 11),
        ({}, (0, 0, 0, 0), 0),
        ({"gamma": 0.5}, (1, 1, 1, 0), 8 + 5),
        ({"gamma": 0.5, "n_step": 2}, (1, 1, 1, 0), (8 + 5) / 2),
        ({"target_network": 1, "double": True}, (1, 1, 1, 0), 8 + 1),
        ({"target_network": 1}, (1, 1, 1, 0), 0 + 30),
    ],
)
def test_labels_of_afterstates_by_hand(changed, legal, expected):
    learner = learner_of(replace(PUBLISHED, values_of="afterstates", **changed))
    learner.network = Told(afterstates={1: 10, 2: 11, 3: 12})
    learner.frozen = Told(afterstates={1: 1, 2: 20, 3: 30}) if changed.get("target_network") else learner.network
    row = transition(legal, reward=0.0, next_tiles=[(i, 0, 0, 0) for i in (1, 2, 3, 9)], gains=(8, 4, 0, 64))
    assert learner.labels(row).tolist() == [expected]


def test_the_target_network_is_copied_every_so_many_updates():
    learner = learner_of(replace(LIVELY, target_network=3, rate=0.1))
    board, action = torch.ones((4, 4), dtype=torch.uint8), torch.zeros(4, dtype=torch.int64)
    for number in range(1, 7):
        learner.update(board, action, torch.full((4,), 50.0))
        same = torch.equal(learner.network.last.weight, learner.frozen.last.weight)
        assert same == (number % 3 == 0)


def test_an_update_of_the_published_learner_is_rmsprop_on_the_mean_squared_error():
    learner, twin = learner_of(PUBLISHED), learner_of(PUBLISHED)
    board = torch.tensor([[0, 1, 2, 3], [1, 1, 0, 0]], dtype=torch.uint8)
    action, label = torch.tensor([0, 3]), torch.tensor([7.0, -2.0])
    loss = ((twin.network(board, action) - label) ** 2).mean()
    loss.backward()
    learner.update(board, action, label)
    for moved, weight in zip(learner.network.parameters(), twin.network.parameters(), strict=True):
        step = 1e-3 * weight.grad / ((0.1 * weight.grad**2).sqrt() + 1e-7)
        assert torch.allclose(moved, weight - step, atol=1e-6)
    assert learner.mean_abs_error() == pytest.approx((twin.network(board, action) - label).abs().mean().item())
    assert np.isnan(learner.mean_abs_error())


def test_an_update_of_fewer_bits_is_nearly_the_same():
    full, fewer = learner_of(PUBLISHED), learner_of(replace(PUBLISHED, precision="bfloat16"))
    board = torch.randint(0, 8, (64, 4), generator=generator()).to(torch.uint8)
    action, label = torch.randint(0, 4, (64,), generator=generator()), torch.full((64,), 100.0)
    for learner in (full, fewer):
        learner.update(board, action, label)
    moved = [learner.network.second.weight for learner in (full, fewer)]
    assert moved[1].dtype == torch.float32
    assert not torch.equal(*moved)
    assert full.mean_abs_error() == pytest.approx(fewer.mean_abs_error(), rel=0.02)


def test_a_fit_makes_the_published_number_of_updates_and_none_below_the_least():
    learner = learner_of(replace(SMALL, epochs=3))
    replay = Replay(learner.choices, 4)
    replay.add(numbered(0, 39) | {"board": np.ones((39, 4), np.uint8)})
    assert not learner.fit(replay)
    replay.add(numbered(0, 1))
    assert learner.fit(replay)
    assert learner.updates == 3 * 5


# returns


def told_moves(numbers, legal=True):
    """Boards and afterstates that say their number."""
    n = len(numbers)
    tiles = np.repeat(np.array(numbers, np.uint8)[:, None], 4, 1)
    return Moves(tiles, np.full((n, 4), legal), np.zeros((n, 4), np.int32), np.repeat(tiles[:, None] + 100, 4, 1))


def transitions_of(choices, rewards):
    """All transitions of one game: (board, reward, next board, over)."""
    returns, out, which = Returns(choices, 3, 4), [], np.array([1])
    for move, reward in enumerate(rewards):
        returns.moved(which, told_moves([move]), np.array([2]), np.array([reward]))
        for _, rows in returns.seen(which, told_moves([move + 1], legal=move + 1 < len(rewards))):
            out.append((rows["board"][0, 0], rows["reward"][0], rows["next"][0, 0, 0], not rows["legal"].any()))
    return out


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, [(0, 1, 1, False), (1, 2, 2, False), (2, 4, 3, False), (3, 0, 4, True)]),
        ({"last_reward": True}, [(0, 1, 1, False), (1, 2, 2, False), (2, 4, 3, False), (3, 8, 4, True)]),
        (
            {"n_step": 3, "last_reward": True},
            [(0, 7, 3, False), (1, 14, 4, True), (2, 12, 4, True), (3, 8, 4, True)],
        ),
        (
            {"n_step": 2, "gamma": 0.5, "last_reward": True},
            [(0, 2, 2, False), (1, 4, 3, False), (2, 8, 4, True), (3, 8, 4, True)],
        ),
        (
            {"values_of": "afterstates", "last_reward": True},
            [(100, 0, 101, False), (101, 0, 102, False), (102, 0, 103, False), (103, 0, 104, True)],
        ),
        (
            {"values_of": "afterstates", "n_step": 2, "last_reward": True},
            [(100, 2, 102, False), (101, 4, 103, False), (102, 8, 104, True), (103, 0, 104, True)],
        ),
    ],
)
def test_returns_by_hand(changed, expected):
    assert transitions_of(replace(PUBLISHED, **changed), [1, 2, 4, 8]) == expected


def test_a_game_shorter_than_the_steps_gives_all_its_moves():
    assert transitions_of(replace(PUBLISHED, n_step=5, last_reward=True), [1, 2]) == [(0, 3, 2, True), (1, 2, 2, True)]


# training


@pytest.mark.parametrize("choices", [SMALL, LIVELY], ids=["published", "modern"])
def test_training_that_is_continued_is_the_same_bit_for_bit(choices):
    rules = Rules(rows=2, cols=3)
    whole = DQNTrainer(rules, choices, seed=5)
    first = DQNTrainer(rules, choices, seed=5)
    fresh = DQNTrainer(rules, choices, seed=99)
    whole.train(30)
    first.train(30)
    state = {name: array.copy() for name, array in first.state().items()}
    new = fresh.state()
    assert all(array.dtype != object for array in state.values())
    assert {n: (a.shape, a.dtype) for n, a in state.items()} == {n: (a.shape, a.dtype) for n, a in new.items()}
    fresh.seed = 5
    fresh.load_state(state)
    assert (fresh.episode, fresh.moves) == (30, first.moves)
    expected, records = whole.train(25), fresh.train(25)
    assert np.array_equal(records, expected)
    assert np.array_equal(fresh.logged, whole.logged)
    for name, array in whole.state().items():
        assert np.array_equal(fresh.state()[name], array), name


def test_blocks_do_not_change_the_published_schedule():
    whole, parts = (DQNTrainer(TINY, SMALL, seed=1) for _ in range(2))
    expected = whole.train(24)
    records = np.concatenate([parts.train(8) for _ in range(3)])
    assert np.array_equal(records, expected)
    assert records["episode"].tolist() == list(range(24))
    assert whole.moves == expected["moves"].sum()
    assert whole.mean_abs_error > 0


def test_each_fit_is_followed_by_a_logged_game():
    trainer = DQNTrainer(TINY, SMALL)
    trainer.train(40)
    assert len(trainer.logged) > 5
    assert trainer.logged["episode"].tolist() == list(range(40 - 4 * (len(trainer.logged) - 1), 41, 4))
    assert trainer.learner.updates == 10 * len(trainer.logged)


def test_the_replay_of_an_iteration_is_game_by_game():
    trainer = DQNTrainer(TINY, replace(SMALL, least=200))
    records = trainer.train(4)
    legal = trainer.replay.rows(np.arange(len(trainer.replay))[::-1])["legal"]
    assert np.flatnonzero(~legal.any(axis=1)).tolist() == (np.cumsum(records["moves"]) - 1).tolist()


def test_a_small_modern_learner_learns():
    rules = Rules(rows=2, cols=2)
    trainer = DQNTrainer(rules, LIVELY, seed=1)
    trainer.train(400)
    assert play_games(trainer.player, 500)["score"].mean() > 50  # exactly 19.66 of random play, 66.96 at best


def test_too_large_a_step_is_told():
    trainer = DQNTrainer(TINY, replace(SMALL, rate=1e30))
    with pytest.raises(DivergenceError, match=r"^a value of the network is not finite; make agent.rate smaller$"):
        trainer.train(60)


# players


def test_games_meet_the_drops_of_an_evaluation():
    rules = Rules(rows=2, cols=3)
    network = NTupleNetwork(rules, TupleSet(((0, 1, 2),)))

    class Same:
        def __init__(self):
            self.rules = rules

        def select_actions(self, moves):
            return best_of(np.where(moves.legal, moves.rewards, np.nan))  # as a network of zeros does

    for boards in (1, 7, 50):
        assert np.array_equal(play_games(Same(), 20, seed=3, boards=boards), Player(network).evaluate(20, seed=3))


@pytest.mark.parametrize("of", ["actions", "afterstates"])
def test_a_player_says_nan_where_illegal_and_chooses_the_best(of):
    choices = replace(MODERN, values_of=of, symmetries=False, width=8)
    network = new_network(choices, Rules(), generator())
    torch.nn.init.normal_(network.last.weight, generator=generator(1))
    player = DQNPlayer(network, Rules())
    for board in some_boards(Rules(), 20):
        values = player.values(board)
        assert np.flatnonzero(~np.isnan(values)).tolist() == player.engine.legal(board)
        assert player.best(board) == np.nanargmax(values)
        if of == "afterstates":
            for action, after, reward in player.engine.afterstates(board):
                (tiles,) = moves_of_boards(player.engine, [after]).tiles
                alone = network(torch.from_numpy(tiles)[None]).item()
                assert values[action] == pytest.approx(reward + alone, rel=1e-5, abs=1e-3)
    lost = [[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]]
    assert player.best(lost) is None


def test_a_player_of_saved_weights_plays_the_same():
    trainer = DQNTrainer(TINY, SMALL)
    trainer.train(20)
    again = player_of(SMALL, TINY, trainer.state()[WEIGHTS])
    assert np.array_equal(play_games(again, 20), play_games(trainer.player, 20))
    with pytest.raises(CheckpointError, match=r"^weights: holds \(\d+,\) numbers, this network \(\d+,\)$"):
        player_of(PUBLISHED, TINY, trainer.state()[WEIGHTS])


class Toy:
    """Knows one number for each action: the value of a board is the largest of its legal ones."""

    def __init__(self, rules):
        self.engine, self.seen = Engine(rules), []

    def values(self, board):
        self.seen.append(board)
        out = np.full(4, np.nan)
        legal = self.engine.legal(board)
        out[legal] = np.array([10.0, 20.0, 30.0, 40.0])[legal]
        return out


def test_a_sampled_look_ahead_sees_one_successor_of_each_legal_action():
    toy = Toy(TINY)
    ahead = one_sampled_look_ahead(toy, seed=1)
    board = toy.engine.board([[2, 2], [0, 0]])
    values = ahead.values(board)
    moves = toy.engine.afterstates(board)
    assert len(toy.seen) == len(moves)
    for (action, after, reward), successor in zip(moves, list(toy.seen), strict=True):
        drops = {after | tile << 4 * cell for cell in range(4) if not after >> 4 * cell & 15 for tile in (1, 2)}
        assert successor in drops
        assert values[action] == reward + np.nanmax(toy.values(successor))
    assert np.isnan(values[0])
    assert ahead.best(board) == np.nanargmax(values)


def test_all_drops_are_weighed_and_nothing_follows_a_game_that_is_over():
    values = look_ahead(Toy(TINY)).values([[4, 2], [0, 8]])
    # down: 0 2 / 4 8; a 2 leaves left and right, worth 40, a 4 leaves up and down, worth 30
    # left: 4 2 / 8 0; a 2 leaves up and down, worth 30, a 4 nothing
    assert values == pytest.approx([np.nan, np.nan, 0.9 * 40 + 0.1 * 30, 0.9 * 30], nan_ok=True)


@pytest.mark.parametrize("plies", [2, 3])
def test_looking_ahead_over_all_drops_is_expectimax(plies):
    rules = Rules(rows=2, cols=3)
    network = NTupleNetwork(rules, TupleSet(((0, 1, 2), (1, 2, 4))))
    network.weights[:] = np.random.default_rng(0).random(len(network.weights), np.float32) * 100
    player, search = Player(network), Expectimax(network, SearchOptions(plies))
    for board in some_boards(rules, 12):
        assert look_ahead(player, plies).values(board) == pytest.approx(search.values(board), rel=1e-5, nan_ok=True)


def test_a_look_ahead_plays_many_games_at_once():
    trainer = DQNTrainer(TINY, SMALL)
    trainer.train(20)
    records = play_games(one_sampled_look_ahead(trainer.player), 30)
    assert (records["score"] > 0).all()
    deeper = play_games(look_ahead(trainer.player, 2), 30)
    assert len(deeper) == 30
