"""A compact checkpoint: what is in it, that it plays as its rounded weights do, what is refused.

Trusts NumPy for the rounding, and `tests/players/test_half_precision.py` for games of rounded weights.
"""

from argparse import Namespace

import numpy as np
import pytest
from support.programs import inside, train

import tdl
from tdl.base import machine
from tdl.cli.export import main
from tdl.errors import CheckpointError, ConfigError
from tdl.formats import compact
from tdl.formats.compact import export
from tdl.network.ntuple import NTupleNetwork
from tdl.players.ensemble import average
from tdl.players.player import Baseline, Player
from tdl.storage.checkpoint import read_meta, write_checkpoint

NONE = Namespace(games=0, step=0.0)
STAGED = ("learner.stages=[32,64]", "learner.promotion_share=0.3", "learner=tc")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of plain TD, and one of several stages that keeps more than weights."""
    root = tmp_path_factory.mktemp("compact")
    return {"plain": train(root / "plain", "episodes=60"), "staged": train(root / "staged", "episodes=60", *STAGED)}


@pytest.fixture(scope="module")
def exported(runs, tmp_path_factory):
    """The same, compact, each with what its export said."""
    root = tmp_path_factory.mktemp("exported")
    return {name: (root / name, export(run, root / name, Namespace(games=7, step=0.0))) for name, run in runs.items()}


def rounded(player):
    """The player with its weights rounded, what promotion makes of them filled in table by table."""
    net = player.network
    weights = net.weights.copy()
    for stage in range(1, net.stages.count):
        part = weights[stage * net.stride :]
        before = np.float32(net.stages.share) * weights[(stage - 1) * net.stride :][: len(part)]
        part[:] = np.where(np.isnan(part), before, part)
    weights = weights.astype(np.float16).astype(np.float32)
    network = NTupleNetwork(net.rules, net.tuples, stages=net.stages, weights=weights)
    return Player(network, player.gamma, player.target)


@pytest.mark.parametrize("name", ["plain", "staged"])
def test_it_plays_as_its_rounded_weights_do(runs, exported, name):
    player, reference = tdl.load(exported[name][0]), rounded(tdl.load(runs[name]))
    weights = player.network.weights
    assert weights.dtype == np.float16
    assert weights.astype(np.float32).tobytes() == reference.network.weights.tobytes()
    for plies in (1, 2):
        assert player.evaluate(5, plies=plies).tobytes() == reference.evaluate(5, plies=plies).tobytes()
    assert repr(player).replace(" of 16 bits", "") == repr(tdl.load(runs[name]))
    assert tdl.load(exported[name][0], copy=True).network.weights.tobytes() == weights.tobytes()


def test_what_is_in_it(runs, exported):
    """Rules, network, learner and how far it learned, as in the run; of the arrays the weights alone."""
    for name, (folder, _) in exported.items():
        before, after = read_meta(runs[name] / "checkpoint"), read_meta(folder)
        assert [*after["arrays"]] == ["weights"]
        assert after == before | {name: after[name] for name in ("arrays", "digest")}
        assert sorted(path.suffix for path in folder.iterdir()) == [".json", ".planes"]


def test_what_the_rounding_costs_is_said(runs, exported):
    players = [tdl.load(runs["plain"]), tdl.load(exported["plain"][0])]
    before, after = (player.evaluate(7)["score"].mean() for player in players)
    sizes, cost = exported["plain"][1].splitlines()
    assert sizes.startswith(f"{exported['plain'][0]}: ")
    assert "in memory 144.0 KiB instead of 288.0 KiB" in sizes
    assert cost.startswith(f"rounding: mean of 7 games with one ply from {before:,.0f} to {after:,.0f}, a difference")
    assert f"of {after - before:,.0f} [" in cost


def test_the_command(runs, tmp_path):
    words = ("--format=compact", "--games=0", "--step=8")
    done = inside(str(runs["plain"]), str(tmp_path / "out"), *words, program=main)
    assert done.returncode is None, done.stderr
    assert len(done.stdout.splitlines()) == 1
    weights = [tdl.load(path).network.weights for path in (tmp_path / "out", runs["plain"])]
    assert not (weights[0] % 8).any()
    assert np.abs(weights[0] - weights[1]).max() <= 4
    assert not np.signbit(weights[0][weights[0] == 0]).any()


def test_a_run_begins_with_it(exported, tmp_path):
    """`init=` makes 32 bits of the weights."""
    run = train(tmp_path / "run", "episodes=1", "alpha=1e-30", f"init={exported['plain'][0]}")
    weights = tdl.load(run).network.weights
    assert weights.dtype == np.float32
    halves = tdl.load(exported["plain"][0]).network.weights
    np.testing.assert_allclose(weights, halves.astype(np.float32), rtol=0, atol=1e-20)


def test_a_mean_of_compact_ones(exported):
    folder = exported["plain"][0]
    mean = average([folder, folder]).network.weights
    assert mean.dtype == np.float32
    assert np.array_equal(mean, tdl.load(folder).network.weights)


@pytest.mark.parametrize(("weight", "shown"), [(65_505, "65505.0"), (-1e9, "-1000000000.0"), (np.nan, "nan"),
                                               (np.inf, "inf")])  # fmt: skip
def test_weights_that_have_no_half(tmp_path, weight, shown):
    network = tdl.NTupleNetwork(None, [[0, 1, 2]], initial_value=-65_504 * 8)
    assert (compact.rounded(network).weights == -65_504).all()
    network.weights[1234] = weight
    Player(network).save(tmp_path / "net")
    with pytest.raises(ConfigError, match=rf"weights\[1234\]: {shown} is not allowed; expected .* 65,504"):
        export(tmp_path / "net", tmp_path / "out", NONE)
    assert [path.name for path in tmp_path.iterdir()] == ["net"]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_those_of_a_file(exported, tmp_path, bad):
    meta, weights = read_meta(exported["plain"][0]), tdl.load(exported["plain"][0]).network.weights.copy()
    weights[7] = bad
    write_checkpoint(tmp_path / "net", {key: meta[key] for key in meta if key != "arrays"}, {"weights": weights})
    with pytest.raises(CheckpointError, match=rf"weights-\d+\.planes: weights\[7\]: {bad} is not allowed"):
        tdl.load(tmp_path / "net")


@pytest.mark.parametrize("step", [-1.0, 1e-8, 1e5, np.nan, np.inf])
def test_steps_that_no_half_has(tmp_path, step):
    with pytest.raises(ConfigError, match=r"--step: .* expected 0, or 6e-08 to 65,504"):
        export(tmp_path, tmp_path / "out", Namespace(games=0, step=step))


def test_what_was_saved_from_python_is_replaced_by_no_other_save(tmp_path):
    """What `save` replaces is what it wrote; a compact checkpoint of that is another."""
    trainer = tdl.Trainer(tdl.NTupleNetwork(tdl.Rules(rows=2, cols=2), [[0, 1]]))
    trainer.save(tmp_path / "saved")
    export(tmp_path / "saved", tmp_path / "out", NONE)
    with pytest.raises(ConfigError, match="out: holds another checkpoint, no trainer that was saved before"):
        trainer.save(tmp_path / "out")
    with pytest.raises(CheckpointError, match=r"out: no trainer was saved here; tdl.load plays it"):
        tdl.Trainer.load(tmp_path / "out")


def test_what_is_no_network_of_tuples_or_compact_already(exported, tmp_path):
    Baseline(tdl.Rules(), "greedy").save(tmp_path / "greedy")
    with pytest.raises(CheckpointError, match="not of an n-tuple network but of an agent of kind greedy"):
        export(tmp_path / "greedy", tmp_path / "out", NONE)
    with pytest.raises(ConfigError, match="its weights have 16 bits already"):
        export(exported["plain"][0], tmp_path / "out", NONE)
    with pytest.raises(ConfigError, match="--games: -1 is not allowed"):
        export(exported["plain"][0], tmp_path / "out", Namespace(games=-1, step=0.0))
    assert not (tmp_path / "out").exists()


def test_too_little_memory(runs, exported, tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "available_memory", lambda: 1000)
    with pytest.raises(ConfigError, match=r"16 bits need .* GiB of memory"):
        export(runs["plain"], tmp_path / "out", NONE)
    with pytest.raises(CheckpointError, match=r"\.planes: memory: its [\d,]+ numbers need .* GiB of memory"):
        tdl.load(exported["plain"][0])


def test_it_does_not_go_on(exported, tmp_path):
    done = inside(f"resume={exported['plain'][0]}")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1, done.stderr
