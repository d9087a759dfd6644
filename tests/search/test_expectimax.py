"""Expectimax: the kernel against a naive recursion, both against exact values, and what the choices of a search do."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.reference_runs import assert_equals_reference, random_network
from support.shapes import RULES, boards, drawn, each_rules, few, small_tuples, some

from tdl.game.boards import pack, unpack
from tdl.game.engine import ENGINES
from tdl.game.game_reference import downgraded, move
from tdl.game.rules import Rules
from tdl.learning.learning_reference import ReferenceLearner
from tdl.learning.options import LearnerOptions
from tdl.network.network_reference import ReferenceNetwork
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import LAWS, Stages
from tdl.network.tuples import TupleSet
from tdl.players.player import Player
from tdl.search.expectimax import Expectimax
from tdl.search.expectimax_reference import ReferenceExpectimax
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.solver.solution import solve

WORST = PlacerOptions("adversary")
CHOSEN = PlacerOptions("adversary", tile="chosen")
FIRST = PlacerOptions("adversary", first_empty=True)
NODES = {
    "chance": {},
    "least": {"placer": WORST},
    "least of all": {"placer": CHOSEN},
    "first": {"placer": FIRST},
    "chance against an adversary": {"placer": WORST, "against": "random"},
    "least against chance": {"against": "adversary"},
}
LEARNERS = (
    {"order": "none"},
    {"order": "forward"},
    {"order": "backward", "step": "coherent"},
    {"order": "forward", "target": "state"},
)
fewer = settings(few, max_examples=few.max_examples // 2)
each_node = pytest.mark.parametrize("node", NODES.values(), ids=NODES)


def crowded(board, empty):
    """The board with at most so many empty cells: the naive recursion looks at every drop on each."""
    cells = [cell for cell, tile in enumerate(board) if not tile]
    return [1 + cell % 2 if cell in cells[empty:] else tile for cell, tile in enumerate(board)]


def both(rules, search, *, placer=None, engine="bits", target="afterstate", gamma=1.0, **how):
    """A search and its reference."""
    network, reference = random_network(rules, **how)
    learner = ReferenceLearner(reference, 0.1, LearnerOptions(target=target, gamma=gamma), shared=False)
    kernel = Expectimax(network, search, gamma=gamma, target=target, engine=engine, placer=placer)
    return kernel, ReferenceExpectimax(search, learner, placer)


def assert_same_values(search, reference, board):
    """Bit for bit; nan stands for a move that is not legal."""
    expected = np.full(4, np.nan)
    for action, value in reference.values(board).items():
        expected[action] = value
    assert np.array_equal(search.values(pack(board, reference.rules)), expected, equal_nan=True)


def split(node):
    return {key: value for key, value in node.items() if key == "against"}, node.get("placer")


@each_rules
@fewer
@given(st.data())
def test_equals_a_naive_recursion(rules, data):
    options, placer = split(NODES[data.draw(st.sampled_from(list(NODES)))])
    kind = data.draw(st.sampled_from(ENGINES))
    large = rules.cells >= 20
    plies = data.draw(st.integers(1, 2 if large else 3))  # a third takes the recursion seconds
    table = data.draw(st.sampled_from([0, 1]))
    empty = {1: 25, 2: 3, 3: 1} if len(rules.drop) == 2 and not large else {1: 25, 2: 1, 3: 0}
    board = crowded(data.draw(boards(rules)), empty[plies])
    search, reference = both(
        rules, SearchOptions(plies, table=table, **options), placer=placer, engine=kind, gamma=data.draw(
            st.sampled_from([1.0, 0.9, 0.0])), set_name=data.draw(st.sampled_from(["mixed", "odd", "counts"]))
    )  # fmt: skip
    assert_same_values(search, reference, board)


@pytest.mark.parametrize("shape", ["2x2", "2584-2x2", "2x3", "threes_law-3x2"])
@some
@given(data=st.data())
def test_three_plies_on_small_boards(shape, data):
    """With all their empty cells, a cut-off, plies by empty cells, and tiles lowered."""
    options, placer = split(NODES[data.draw(st.sampled_from(list(NODES)))])
    rules = RULES[shape]
    search, reference = both(
        rules,
        SearchOptions(
            3,
            cutoff=data.draw(st.sampled_from([0.0, 0.03, 0.2, 1.0])),
            by_empty=data.draw(st.sampled_from([(), ((1, 4),), ((0, 1), (2, 2))])),
            downgrade=data.draw(st.sampled_from([None, 5, "radix"])),
            table=data.draw(st.sampled_from([0, 1])),
            **options,
        ),
        placer=placer,
        set_name=data.draw(st.sampled_from(["mixed", "radix 4"])),
    )
    assert_same_values(search, reference, crowded(data.draw(boards(rules)), 3))


@pytest.mark.parametrize("shape", ["2x3", "2584-2x3", "4x4"])
@pytest.mark.parametrize("plies", [1, 2])
@fewer
@given(data=st.data())
def test_values_of_states_and_of_stages(shape, plies, data):
    rules = RULES[shape]
    target = data.draw(st.sampled_from(["afterstate", "state"]))
    board = crowded(data.draw(boards(rules)), 3)
    by = data.draw(st.sampled_from(LAWS))
    values = [rules.value(tile) for tile in board]
    # a search comes there
    near = (max if by == "largest" else sum)(values) + data.draw(st.sampled_from([1, 2, 4, 30]))
    thresholds = data.draw(st.sampled_from([(8, 64), (near,), (near, 4 * near)]))
    stages = Stages(thresholds, by, **data.draw(st.sampled_from([{}, {"downgrade": 4, "share": 0.3}])))
    search, reference = both(rules, SearchOptions(plies), target=target, stages=stages, moved=0.5, engine=data.draw(
        st.sampled_from(["bits", "array"])))  # fmt: skip
    assert_same_values(search, reference, board)


@pytest.mark.parametrize("features", [4, 8])
@fewer
@given(board=boards(Rules()))
def test_the_loops_for_32_and_64_features(features, board):
    tuples = TupleSet(tuple((0, 1, 2, i) for i in range(4, 4 + features)))
    network = NTupleNetwork(Rules(), tuples)
    assert network.m == 8 * features
    network.weights[:] = np.random.default_rng(1).normal(0, 20, len(network.weights)).astype(np.float32)
    reference = ReferenceNetwork(Rules(), tuples)
    for number in range(features):
        reference.tables[number] = dict(enumerate(network.table(number)))
    search = SearchOptions(2)
    naive = ReferenceExpectimax(search, ReferenceLearner(reference, 0.1))
    assert_same_values(Expectimax(network, search), naive, crowded(board, 2))


@each_node
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize(("shape", "kind"), [("2x2", "bits"), ("2584-2x2", "array"), ("threes_law-3x2", "bits")])
def test_games_equal_the_reference(node, learner, shape, kind):
    """Learning goes on between two searches: what a table kept must not count any more."""
    options, placer = split(node)
    search = SearchOptions(3 if shape == "2x2" else 2, table=1, **options)
    options = {
        "alpha": 0.3,
        "seed": 7,
        "lanes": 2,
        "engine": kind,
        "search": search,
        "placer": placer or PlacerOptions(),
    }
    assert_equals_reference(RULES[shape], small_tuples(RULES[shape])["mixed"], episodes=2, **options, **learner)


def full_table(rules, solution):
    """A network whose V is the exact value of every afterstate that can be reached."""
    cells = tuple(range(rules.cells))
    network = NTupleNetwork(rules, TupleSet((cells,), symmetries=False, radix=rules.largest + 1))
    table = np.zeros(network.layout.size(0), np.float32)
    exact = dict(zip(solution.afterstates.tolist(), solution.afterstate_values.tolist(), strict=True))
    for board, value in exact.items():
        table[sum(tile * (rules.largest + 1) ** i for i, tile in enumerate(unpack(board, rules)))] = value
    network.set_table(0, table)
    return network


@pytest.mark.parametrize("shape", ["2x2", "2584-2x2"])
def test_exact_values_stay_exact(shape):
    """Looking further than a perfect value function finds nothing new: the recursion is that of the solver."""
    rules = RULES[shape]
    solution = solve(rules)
    player = Player(full_table(rules, solution))
    for board in solution.states[::7].tolist():
        values = [player.values(board, plies) for plies in (1, 2, 3)]
        for deeper in values[1:]:
            np.testing.assert_allclose(deeper, values[0], rtol=1e-5)


def test_looking_to_the_end_is_exact():
    """Without any values, where no game lasts longer than the search looks, rewards alone are the solver's values."""
    rules = RULES["2x2"]
    solution, blank = solve(rules), Player(NTupleNetwork(rules, small_tuples(rules)["mixed"]))
    engine, longest, checked = solution.engine, {}, 0
    exact = dict(zip(solution.states.tolist(), solution.state_values.tolist(), strict=True))
    for board in reversed(solution.states.tolist()):  # by the sum of tiles: what follows comes first
        drops = {after | tile << 4 * cell for _, after, _ in engine.afterstates(board)
                 for cell in range(4) if not after >> 4 * cell & 15 for tile in (1, 2)}  # fmt: skip
        longest[board] = 1 + max(longest[drop] for drop in drops) if drops else 0
        if 0 < longest[board] <= 6:
            assert np.nanmax(blank.values(board, longest[board])) == pytest.approx(exact[board], rel=1e-6)
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("table", [0, 1])
def test_threads_and_tables_change_no_game(threads, table):
    network, _ = random_network(RULES["3x3"])
    alone = Player(network).evaluate(8, seed=4, lanes=1, search=SearchOptions(3, table=0))
    records = Player(network).evaluate(8, seed=4, threads=threads, lanes=2, search=SearchOptions(3, table=table))
    assert np.array_equal(records, alone)


