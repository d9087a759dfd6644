"""The benchmarks of experiments/benchmarks run, count rightly and do what they measure; speeds are not judged here."""

import contextlib
import io
import json
from functools import cache
from importlib import import_module
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from support.shapes import RULES, Repeated, each_rules, small_tuples

from tdl.benchmarks import SCRIPTS
from tdl.errors import ConfigError
from tdl.game.engine import Engine, Stream
from tdl.learning.state import CHUNK
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet

ROOT = Path(__file__).parents[2]

SMALL = {
    "boards": "--tuples [[0,1,2],[4,5]] --blank 50 --rounds 2 --boards 100",
    "gym": "--boards 8 --seconds 0.001 --rounds 2 --public CartPole-v1",
    "limit": "--tuples 2x4 --state 10 --rounds 2 --turns 500",
    "merge": "--tuples [[0,1,2,3],[4,5]] --replicas 2 --episodes 30 --state 10",
    "search": "--checkpoint {run} --plies 1 2 3 --games 2 --rounds 2 --threads 2",
    "move": "--checkpoint {run} --lines 200 --rounds 2",
    "serve": "--checkpoint {run} --rounds 2 --seconds 0.05",
    "status": "--run {run} --jobs 6 --seeds 3",
}
"""The least that each script measures; the deep Q-learner's takes a minute, and that of sweeps is tried in part."""


@pytest.fixture(scope="module", autouse=True)
def _scripts():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        yield


def script(name):
    return import_module(f"experiments.benchmarks.{name}")


