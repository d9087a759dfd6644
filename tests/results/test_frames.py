"""Runs and sweeps come back as tidy data frames, with the numbers that stand in their files.

Trusts the files of the runs, which test_training.py looks at.
"""

import json
import os
import shutil

import numpy as np
import pytest
from support.programs import SMALL, blocks_of, inside, result, train

import tdl.results
from tdl.errors import ConfigError, SkippedWarning, TdlError
from tdl.storage.race_file import RACE, WORSE, RaceRow, write_race

CONFIG = {"game", "tiles", "tuples", "learner", "tuples.cells", "learner.order", "alpha", "gamma", "lanes", "seed",
          "block", "episodes", "save.every", "evaluate.episodes", "budget.moves", "run", "status"}  # fmt: skip
RUN = CONFIG | {"error", "episodes", "moves", "seconds", "moves_per_second", "peak_memory_bytes", "config_hash",
                "eval_mean", "eval_low", "eval_high", "eval_median", "eval_max", "eval_reach_64"}  # fmt: skip
BLOCK = {"episode", "mean", "median", "max", "moves", "seconds", "moves_per_second", "mean_abs_error"}


@pytest.fixture(scope="module")
def mixture(tmp_path_factory):
    """Two runs of 30 and 20 episodes, one run without any, and a sweep of two seeds and a failure."""
    place = tmp_path_factory.mktemp("mixture")
    train(place / "custom", "episodes=30", "learner.alpha=0.3")
    inside("tuples=2x4", "tiles=p80_20", "alpha=0.2", "episodes=20", "block=10", "evaluate.episodes=2",
           f"hydra.run.dir={place / 'named'}")  # fmt: skip
    train(place / "untrained", "episodes=0", "evaluate.episodes=0")
    sweep = ("-m", *SMALL, "episodes=10", f"hydra.sweep.dir={place / 'sweep'}")
    assert inside(*sweep, "seed=3,4").returncode == 0
    assert inside(*sweep, "seed=5", "alpha=6").returncode == 1
    return place


def by_name(frame, place):
    """The rows of one run, by its folder's name."""
    return lambda name: frame[frame["run"] == str(place / name)]


def test_runs(mixture):
    frame = tdl.results.runs(mixture)
    assert set(frame.columns) >= RUN
    assert len(frame) == 6
    row = by_name(frame, mixture)
    custom, named, untrained = (row(name).iloc[0] for name in ("custom", "named", "untrained"))
    assert (custom["tuples"], custom["tiles"], custom["learner"]) == ("custom", "p90_10", "td")
    assert (named["tuples"], named["tiles"], named["learner"]) == ("2x4", "p80_20", "td")
    assert (custom["alpha"], named["alpha"]) == (0.3, 0.2)  # what was used, whichever key gave it
    assert json.loads(custom["tuples.cells"]) == [[0, 1, 2, 3], [4, 5]]
    assert (custom["episodes"], named["episodes"], untrained["episodes"]) == (30, 20, 0)
    told = result(mixture / "custom")
    assert custom["eval_mean"] == told["evaluation"]["mean"]
    assert [custom["eval_low"], custom["eval_high"]] == told["evaluation"]["mean_ci95"]
    assert custom["eval_reach_64"] == told["evaluation"]["reach"]["64"]["rate"]
    assert np.isnan(untrained["eval_mean"])
    swept = frame[frame["run"].str.contains("sweep")].set_index("seed")
    assert swept["status"].to_dict() == {3: "finished", 4: "finished", 5: "failed"}
    assert "learning diverged" in swept.loc[5, "error"]


def test_load(mixture):
    frame = tdl.results.load(mixture)
    assert set(frame.columns) >= CONFIG | BLOCK | {"reach_2", "reach_32768"}
    assert not [name for name in frame.columns if name.startswith("eval_")]
    assert frame.groupby("run").size().tolist() == [3, 2, 1, 1]
    custom = by_name(frame, mixture)("custom")
    assert custom["episode"].tolist() == [10, 20, 30]
    blocks = blocks_of(mixture / "custom")
    for name in blocks.columns:
        assert custom[name].tolist() == blocks[name].tolist()
    assert set(frame["tuples"]) == {"custom", "2x4"}
    assert tdl.results.load(mixture / "untrained").empty


def test_episodes(mixture):
    frame = tdl.results.episodes(mixture)
    assert list(frame.columns) == ["run", "seed", "episode", "score", "moves", "max_tile"]
    row = by_name(frame, mixture)
    records = np.load(mixture / "custom" / "episodes.npy")
    for name in records.dtype.names:
        assert row("custom")[name].tolist() == records[name].tolist()
    assert frame.groupby("seed").size().to_dict() == {0: 50, 3: 10, 4: 10}


