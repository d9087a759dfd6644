"""Runs that begin with the tables of another run."""

import shutil

import numpy as np
import pytest
from support.programs import checkpoint, files, go_on, learned, result, train

import tdl
from tdl.config.setup import Setup
from tdl.errors import CheckpointError, TdlError
from tdl.runs.agents import build_agent
from tdl.runs.training import solution_of

WIDE = "tuples.cells=[[0,1,5],[0,1,2,3],[4,5]]"


@pytest.fixture(scope="module")
def source(small_run):
    return small_run("episodes=200", "seed=3")


def test_the_games_without_training_are_those_of_the_other_run(tmp_path, source):
    """With more tuples, too: what these say of a board is 0."""
    before = files(source)
    wide = train(tmp_path / "wide", "episodes=0", "seed=3", f"init={source}", WIDE)
    assert np.array_equal(np.load(wide / "evaluation.npy"), np.load(source / "evaluation.npy"))
    assert files(source) == before


def test_it_learns_on_from_there(tmp_path, source):
    folder = train(tmp_path / "run", "episodes=20", f"init={source}", WIDE, "learner=tc")
    blank = train(tmp_path / "blank", "episodes=20", WIDE, "learner=tc")
    assert learned(folder) != learned(blank)
    network = tdl.load(folder).network
    assert network.table(0).any()
    assert not np.array_equal(network.table(1), tdl.load(source).network.table(0))
    assert np.abs(network.table(1)).sum() > 5 * np.abs(tdl.load(blank).network.table(1)).sum()


def test_temporal_coherence_goes_on_with_its_accumulators(tmp_path, small_run):
    source, fixed = (small_run("episodes=200", "seed=3", *words) for words in (("learner=tc",), ()))
    words = ("learner=tc", "episodes=10", WIDE)
    taken = train(tmp_path / "taken", *words, f"init={source}")
    anew = train(tmp_path / "anew", *words, f"init={source}", "init_accumulators=false")
    from_td = train(tmp_path / "td", *words, f"init={fixed}")
    before, *after = (checkpoint(run)[1]["sums"][:, 1].sum() for run in (source, taken, anew, from_td))
    assert before < after[0] < 1.5 * before  # A only grows
    assert 0 < after[1] < 0.5 * before > after[2] > 0


def test_a_resumed_run_needs_the_other_no_longer(tmp_path, source):
    origin = shutil.copytree(source, tmp_path / "origin")
    words = ("episodes=40", f"init={origin}", WIDE, "seed=1")
    whole = train(tmp_path / "whole", *words)
    part = train(tmp_path / "part", *words, "budget.moves=1")
    assert result(part)["episodes"] == 10
    shutil.rmtree(origin)
    assert learned(go_on(part, "budget.moves=null")) == learned(whole)


def test_replicas_begin_with_it_too(tmp_path, source):
    folder = train(tmp_path / "run", "episodes=10", "replicas=2", f"init={source}")
    weights = [checkpoint(run)[1]["weights"] for run in (folder, source)]
    assert 0.9 < np.abs(weights[0]).sum() / np.abs(weights[1]).sum() < 1.5


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"init": "320000"}, "^init: 320000: no checkpoint here"),
        ({"tuples": {"cells": [[0, 1, 5]]}}, r"init: its feature \[0, 1, 2, 3\] is none of this run's tuples"),
        ({"placer": {"kind": "adversary", "network": "320000"}}, "^placer.network: 320000: no checkpoint here"),
        ({"game": {"name": "2584"}}, "init: 'a network of 2048 4x4' is not allowed"),
        ({"learner": {"target": "state"}}, "init: 'a network of afterstates' is not allowed; expected one of"),
    ],
    ids=str,
)
def test_what_cannot_be_begun_with_is_refused(source, changes, line):
    config = result(source)["config"] | {"init": str(source)}
    changed = {key: config[key] | value if isinstance(value, dict) else value for key, value in changes.items()}
    with pytest.raises(TdlError, match=line):
        build_agent(Setup.of(config | changed), 0).begin()


def test_a_solution_that_is_not_there_is_named_with_its_key(source):
    config = result(source)["config"]
    setup = Setup.of(config | {"evaluate": config["evaluate"] | {"solution": "320000"}})
    with pytest.raises(CheckpointError, match=r"^evaluate\.solution: 320000: no solution here"):
        solution_of(setup)
