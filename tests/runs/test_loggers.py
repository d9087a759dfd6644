"""What a run tells others of its blocks: `on_block` and the loggers, which are extras."""

import pytest
from support.programs import SMALL, blocks_of, go_on, inside, outcome, result, train

from tdl.config.compose import key_hash
from tdl.config.setup import Setup
from tdl.runs import loggers

WORDS = ("episodes=30", "seed=7")


@pytest.mark.parametrize("words", [("logger=tensorboard", "out=run"), ("logger=wandb", "-m", "seed=0,1", "out=run")])
def test_a_logger_without_its_extra_is_refused_before_the_run(tmp_path, monkeypatch, words):
    monkeypatch.setattr(loggers, "find_spec", lambda module: None)
    monkeypatch.chdir(tmp_path)
    done = inside(*SMALL, *words)
    name = words[0].removeprefix("logger=")
    line = f"logger: {name} needs {loggers.MODULES[name]}, which is not installed: pip install 'tdl-ntuple[{name}]'"
    assert (done.returncode, line in done.stderr) == (2, True)
    assert not (tmp_path / "run").exists()


def test_a_logger_changes_nothing_of_a_run(small_run):
    """Nor the hash by which a sweep finds it again; configurations from before there were any are whole."""
    config = result(small_run(*WORDS))["config"]
    assert config.pop("logger") == "none"
    assert key_hash(config) == key_hash(config | {"logger": "wandb"})
    assert Setup.of(config).logger == "none"


def test_figures_of_an_evaluation_are_numbers():
    evaluation = {"episodes": 5, "mean": 7.5, "mean_ci95": [7, 8], "reach": {"64": {"rate": 0.4, "ci95": [0, 1]}},
                  "exact": {"gap": 0.5}}  # fmt: skip
    assert loggers.evaluation_scalars(evaluation) == {
        "evaluation/episodes": 5, "evaluation/mean": 7.5, "evaluation/gap": 0.5, "evaluation/reach_64": 0.4
    }  # fmt: skip
    assert loggers.evaluation_scalars({}) == {}


@pytest.mark.extra
def test_tensorboard_shows_each_block_once(tmp_path, small_run):
    """Also where a run goes on from a checkpoint that is older than what was logged."""
    pytest.importorskip("tensorboardX", reason="the extra tensorboard is not installed")
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    folder = train(tmp_path / "run", "episodes=20", "seed=7", "logger=tensorboard")
    go_on(folder, "episodes=30")
    assert outcome(folder) == outcome(small_run(*WORDS))
    events = accumulator.EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    blocks = blocks_of(folder)
    for name in ("mean", "max", "mean_abs_error"):
        logged = [(event.step, pytest.approx(event.value, rel=1e-6)) for event in events.Scalars(f"train/{name}")]
        assert list(blocks[["episode", name]].itertuples(index=False, name=None)) == logged
    (*_, last) = events.Scalars("evaluation/mean")
    assert (last.step, last.value) == (30, pytest.approx(result(folder)["evaluation"]["mean"]))


@pytest.mark.extra
def test_weights_and_biases_gets_each_block(tmp_path, small_run, monkeypatch):
    """Without a network; a run that goes on is the same run there."""
    pytest.importorskip("wandb", reason="the extra wandb is not installed")
    monkeypatch.setenv("WANDB_MODE", "offline")
    folder = train(tmp_path / "run", "episodes=20", "seed=7", "logger=wandb")
    go_on(folder, "episodes=30")
    assert outcome(folder) == outcome(small_run(*WORDS))
    runs = sorted((folder / "wandb").glob("offline-run-*"))
    assert len(runs) == 2
    assert len({run.name.rpartition("-")[2] for run in runs}) == 1
    logged = [b"".join(path.read_bytes() for path in run.glob("*.wandb")) for run in runs]
    blocks = blocks_of(folder)
    assert [all(str(mean).encode() in text for mean in part["mean"]) for text, part in
            zip(logged, (blocks[:2], blocks[2:]), strict=True)] == [True, True]  # fmt: skip
    assert all(name in text for text in logged for name in (b"train/mean_abs_error", b"evaluation/mean"))