def test_the_table_saves_work():
    network, _ = random_network(RULES["4x4"])
    board = pack(drawn("2 4 8 2/. 16 . 4/2 . 32 8/4 2 8 16", Rules()), Rules())
    with_table, without = (Expectimax(network, SearchOptions(3, table=mib)) for mib in (1, 0))
    assert np.array_equal(with_table.values(board), without.values(board))
    assert with_table.counts["found"] > 0 == without.counts["found"]
    assert with_table.counts["leaves"] < without.counts["leaves"]


def test_boards_that_must_be_equal_are_valued_once():
    """A tile slides past empty cells: four drops on an empty row lead to one board, row by row and tile by tile."""
    network, _ = random_network(RULES["4x4"])
    search = Expectimax(network, SearchOptions(2))
    search.values(pack(drawn(". . . ./. . . ./. . . ./4 2 4 2", Rules()), Rules()))
    leaves, nodes = search.counts["leaves"], search.counts["nodes"]
    naive = sum(2 * 12 * 4 for _ in range(nodes))
    assert 0 < leaves < naive / 2


SQUARE = RULES["2x2"]
EDGES = {
    "over": ("2 4/8 16", SQUARE, [np.nan] * 4),
    "over, full and large": ("32768 16384/8192 32768", SQUARE, [np.nan] * 4),
    "the two largest": ("32768 32768/2 4", SQUARE, None),
    "the last move": ("2 2/4 8", SQUARE, None),
}