def test_folders(mixture, tmp_path):
    """One folder or several, as text or path; one that is named twice counts once."""
    custom = tdl.results.load(mixture / "custom")
    assert tdl.results.load(str(mixture / "custom")).equals(custom)
    assert tdl.results.load([mixture / "custom", mixture / "custom"]).equals(custom)
    both = tdl.results.load([mixture / "named", mixture / "custom"])
    assert both["run"].drop_duplicates().tolist() == [str(mixture / "named"), str(mixture / "custom")]
    with pytest.raises(TdlError, match="no run in it"):
        tdl.results.runs(tmp_path)
    with pytest.raises(TdlError, match="missing: no run in it"):
        tdl.results.load([mixture / "custom", mixture / "missing"])


def _pipe(name):
    def damage(folder):
        (folder / name).unlink()
        os.mkfifo(folder / name)

    return damage


def _write(name, content):
    return lambda folder: (folder / name).write_bytes(content)


@pytest.mark.parametrize("read", [tdl.results.runs, tdl.results.load, tdl.results.bands, tdl.results.result_files])
@pytest.mark.parametrize("folders", [3, None, [3], b"x"], ids=repr)
def test_what_is_no_folder_is_refused(read, folders):
    with pytest.raises(ConfigError, match=r"folder: .* is not allowed; expected the name of a folder, or several"):
        read(folders)


def test_a_folder_by_its_name(mixture):
    files = tdl.results.result_files(str(mixture))
    assert files == tdl.results.result_files(mixture)
    assert tdl.results.read(str(files[0])) == tdl.results.read(files[0])


@pytest.mark.parametrize(
    ("read", "damage", "telling"),
    [
        (tdl.results.runs, _write("result.json", b"{"), "result.json: cut or corrupt"),
        (tdl.results.runs, _pipe("result.json"), "result.json: not a regular file"),
        (tdl.results.load, _pipe("blocks.csv"), "blocks.csv: not a regular file"),
        (tdl.results.load, _write("blocks.csv", b"episode,mean,max\n1,2,x\n"), "blocks.csv: cut or corrupt: "),
        (tdl.results.episodes, _write("episodes.npy", b"x"), "episodes.npy: cut or corrupt: not the head"),
    ],
)
def test_what_cannot_be_read_is_left_out_and_named(mixture, tmp_path, read, damage, telling):
    for name in ("good", "bad"):
        shutil.copytree(mixture / "custom", tmp_path / name)
    damage(tmp_path / "bad")
    with pytest.warns(SkippedWarning) as told:
        frame = read(tmp_path)
    (line,) = [str(warning.message) for warning in told]
    assert telling in line
    assert line.startswith(f"left out: {tmp_path / 'bad'}/")
    assert frame["run"].unique().tolist() == [str(tmp_path / "good")]
    if read is tdl.results.runs:
        shutil.rmtree(tmp_path / "good")
        with pytest.raises((TdlError, OSError), match=telling.partition(": ")[2]), pytest.warns(SkippedWarning):
            read(tmp_path)


def test_unfinished_runs_are_shown_too(mixture, tmp_path):
    """A run that was killed has its blocks, no evaluation, and a state that says so."""
    folder = shutil.copytree(mixture / "custom", tmp_path / "run")
    told = result(folder)
    del told["evaluation"]
    (folder / "result.json").write_text(json.dumps(told | {"status": "running"}))
    assert tdl.results.runs(folder)["status"].tolist() == ["running"]
    assert len(tdl.results.load(folder)) == 3


def test_runs_of_settings_that_a_race_stopped(mixture, tmp_path):
    """Of all seeds of a setting, unless more were played after the race: then nothing depends on it."""
    sweep = shutil.copytree(mixture / "sweep", tmp_path / "sweep")
    (job,) = (path.parent.name for path in sweep.glob("*/result.json") if result(path.parent)["seed"] == 3)
    assert "stopped" not in tdl.results.runs(sweep)
    looks = [RaceRow(1, seeds, 1.0, "alpha=0.1", job, 100.0, 0.2, 0.1, WORSE) for seeds in (1, 2)]
    write_race(sweep, looks)
    table = tdl.results.runs([sweep, mixture / "custom"])
    stopped = table.set_index("seed")["stopped"].dropna().to_dict()
    assert stopped == dict.fromkeys((3, 4), "after 2 seeds: 20% behind, 10% were enough")
    write_race(sweep, looks[:1])
    assert "stopped" not in tdl.results.runs(sweep)
    (sweep / RACE).write_text("look\n1\n")
    with pytest.warns(SkippedWarning, match="not the looks of a race"):
        assert len(tdl.results.runs(sweep)) == 3
