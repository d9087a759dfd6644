"""What a run leaves behind is a contract: other programs read these files.

Trusts the list of files and columns that stands here, and NumPy, csv and json as the readers other programs use.
"""

import csv
import json
import re
import subprocess
import sys
from importlib import resources

import numpy as np
import pytest
from omegaconf import OmegaConf
from support.programs import (
    SMALL,
    blocks_of,
    checkpoint,
    go_on,
    inside,
    learned,
    once,
    only_run,
    outcome,
    program,
    result,
    train,
)

import tdl
from tdl.base import machine
from tdl.cli.run import main
from tdl.config.schema import RUN
from tdl.config.setup import Setup
from tdl.network.ntuple import NTupleNetwork
from tdl.statistics.summary import block_row, evaluation_block, statistics_block, summary

RECORD = [("episode", "<i8"), ("score", "<i8"), ("moves", "<i4"), ("max_tile", "<i4")]

BLOCK = ["episode", "mean", "median", "max", "moves", "seconds", "moves_per_second", "mean_abs_error"]

TILES = [2**index for index in range(1, 16)]

RESULT = {
    "status", "config_hash", "names", "seed", "alpha", "config", "commit", "dirty", "versions", "cpu", "instructions",
    "episodes", "moves", "seconds", "moves_per_second", "peak_memory_bytes", "evaluation", "weights",
}  # fmt: skip

CONF = resources.files("tdl.conf")

NAMES = {group: sorted(path.name.removesuffix(".yaml") for path in (CONF / group).iterdir()) for group in
         ("agent", "experiment", "game", "learner", "placer", "tiles", "tuples")}  # fmt: skip