@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("plies", [1, 2, 3])
def test_edges(name, plies):
    text, rules, expected = EDGES[name]
    network, reference = random_network(rules)
    board = drawn(text, rules)
    values = Player(network).values(pack(board, rules), plies)
    if expected is not None:
        assert np.array_equal(values, expected, equal_nan=True)
        assert Player(network).best(pack(board, rules), plies) is None
    else:
        naive = ReferenceExpectimax(SearchOptions(plies), ReferenceLearner(reference, 0.1)).values(board)
        assert {a: v for a, v in enumerate(values.tolist()) if not np.isnan(v)} == naive


def test_a_tile_beyond_the_radix_counts_as_the_largest():
    rules = RULES["2x2"]
    tuples = TupleSet(((0, 1), (0, 1, 2, 3)), radix=4)
    network = NTupleNetwork(rules, tuples)
    network.weights[:] = np.random.default_rng(3).normal(0, 20, len(network.weights)).astype(np.float32)
    player = Player(network)
    high, low = (player.values(pack(drawn(text, rules), rules), 2) for text in ("64 2/. 4", "32 2/. 4"))
    assert np.array_equal(high, low, equal_nan=True)  # no move merges the large one; both are symbol 3
    other = player.values(pack(drawn("4 2/. 4", rules), rules), 2)
    assert not np.array_equal(high, other, equal_nan=True)


@pytest.mark.parametrize("shape", ["4x4", "2584-4x4-75-25", "threes_law-4x4"])
@some
@given(data=st.data())
def test_lowering_keeps_what_merges(shape, data):
    """Every move stays legal and leads, lowered or not, to boards of the same pattern of empty cells."""
    rules = RULES[shape]
    board = data.draw(boards(rules))
    limit = data.draw(st.integers(4, 14))
    low = downgraded(board, limit, rules)
    assume(low != board)
    assert max(low) < max(board)
    assert [not tile for tile in low] == [not tile for tile in board]
    for action in range(4):
        before, after = move(board, action, rules), move(low, action, rules)
        assert (before is None) == (after is None)
        if before is not None:
            assert [not tile for tile in before[0]] == [not tile for tile in after[0]]


def test_lowering_is_done_at_the_largest_hole():
    rules = Rules()
    high = drawn("32768 8192 4 2/. . . ./. . . ./. . . .", rules)
    assert downgraded(high, 14, rules) == drawn("16384 8192 4 2/. . . ./. . . ./. . . .", rules)
    assert downgraded(high, 12, rules) == drawn("4096 2048 4 2/. . . ./. . . ./. . . .", rules)
    assert downgraded(high, 3, rules) == drawn("16 8 4 2/. . . ./. . . ./. . . .", rules)  # as far as it goes
    fib = RULES["2584-4x4-75-25"]
    apart = drawn("34 8 . ./. . . ./. . . ./. . . .", fib)
    assert downgraded(apart, 7, fib) == drawn("21 8 . ./. . . ./. . . ./. . . .", fib)
    beside = drawn("21 8 . ./. . . ./. . . ./. . . .", fib)
    assert downgraded(beside, 6, fib) == drawn("13 5 . ./. . . ./. . . ./. . . .", fib)  # 13 and 8 would merge
