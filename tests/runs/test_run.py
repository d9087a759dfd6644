"""What a run leaves behind is a contract: other programs read these files.

Trusts the list of files and columns that stands here, and NumPy, csv and json as the readers other programs use.
"""

import csv
import json
import re
import struct
import subprocess
import sys
from importlib import resources

import numpy as np
import pytest
from omegaconf import OmegaConf
from support.programs import (
    SMALL,
    checkpoint,
    ended,
    go_on,
    inside,
    learned,
    only_run,
    outcome,
    program,
    result,
    running,
    train,
)

import tdl
from tdl.cli.run import main
from tdl.config.schema import RUN
from tdl.config.setup import Setup
from tdl.network.ntuple import NTupleNetwork
from tdl.statistics.summary import evaluation_block

RECORD = [("episode", "<i8"), ("score", "<i8"), ("moves", "<i4"), ("max_tile", "<i4")]

BLOCK = ["episode", "mean", "median", "max", "moves", "seconds", "moves_per_second", "mean_abs_error"]

TILES = [2**index for index in range(1, 16)]

RESULT = {
    "status", "config_hash", "names", "seed", "alpha", "config", "commit", "dirty", "versions", "cpu", "instructions",
    "episodes", "moves", "seconds", "moves_per_second", "peak_memory_bytes", "evaluation", "weights",
}  # fmt: skip

WITHOUT_EVALUATION = RESULT - {"evaluation"}

CONF = resources.files("tdl.conf")

NAMES = {group: sorted(path.name.removesuffix(".yaml") for path in (CONF / group).iterdir()) for group in
         ("agent", "experiment", "game", "learner", "placer", "tiles", "tuples")}  # fmt: skip