WORDS = ("episodes=55", "evaluate.episodes=7", "save.every=20", "save.keep=2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of five blocks and a half, as a program of its own that names its folder itself."""
    cwd = tmp_path_factory.mktemp("cwd")
    done = program(cwd, *SMALL, *WORDS)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    folder = only_run(cwd)
    shown = folder.relative_to(cwd)
    printed = re.sub(r"\S+ -m tdl ", "python -m tdl ", done.stdout)  # the path, where the shell finds another Python
    assert printed == evaluation_block(result(folder)["evaluation"]) + (
        f"results in {shown}: curve.png, blocks.csv, result.json, checkpoint\n"
        f"next: python -m tdl serve {shown}\n"
        f"      python -m tdl evaluate {shown} evaluate.plies=2\n"
    )
    return folder


def test_files(folder):
    names = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert names == {
        ".hydra/config.yaml", ".hydra/hydra.yaml", ".hydra/overrides.yaml", "episodes.npy", "blocks.csv",
        "evaluation.npy", "result.json", "train.log", "curve.png", "checkpoint/meta.json",
        "checkpoint/weights-0000000055.npy", "kept/0000000040/meta.json", "kept/0000000040/weights-0000000040.npy",
    }  # fmt: skip


def test_folder_is_named_by_time_configuration_and_process(folder):
    """So two that start at once never meet."""
    assert folder.parent.name == "outputs"
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\d_\d\d-\d\d-\d\d_{result(folder)['config_hash']}_\d+", folder.name)


@pytest.mark.parametrize(("name", "rows"), [("episodes.npy", 55), ("evaluation.npy", 7)])
def test_records(folder, name, rows):
    records = np.load(folder / name, allow_pickle=False)
    assert records.dtype == np.dtype(RECORD)
    assert records["episode"].tolist() == list(range(rows))
    assert set(records["max_tile"].tolist()) <= set(TILES)
    assert (records["moves"] > 0).all()
    assert (records["score"] >= records["max_tile"]).all()


def test_blocks_and_log(folder):
    with (folder / "blocks.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == BLOCK + [f"reach_{tile}" for tile in TILES]
    assert [row[0] for row in rows] == ["10", "20", "30", "40", "50", "55"]
    records, log = np.load(folder / "episodes.npy"), ""
    for first, row in zip(range(0, 60, 10), rows, strict=True):
        games, figures = records[first : first + 10], dict(zip(header, map(float, row), strict=True))
        measured = (figures["seconds"], figures["mean_abs_error"])
        expected = block_row(games, tdl.Rules(), int(games["moves"].sum()), *measured)
        assert figures["moves_per_second"] == pytest.approx(
            expected.pop("moves_per_second"), rel=0.02
        )  # of few digits
        assert {name: figures[name] for name in expected} == pytest.approx(expected, rel=1e-3)
        assert min(measured) > 0
        log += statistics_block(games, int(figures["episode"]), figures["moves_per_second"])
    assert (folder / "train.log").read_text() == log


def test_result(folder):
    content = result(folder)
    assert set(content) == RESULT
    assert (content["status"], content["seed"], content["alpha"], content["episodes"]) == ("finished", 0, 0.1, 55)
    assert content["weights"] == "kept"
    assert content["names"] == {"game": "2048", "tiles": "p90_10", "tuples": "custom", "learner": "td",
                                "placer": "random", "agent": "ntuple"}  # fmt: skip
    assert content["moves"] == np.load(folder / "episodes.npy")["moves"].sum()
    assert content["seconds"] > 0
    assert content["moves_per_second"] == pytest.approx(content["moves"] / content["seconds"], rel=1e-3)
    assert 1e7 < content["peak_memory_bytes"] < 1e12
    assert {"tdl", "python", "numpy", "hydra-core", "omegaconf"} <= set(content["versions"])
    assert content["instructions"] in NTupleNetwork.instruction_sets()
    assert content["cpu"]
    games, evaluation = np.load(folder / "evaluation.npy"), content["evaluation"]
    assert summary(games, tdl.Rules()).items() <= evaluation.items()
    assert set(evaluation) - set(summary(games, tdl.Rules())) == {"seconds", "moves_per_second", "checkpoints"}


def test_result_holds_the_configuration(folder):
    config = result(folder)["config"]
    assert Setup.of(config).config | {"tuples": config["tuples"], "tiles": config["tiles"]} == config
    assert config["tuples"]["cells"] == [[0, 1, 2, 3], [4, 5]]
    hydra = OmegaConf.to_container(OmegaConf.load(folder / ".hydra" / "config.yaml"), resolve=True)
    assert json.loads(json.dumps(hydra)) == config
    assert list(OmegaConf.load(folder / ".hydra" / "overrides.yaml")) == once([*SMALL, *WORDS])


def test_checkpoint(folder):
    meta, arrays = checkpoint(folder)
    assert {"format", "episode", "moves", "rules", "network", "learner", "names", "config", "arrays"} <= set(meta)
    assert meta["episode"] == 55
    assert meta["rules"]["game"] == "2048"
    assert meta["network"]["tuples"]["cells"] == [[0, 1, 2, 3], [4, 5]]
    assert list(arrays) == ["weights"]
    assert arrays["weights"].dtype == np.float32


def test_same_seed_same_bytes_other_seed_other_bytes(folder, tmp_path):
    """In this process as in the other one."""
    assert outcome(train(tmp_path / "same", *WORDS)) == outcome(folder)
    other = outcome(train(tmp_path / "other", *WORDS, "seed=1"))
    assert not [name for name in ("weights", "episodes.npy", "evaluation.npy") if other[name] == outcome(folder)[name]]


WATCHED = """
import sys
from tdl.cli.run import main
try:
    main()
except SystemExit as exit_:
    print("exit code", exit_.code)
print("imported", sorted({"pandas", "seaborn", "matplotlib", "scipy"} & set(sys.modules)))
"""


def test_without_training_no_checkpoint_no_curve(tmp_path):
    command = [sys.executable, "-c", WATCHED, *once([*SMALL, "episodes=0", "evaluate.episodes=3"])]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["exit code 0", "imported []"]
    folder = only_run(tmp_path)
    names = {path.name for path in folder.iterdir() if path.is_file() and path.stat().st_size}
    assert names == {"result.json", "evaluation.npy", "episodes.npy"}
    assert len(np.load(folder / "episodes.npy")) == 0
    assert set(result(folder)) == RESULT
    assert (result(folder)["status"], result(folder)["moves_per_second"]) == ("finished", None)


def test_features_beyond_tuples_are_configured(tmp_path):
    """Given on the command line or left out, they reach the network, the checkpoint and a player of it."""
    orders, counts = "tuples.orders=[[[0,1,2],[4,5,6]]]", "tuples.counts=[[0],[1,2]]"
    folder = train(tmp_path / "run", orders, counts, "tuples.count_cap=3", "episodes=10")
    network = tdl.load(folder).network
    assert network.extras
    assert (network.tuples.orders, network.tuples.counts) == ((((0, 1, 2), (4, 5, 6)),), ((0,), (1, 2)))
    assert (network.tuples.count_cap, network.m) == (3, 3 * 8 + 2)
    assert all(network.table(table).any() for table in range(5))
    assert result(folder)["names"]["tuples"] == "custom"


def test_help_names_every_key_and_every_choice():
    text = inside("--help").stdout
    assert {name.partition(".")[0] for name in RUN.keys} <= set(re.findall(r"^(\w+):", text, re.MULTILINE))
    for group, names in NAMES.items():
        choices = re.search(rf"^{group}: \w+ +# (.*(?:\n +# .*)*)", text, re.MULTILINE)
        assert re.sub(r"\n +#", "", choices[1]).split(", ") == list(names)


def test_cfg_job_prints_the_configuration():
    setup = Setup.of(OmegaConf.create(inside("--cfg", "job", "alpha=0.25", "tuples=2x4").stdout))
    cells = ((0, 1, 2, 3), (4, 5, 6, 7))
    assert (setup.alpha, setup.network.tuples.cells, setup.episodes) == (0.25, cells, 100_000)


@pytest.mark.parametrize(
    "words", [("game=2584", "size=2x3", "tiles=p75_25", "learner=tc"), ("game=threes_law", "tiles=p50_50"),
              ("size=4x5", "placer=adversary", "learner.target=state")], ids=" ".join
)  # fmt: skip
def test_every_game_and_board_runs_alike_with_packed_boards_and_arrays(tmp_path, words):
    """Trained and evaluated like 2048."""
    folder, array = (train(tmp_path / kind, *WORDS, *words, f"engine={kind}") for kind in ("bits", "array"))
    assert outcome(folder) == outcome(array)
    rules = tdl.Rules.from_dict(checkpoint(folder)[0]["rules"])
    with (folder / "blocks.csv").open(newline="") as file:
        assert next(csv.reader(file)) == BLOCK + [f"reach_{tile}" for tile in rules.tiles]
    for name in ("episodes.npy", "evaluation.npy"):
        assert set(np.load(folder / name)["max_tile"].tolist()) <= set(rules.tiles)
    assert tdl.load(folder).network.rules == rules


def test_blocks_of_a_long_round_are_told_one_by_one(small_run):
    folder = small_run("episodes=60", "replicas=2", "round=30", "threads=2")
    blocks = blocks_of(folder)
    episodes = np.load(folder / "episodes.npy")
    assert blocks["episode"].tolist() == [10, 20, 30, 40, 50, 60]
    assert blocks["moves"].tolist() == [int(episodes["moves"][low : low + 10].sum()) for low in range(0, 60, 10)]
    assert blocks["moves_per_second"].nunique() <= 4  # of two rounds, and rounded
    assert blocks["seconds"].sum() == pytest.approx(result(folder)["seconds"], abs=1e-4)


def test_a_step_size_goes_by_the_share_of_the_episodes(tmp_path, small_run):
    """Of a run that is made longer by its new length; what was played before stays as it was."""
    by_share = train(tmp_path / "run", "episodes=50", "learner.schedule=[0%:0.5,70%:0.1]")
    assert learned(by_share) == learned(small_run("episodes=50", "learner.schedule=[0:0.5,40:0.1]"))
    by_episodes = small_run("episodes=80", "learner.schedule=[0:0.5,40:0.1,50:0.5,60:0.1]")
    assert learned(go_on(by_share, "episodes=80")) == learned(by_episodes)


@pytest.mark.parametrize("also", [(), ("replicas=2", "round=10")], ids=["one", "replicas"])
def test_a_step_size_goes_by_the_share_of_the_budget(tmp_path, also):
    """As by episodes where the step falls in the first block that begins when so many moves are played."""
    words = ("episodes=1000", "budget.moves=6000", *also)
    by_share = train(tmp_path / "share", *words, "learner.schedule=[0%:0.5,40%:0.05]")
    assert 20 < result(by_share)["episodes"] < 500
    blocks = blocks_of(by_share)
    first = blocks["episode"][blocks["moves"].cumsum() >= 2400].iloc[0]
    by_episodes = train(tmp_path / "episodes", *words, f"learner.schedule=[0:0.5,{first}:0.05]")
    assert learned(by_share) == learned(by_episodes)


@pytest.mark.parametrize(
    ("order", "saved"),
    [
        ("forward", True),  # grows from game to game: the first blocks are within bounds
        ("backward", False),  # grows within the first game, to nan: no checkpoint can be good
    ],
)
def test_divergence(tmp_path, order, saved):
    folder = tmp_path / "run"
    words = ["tuples=2x4", "alpha=5", f"learner.order={order}", "lanes=1", "block=1", "save.every=1"]
    done = inside(*words, f"hydra.run.dir={folder}")
    assert (done.returncode, done.stdout) == (1, "")
    line = done.stderr.splitlines()[-1]
    assert line.startswith("tdl: learning diverged")
    assert "smaller alpha" in line
    assert (result(folder)["status"], result(folder)["error"]) == ("failed", line.removeprefix("tdl: "))
    assert "weights" not in result(folder)
    assert saved == (folder / "checkpoint" / "meta.json").exists()
    if saved:
        weights = tdl.load(folder).network.weights
        assert np.isfinite(weights).all()
        assert 0 < np.abs(weights).max() < 1e9


def test_a_curve_that_finds_no_memory_costs_no_result(tmp_path, monkeypatch):
    """Nor does any other error of what draws it; `resume` draws it later."""
    folder, words = tmp_path / "run", (*SMALL, "episodes=20")
    monkeypatch.setattr(machine, "PICTURES", 1 << 60)
    done = inside(*words, f"hydra.run.dir={folder}", program=main)
    assert done.returncode == 0
    line = f"tdl: {folder}/curve.png: not drawn: memory: pictures need"
    assert line in done.stderr
    assert f"; resume={folder} draws it" in done.stderr
    assert (result(folder)["status"], (folder / "curve.png").exists()) == ("finished", False)
    monkeypatch.undo()
    assert inside(f"resume={folder}", program=main).returncode == 0
    assert (folder / "curve.png").exists()
