"""The kinds of agents, and their descriptions: an entry that does not fit is refused, with file and entry named.

Trusts the run that is changed here, one entry at a time, with a digest that fits.
"""

import shutil

import numpy as np
import pytest
from support.mutations import GONE, forged

import tdl
from tdl.errors import CheckpointError, ConfigError
from tdl.players.baselines import play_greedy, play_random
from tdl.players.kinds import KINDS, check_resumable, load_agent, read_agent
from tdl.search.options import SearchOptions

WRONG = {
    "episode": [GONE, -1, "7", 1.5, True, 10**13, None],
    "stays": [1],
    "arrays": [GONE, [], {}, {"weights": None}],
    "arrays.weights": [GONE, 3],
    "arrays.weights.file": [GONE, 7, "../weights.npy", "/etc/passwd", "", ".", "a/b.npy", "meta.json", "x\n.npy"],
    "arrays.weights.dtype": [GONE, 4, "O", "V99999999", ">f4", "<f8", "f4,f4"],
    "arrays.weights.shape": [GONE, 7, "x", [-1], [10**11], [1.0], [1] * 9, []],
    "arrays.weights.bytes": [GONE, -1, "x", 10**30],
    "arrays.weights.sha256": [GONE, 7, "0" * 63, "Z" * 64],
    "rules": [GONE, [], None],
    "rules.game": [GONE, "chess", 7, [], {}],
    "rules.version": [GONE, 99, True],
    "rules.rows": [GONE, 9, "4", True, 4.0],
    "rules.drop": [GONE, [], [[1]], [[1, 0.9], [2]], 7, [[1, float("nan")]], [[0, 1.0]], {}],
    "rules.start": [GONE, [], "drop", [99], [[]]],
    "rules.more": [1],
    "network": [GONE, 7, []],
    "network.kind": ["chess", 7, []],
    "network.tuples": [GONE, [], {"cells": []}],
    "network.tuples.cells": [GONE, [], [[99]], [["a"]], 7, [[0, 1]] * 2000, [list(range(16))]],
    "network.tuples.radix": [1, "x", 32],
    "network.tuples.more": [1],
    "network.tuples.orders": [[[list(range(16))]], 7],
    "network.tuples.counts": [[[0] * 9], 7, [list(range(10_000))]],
    "network.stages": [
        *([], {}, {"thresholds": [7, 3], "by": "largest", "promotion": True}),
        {"thresholds": [8], "by": "largest", "promotion": True, "more": 1},
    ],
    "network.radix": [GONE, 2],
    "network.layout": [GONE, "digits", []],
    "learner": [GONE, []],
    "learner.gamma": [GONE, "x", 1e300, float("nan"), -1, None],
    "learner.target": ["x", 7],
    "learner.expectation": ["x", []],
    "learner.td_lambda": ["x"],
    "moves": [-1, "x"],
    "seconds": [-1, "x", float("inf"), float("nan")],
    "names": [[], {"game": 7}, {"game": "a\nb"}, {"\x1b": "a"}],
    "config": [[], 7],
}


@pytest.fixture(scope="module")
def trained(small_run):
    return small_run("episodes=20", "evaluate.episodes=0") / "checkpoint"


@pytest.mark.parametrize("key", WRONG)
def test_wrong_entries_are_refused_by_name(trained, tmp_path, key):
    for number, value in enumerate(WRONG[key]):
        folder = forged(shutil.copytree(trained, tmp_path / str(number)), {key: value})
        for read in (tdl.load, lambda path: tdl.load(path, copy=True), lambda path: tdl.average([path])):
            with pytest.raises(CheckpointError, match=r"/\d+/(meta\.json|weights-\d+\.npy): ") as caught:
                read(folder)
            line = str(caught.value)
            assert key.split(".")[min(1, key.count("."))] in line or key.split(".")[0] in line, line
            assert "\n" not in line
            assert len(line) < 600


def test_an_unchanged_checkpoint_signed_anew_is_read(trained, tmp_path):
    folder = forged(shutil.copytree(trained, tmp_path / "same"), {})
    assert tdl.load(folder).value(0) == tdl.load(trained).value(0)


def test_huge_arrays_are_refused_before_memory_is_asked_for(trained, tmp_path):
    """A head and a description that agree on 373 GiB, in a file of some kilobytes."""
    folder = shutil.copytree(trained, tmp_path / "huge")
    forged(folder, {"arrays.weights.shape": [10**11], "arrays.weights.bytes": 4 * 10**11 + 128})
    with pytest.raises(CheckpointError, match=r"holds \(100000000000,\) '<f4', this network"):
        tdl.load(folder, copy=True)


@pytest.mark.parametrize("name", ["moves", "seconds", "names", "config"])
def test_what_a_run_goes_on_with_may_be_missing_in_others(trained, tmp_path, name):
    folder = forged(shutil.copytree(trained, tmp_path / "less"), {name: GONE})
    with pytest.raises(CheckpointError, match=rf"meta\.json: {name}: missing"):
        check_resumable(folder, read_agent(folder))


@pytest.mark.parametrize(
    ("name", "plies", "telling"),
    [("ntuple", 13, "from 1 to 12"), ("dqn", 6, "from 1 to 5"), ("greedy", 2, "1 with agent.kind=greedy: it has no")],
)
def test_a_kind_looks_so_far_ahead_at_most(name, plies, telling):
    KINDS[name].check_plies(plies - 1)
    with pytest.raises(ConfigError, match=rf"^plies: {plies} is not allowed; expected .*{telling}"):
        KINDS[name].check_plies(plies, "plies")


def test_an_agent_plays_by_another_tile_rule(trained):
    rules = tdl.Rules(drop=((1, 0.5), (2, 0.5)))
    agent = load_agent(trained, rules)
    assert agent.rules == rules
    assert np.array_equal(agent.values(0x21), tdl.load(trained).values(0x21), equal_nan=True)


@pytest.mark.parametrize("kind", ["random", "greedy"])
def test_an_agent_without_values_plays_but_advises_nobody(trained, tmp_path, kind):
    folder = forged(shutil.copytree(trained, tmp_path / kind), {"network": {"kind": kind}})
    agent, play = load_agent(folder), {"random": play_random, "greedy": play_greedy}[kind]
    assert agent.evaluate(5, seed=3).tobytes() == play(episodes=5, seed=3).tobytes()
    with pytest.raises(ConfigError, match=f"of an agent of kind {kind}, which has no values of moves"):
        agent.action_values(SearchOptions())
    with pytest.raises(CheckpointError, match=rf"not of an n-tuple network but of an agent of kind {kind}$"):
        tdl.load(folder)