WORDS = ("episodes=55", "evaluate.episodes=7", "save.every=20", "save.keep=2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of five blocks and a half, as a program of its own that names its folder itself."""
    cwd = tmp_path_factory.mktemp("cwd")
    done = program(cwd, *SMALL, *WORDS)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    shown = only_run(cwd).relative_to(cwd)
    told = re.sub(r"\S+ -m tdl ", "python -m tdl ", done.stdout)  # the path, where the shell finds another Python
    assert told == evaluation_block(result(only_run(cwd))["evaluation"]) + (
        f"results in {shown}: curve.png, blocks.csv, result.json, checkpoint\n"
        f"next: python -m tdl evaluate {shown} evaluate.plies=2\n"
        f"      python -m tdl serve {shown}\n"
    )
    return only_run(cwd)


def test_files(folder):
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {
        ".hydra/config.yaml", ".hydra/hydra.yaml", ".hydra/overrides.yaml", "episodes.npy", "blocks.csv",
        "evaluation.npy", "result.json", "train.log", "curve.png", "checkpoint/meta.json",
        "checkpoint/weights-0000000055.npy", "kept/0000000040/meta.json", "kept/0000000040/weights-0000000040.npy",
    }  # fmt: skip


def test_folder_is_named_by_time_configuration_and_process(folder):
    assert folder.parent.name == "outputs"
    named = re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_([0-9a-f]{8})_\d+", folder.name)
    assert named
    assert named[1] == result(folder)["config_hash"]


@pytest.mark.parametrize(("name", "rows"), [("episodes.npy", 55), ("evaluation.npy", 7)])
def test_records(folder, name, rows):
    records = np.load(folder / name, allow_pickle=False)
    assert records.dtype == np.dtype(RECORD)
    assert records["episode"].tolist() == list(range(rows))
    assert set(records["max_tile"].tolist()) <= set(TILES)
    assert (records["moves"] > 0).all()
    assert (records["score"] >= records["max_tile"]).all()


def test_records_can_be_mapped(folder):
    """A file of a hundred million episodes is not read into memory."""
    mapped = np.load(folder / "episodes.npy", mmap_mode="r")
    assert isinstance(mapped, np.memmap)
    assert mapped.tobytes() == np.load(folder / "episodes.npy").tobytes()


def test_blocks(folder):
    with (folder / "blocks.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert header == BLOCK + [f"reach_{tile}" for tile in TILES]
    assert [row[0] for row in rows] == ["10", "20", "30", "40", "50", "55"]
    records = np.load(folder / "episodes.npy")
    for first, row in zip(range(0, 60, 10), rows, strict=True):
        games, told = records[first : first + 10], dict(zip(header, map(float, row), strict=True))
        assert told["mean"] == games["score"].mean()
        assert told["median"] == np.median(games["score"])
        assert told["max"] == games["score"].max()
        assert told["moves"] == games["moves"].sum()
        assert told["seconds"] > 0
        assert told["moves_per_second"] > 0
        assert told["mean_abs_error"] > 0
        assert [told[f"reach_{tile}"] for tile in TILES] == [(games["max_tile"] >= tile).mean() for tile in TILES]


def test_log(folder):
    text = (folder / "train.log").read_text()
    heads = re.findall(r"^(\d+)\tmean = ([\d.]+)\tmax = (\d+)\tops = \d+$", text, re.MULTILINE)
    assert [head[0] for head in heads] == ["10", "20", "30", "40", "50", "55"]
    records = np.load(folder / "episodes.npy")
    assert [int(head[2]) for head in heads] == [records["score"][i : i + 10].max() for i in range(0, 60, 10)]
    rest = [line for line in text.splitlines() if not line[0].isdigit()]
    assert rest
    assert all(re.fullmatch(r"\t\d+ \t[\d.]+%\t\([\d.]+%\)", line) for line in rest)


def test_result(folder):
    told = result(folder)
    assert set(told) == RESULT
    assert (told["status"], told["seed"], told["alpha"], told["episodes"]) == ("finished", 0, 0.1, 55)
    assert told["weights"] == "kept"
    assert told["names"] == {"game": "2048", "tiles": "p90_10", "tuples": "custom", "learner": "td",
                             "placer": "random", "agent": "ntuple"}  # fmt: skip
    assert told["moves"] == np.load(folder / "episodes.npy")["moves"].sum()
    assert told["seconds"] > 0
    assert told["moves_per_second"] == pytest.approx(told["moves"] / told["seconds"], rel=1e-3)
    assert 1e7 < told["peak_memory_bytes"] < 1e12
    assert {"tdl", "python", "numpy", "hydra-core", "omegaconf"} <= set(told["versions"])
    assert told["instructions"] in NTupleNetwork.instruction_sets()
    assert told["cpu"]
    games, evaluation = np.load(folder / "evaluation.npy"), told["evaluation"]
    assert evaluation["episodes"] == 7
    assert evaluation["mean"] == games["score"].mean()
    low, high = evaluation["mean_ci95"]
    assert low < evaluation["mean"] < high
    reached = [tile for tile in TILES if (games["max_tile"] >= tile).any()]
    assert list(evaluation["reach"]) == list(map(str, reached))
    for tile in reached:
        told = evaluation["reach"][str(tile)]
        assert told["rate"] == (games["max_tile"] >= tile).mean()
        assert 0 <= told["ci95"][0] <= told["rate"] <= told["ci95"][1] <= 1


def test_result_holds_the_configuration(folder):
    told = result(folder)["config"]
    assert Setup.of(told).plain | {"tuples": told["tuples"], "tiles": told["tiles"]} == told
    assert told["tuples"]["cells"] == [[0, 1, 2, 3], [4, 5]]
    hydra = OmegaConf.to_container(OmegaConf.load(folder / ".hydra" / "config.yaml"), resolve=True)
    assert json.loads(json.dumps(hydra)) == told
    assert list(OmegaConf.load(folder / ".hydra" / "overrides.yaml")) == [*SMALL, *WORDS]


def test_checkpoint(folder):
    meta, arrays = checkpoint(folder)
    assert {"format", "episode", "moves", "rules", "network", "learner", "names", "config", "arrays"} <= set(meta)
    assert meta["episode"] == 55
    assert meta["rules"]["game"] == "2048"
    assert meta["network"]["tuples"]["cells"] == [[0, 1, 2, 3], [4, 5]]
    assert list(arrays) == ["weights"]
    assert arrays["weights"].dtype == np.float32


def test_curve_is_a_picture(folder):
    data = (folder / "curve.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    assert 800 <= width <= 4000
    assert 400 <= height <= 3000
    assert len(data) > 10_000  # a blank one packs into less


def test_same_seed_same_bytes_other_seed_other_bytes(folder, tmp_path):
    """In this process as in the other one; and once more with everything given on the command line."""
    assert outcome(train(tmp_path / "same", *WORDS)) == outcome(folder)
    assert outcome(train(tmp_path / "given", *WORDS, "seed=0", "alpha=0.1", "tiles=p90_10")) == outcome(folder)
    other = outcome(train(tmp_path / "other", *WORDS, "seed=1"))
    assert not [name for name in ("weights", "episodes.npy", "evaluation.npy") if other[name] == outcome(folder)[name]]


def test_two_at_once_never_meet(tmp_path):
    words = (*SMALL, "episodes=5", "evaluate.episodes=0")
    with running(tmp_path, *words) as one, running(tmp_path, *words) as other:
        assert [ended(process).returncode for process in (one, other)] == [0, 0]
    assert len(list(tmp_path.rglob("result.json"))) == 2


WATCHED = """
import sys
from tdl.cli.run import main
try:
    main()
except SystemExit as exit_:
    print("exit code", exit_.code)
print("imported", sorted({"pandas", "seaborn", "matplotlib", "scipy"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (("episodes=0", "evaluate.episodes=0"), {"result.json"}),
        (("episodes=0", "evaluate.episodes=3"), {"result.json", "evaluation.npy"}),
    ],
)
def test_without_training_no_checkpoint_no_curve(tmp_path, words, left):
    command = [sys.executable, "-c", WATCHED, *SMALL, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-2:] == ["exit code 0", "imported []"]
    folder = only_run(tmp_path)
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.stat().st_size}
    assert {name for name in found if not name.startswith(".hydra")} - {"episodes.npy"} == left
    assert len(np.load(folder / "episodes.npy")) == 0
    assert set(result(folder)) == (RESULT if "evaluation.npy" in left else WITHOUT_EVALUATION)
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


def test_a_set_that_names_no_such_features_keeps_its_name(tmp_path):
    done = inside("tuples=2x4", "episodes=10", "block=10", "evaluate.episodes=0", f"hydra.run.dir={tmp_path / 'run'}")
    assert done.returncode == 0, done.stderr
    assert result(tmp_path / "run")["names"]["tuples"] == "2x4"
    assert result(tmp_path / "run")["config"]["tuples"]["orders"] == []


def test_help_names_every_key_and_every_choice(tmp_path):
    done = program(tmp_path, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    described = set(re.findall(r"^(\w+):", done.stdout, re.MULTILINE))
    assert {name.partition(".")[0] for name in RUN.keys} <= described
    for group, names in NAMES.items():
        choices = re.search(rf"^{group}: \w+ +# (.*(?:\n +# .*)*)", done.stdout, re.MULTILINE)
        assert re.sub(r"\n +#", "", choices[1]).split(", ") == list(names)
    assert not list(tmp_path.iterdir())


def test_cfg_job_prints_the_configuration(tmp_path):
    done = program(tmp_path, "--cfg", "job", "alpha=0.25", "tuples=2x4")
    assert (done.returncode, done.stderr) == (0, "")
    setup = Setup.of(OmegaConf.create(done.stdout))
    cells = ((0, 1, 2, 3), (4, 5, 6, 7))
    assert (setup.alpha, setup.network.tuples.cells, setup.episodes) == (0.25, cells, 100_000)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "words",
    [
        ("game=2584", "tiles=p75_25", "learner=tc"),
        ("game=2584", "size=2x3", "learner.order=forward"),
        ("game=threes_law", "tiles=p50_50"),
        ("size=4x5",),
        ("placer=adversary", "learner.target=state"),
    ],
    ids=" ".join,
)
def test_every_game_and_board_runs_alike_with_packed_boards_and_arrays(tmp_path, words):
    """Trained, evaluated and drawn like 2048; half of the run is resumed."""
    folder, array = (train(tmp_path / kind, *WORDS, *words, f"engine={kind}", program=main)
                     for kind in ("bits", "array"))  # fmt: skip
    assert outcome(folder) == outcome(array)
    half = train(tmp_path / "half", *WORDS, *words, "episodes=30")
    assert learned(go_on(half, "episodes=55")) == learned(folder)
    told, rules = result(folder), tdl.Rules.from_dict(checkpoint(folder)[0]["rules"])
    assert (told["status"], told["config"]["engine"]) == ("finished", "bits")
    with (folder / "blocks.csv").open(newline="") as file:
        assert next(csv.reader(file)) == BLOCK + [f"reach_{tile}" for tile in rules.tiles]
    for name in ("episodes.npy", "evaluation.npy"):
        assert set(np.load(folder / name)["max_tile"].tolist()) <= set(rules.tiles)
    assert (folder / "curve.png").exists()
    assert tdl.load(folder).network.rules == rules
