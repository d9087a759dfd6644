"""`tdl games`: the games of `tdl evaluate`, move by move; what is refused, and that nothing is left half written.

Trusts `evaluate` and `action_values` of agents, and `RowSpool` (tests/storage).
"""

import errno
import json
import os
import signal

import numpy as np
import pytest
from support.programs import files, inside

import tdl
import tdl.cli.games as program
from tdl.game.boards import pack
from tdl.players.player import Baseline
from tdl.search.options import SearchOptions
from tdl.storage import row_spool

STATES = ("size=2x4", "learner.target=state")
RUNS = {
    "afterstates": (),
    "states": STATES,
    "states, direct": (*STATES, "learner.expectation=direct"),
    "80 bits": ("game='2584'", "tiles=p75_25"),
}


def games(*words):
    return inside(*map(str, words), program=program.main)


@pytest.fixture
def run(small_run):
    return small_run("episodes=60")


@pytest.mark.parametrize(("name", "plies"), [*((name, 1) for name in RUNS), ("afterstates", 2)])
def test_games_are_those_of_an_evaluation_with_the_values_that_chose(small_run, tmp_path, monkeypatch, name, plies):
    monkeypatch.setattr(row_spool, "BLOCK", 300)
    run, out, number = small_run("episodes=60", *RUNS[name]), tmp_path / "my games.npz", 150 // plies**5
    done = games(run, out, f"games={number}", "seed=4", f"plies={plies}")
    assert done.returncode == 0, done.stderr
    player = tdl.load(run)
    records = player.evaluate(number, seed=4, plies=plies)
    with np.load(out, allow_pickle=False) as arrays:
        read = {name: arrays[name] for name in arrays}
    offsets, moves = read["offsets"], int(records["moves"].sum())
    assert done.stdout.startswith(f"{out}: {moves:,} moves of {number:,} games, mean score")
    assert read["scores"].tolist() == records["score"].tolist()
    assert np.diff(offsets, prepend=0).tolist() == [0, *records["moves"]]
    assert np.add.reduceat(read["rewards"], offsets[:-1]).tolist() == records["score"].tolist()
    assert tdl.Rules.from_dict(json.loads(str(read["rules"]))) == player.rules
    source = json.loads(str(read["source"]))
    assert (source["seed"], source["plies"], source["checkpoints"][0]["episode"]) == (4, plies, 60)
    values_of = player.action_values(SearchOptions(plies))
    for row in range(0, moves, 1 + moves // 50):
        board = pack(read["boards"][row].ravel().tolist(), player.rules)
        values, action = read["values"][row], read["actions"][row]
        assert np.array_equal(values, values_of(board).astype(np.float32), equal_nan=True)
        assert action == np.nanargmax(values)
        after, reward = player.engine.move(board, action)
        assert reward == read["rewards"][row]
        if row + 1 not in offsets:
            following = pack(read["boards"][row + 1].ravel().tolist(), player.rules)
            assert following in dict(player.engine.drops(after))


def test_of_several_checkpoints_the_mean_plays_and_without_one_the_network_in_the_package(run, tmp_path):
    words = (f"checkpoint=[{run},{run}]", tmp_path / "mean.npz"), (tmp_path / "small.npz",)
    players = tdl.average([run, run]), tdl.load("tdl:small")
    for (*checkpoint, out), player in zip(words, players, strict=True):
        assert games(*checkpoint, out, "games=1").returncode == 0
        assert np.load(out)["scores"] == player.evaluate(1)["score"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "out: missing; name the file to make, as games.npz"),
        (("games.npy",), "{run} games.npy: one folder is taken, and one file to make, as games.npz"),
        (("out=games.npy",), "out: 'games.npy' is not allowed; expected the file to make, as games.npz"),
        (("a.npz", "b.npz"), "out=a.npz out=b.npz: out is given twice"),
        (("there.npz",), "there.npz: exists already, and is not overwritten; name another"),
        (("no/a.npz",), "no/a.npz: there is no folder no"),
        (("a.npz", "games=0"), "games: 0 is not allowed; expected a whole number from 1"),
        (("a.npz", "plies=13"), "plies: 13 is not allowed"),
        (("a.npz", "missing"), "missing: no checkpoint here"),
        (("a.npz", "-m", "seed=1,2"), "-m: one file is made at a time"),
    ],
)
def test_what_is_refused(run, tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.npz").write_text("")
    done = games(*([] if "missing" in words else [run]), "games=2", *words)
    assert done.returncode == 2
    assert done.stderr.startswith(f"tdl: {message.format(run=run)}"), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["there.npz"]


def test_agents_without_values_and_searches_that_round_otherwise_are_refused(small_run, tmp_path):
    Baseline(tdl.Rules(), "random").save(tmp_path / "random")
    before = files(tmp_path)
    for agent, plies, message in (
        (tmp_path / "random", 1, "checkpoint: of an agent of kind random, which has no values of moves"),
        (small_run("episodes=60", *RUNS["states"]), 2, "plies: 2 is not allowed; expected 1 for a network of states"),
    ):
        done = games(agent, tmp_path / "a.npz", f"plies={plies}")
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
    assert files(tmp_path) == before


def test_a_full_disk_and_a_signal_leave_nothing(run, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for where, does, code, message in (
        ("storage.row_spool.RowSpool.pack", full, 2, f"{tmp_path}/a.npz: No space left on device"),
        ("runs.progress.Progress.update", lambda *_: os.kill(os.getpid(), signal.SIGINT), 130, "stopped before all"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"tdl.{where}", does)
            done = games(run, tmp_path / "a.npz")
        assert (done.returncode, done.stdout) == (code, "")
        assert message in done.stderr
        assert not files(tmp_path)