def rows_of(name, words):
    """The rows of a script."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        script("harness").main(script(name).measure, [*words.split(), "--json"])
    return json.loads(out.getvalue())["rows"]


@pytest.fixture(scope="module")
def measured(small_run):
    """The rows of each script with its least setting."""
    return cache(lambda name: rows_of(name, SMALL[name].format(run=small_run("tuples=2x4", "episodes=50"))))


def test_every_script_is_tried():
    files = {path.stem for path in (ROOT / "experiments" / "benchmarks").glob("*.py")}
    assert files - {"__init__", "harness"} == {*SCRIPTS} == {*SMALL, "dqn", "sweep"}


@pytest.mark.parametrize("name", SMALL)
def test_figures_of_each_script(name, measured):
    figures = [figure for row in measured(name) for figure in row.values()]
    assert figures
    for figure in figures:
        if isinstance(figure, list):
            assert len(figure) == 2
            assert min(figure) > 0
        elif isinstance(figure, dict):
            assert 0 < figure["ratio_min"] <= figure["ratio_median"] <= figure["ratio_max"]
        else:
            assert isinstance(figure, str) or figure >= 0


def test_a_sweep_takes_longer_than_its_games():
    wall, played = script("sweep").sweep(1, 0.01, 1)
    assert wall > played > 0


def test_the_deep_q_learner_has_its_options(capsys):
    pytest.importorskip("torch", reason="the extra dqn is not installed")
    with pytest.raises(SystemExit):
        script("harness").main(script("dqn").measure, ["--help"])
    assert "--precision" in capsys.readouterr().out


def test_a_table_shows_medians_and_ratios(capsys):
    def measure(checkpoint: str, rounds: int = 5, plies: tuple[int, ...] = (1, 2)):
        yield {"side": checkpoint, "speed": [2e6, 1e6, 3e6][:rounds], "plies": str(plies)}
        yield {"ratio": {"ratio_median": 2.0, "ratio_min": 1.0, "ratio_max": 3.0}}

    script("harness").main(measure, ["--checkpoint", "here", "--rounds", "3", "--plies", "3", "4"])
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[3:]]
    assert rows == [["here", "2,000,000", "[3,", "4]"], ["2.00", "(1.00", "to", "3.00)"]]
    for words, message in ((["--checkpoint", "x", "--rounds", "0"], "0 is not above 0"), ([], "--checkpoint")):
        with pytest.raises(SystemExit):
            script("harness").main(measure, words)
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("search", "--checkpoint {run} --plies 13", "plies: 13 is not allowed"),
        ("serve", "--checkpoint missing", "missing: no checkpoint here"),
        ("gym", "--public nowhere:Game-v0", "--public: nowhere:Game-v0 cannot be made"),
        (
            "gym",
            "--peer nowhere:Game-v0",
            "--peer: 'nowhere:Game-v0' is not allowed; expected envpool:TASK or pgx:GAME",
        ),
    ],
)
def test_errors_are_one_line(capsys, small_run, name, words, message):
    with pytest.raises(SystemExit) as stopped:
        rows_of(name, words.format(run=small_run("tuples=2x4", "episodes=50")))
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


@each_rules
@pytest.mark.parametrize("build", ["portable", None])
def test_operations_do_the_same_to_both_engines(rules, build):
    network = NTupleNetwork(rules, TupleSet(((0, 1), (2, 3, 0))))
    network.use_instructions(build)
    bits, array = script("boards").sample(network, 300).values()
    for operation in script("operations").OPERATIONS:
        assert bits(operation, 2) == array(operation, 2) > 0, operation


def test_the_plain_game_is_2048():
    """Its board after each move and its rewards, against the engine; drops are its own."""
    game, engine, actions = script("gym").PlainGame(), Engine(), np.random.default_rng(2)
    for seed in range(3):
        (board, _), over = game.reset(seed), False
        assert sorted(board.ravel().tolist())[13] == 0 < board.ravel().max()
        while not over:
            action = int(actions.integers(4))
            legal = engine.legal(board)
            after = engine.array(engine.move(board, action)[0]) if action in legal else board
            gained = engine.move(board, action)[1] if action in legal else 0
            board, reward, over, cut, _ = game.step(action)
            dropped = board - after
            assert (reward, cut) == (gained, False)
            assert dropped[dropped != 0].tolist() in ([[2], [4]] if action in legal else [[]])
            assert over == engine.terminal(board)


def test_what_is_recorded_by_the_engine():
    """What a turn updates is what was chosen one turn before, until the game ends."""
    network = NTupleNetwork(RULES["2x2"], TupleSet(((0, 1), (0, 2, 3))))
    engine, turns = Engine(network.rules), list(islice(script("limit").played(network, 0, 1), 50))
    after = [each for _, each, _ in engine.afterstates(engine.start(Stream(0, 0, 0)))]
    assert same(turns[0], [network.entries(board) for board in (*after, after[0])])
    end = next(i for i, rows in enumerate(turns) if len(rows) == 1)
    assert end > 1
    for before, rows in pairwise(turns[: end + 1]):
        assert any(same(rows[-1], row) for row in before[:-1])


def same(one, other):
    return np.array(one).tolist() == np.array(other).tolist()


@pytest.mark.parametrize("lanes", [1, 3])
@pytest.mark.parametrize("rules", [RULES["2x2"], RULES["4x4"]], ids=["2x2", "4x4"])
def test_the_replay_reads_what_was_recorded_and_changes_nothing(rules, lanes):
    eight = [Repeated(((0, 1), (1, 2, 5)) * 4)] if rules.cells == 16 else []
    for tuples in [*small_tuples(rules).values(), *eight]:
        network = NTupleNetwork(rules, tuples)
        network.weights[:] = np.random.default_rng(1).standard_normal(len(network.weights))
        before = network.weights.copy()
        entries, counts = script("limit").record(network, 300, lanes)
        read = np.delete(before[entries[:, : network.m]].sum(axis=1), np.cumsum(counts) - 1).sum()
        assert script("replay").replay(network, entries, counts, lanes) == pytest.approx(read, abs=0.05)
        assert np.array_equal(network.weights, before)
        with pytest.raises(ConfigError, match=r"entries: .* columns"):
            script("replay").replay(network, entries[:, 1:].copy(), counts, lanes)


def test_a_merge_in_one_process_sends_nothing(measured):
    figures = {row["figure"]: row["value"] for row in measured("merge")}
    assert figures["MB sent"] == figures["MB received"] == figures["MB by the model"] == 0
    moved, merged = figures["chunks moved by a replica"], figures["chunks moved by any"]
    assert 0 < moved <= merged <= min(2 * moved, figures["chunks of the tables"])


def test_the_model_of_two_processes():
    """Of two replicas in two processes each sends the other half of what it moved, and then half of all results."""
    model_bytes, row = script("merge").model_bytes, 4 * (1 + 3 * CHUNK)
    assert row == 772
    assert model_bytes(2, 2, moved=10, merged=16) == pytest.approx((10 / 2 + 16 / 2) * row)
    assert model_bytes(4, 1, moved=10, merged=16) == 0


def test_search_finds_more_with_more_plies(measured):
    one, two, three = measured("search")
    assert 0 == one["boards"] < two["boards"] < three["boards"]
    assert 0 == one["found"] <= two["found"] < three["found"] < 1
