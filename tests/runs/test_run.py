"""What a run leaves behind is a contract: other programs read these files.

Trusts the list of files and columns that stands here, and NumPy, csv and json as the readers other programs use.
"""

import csv
import json
import re
import struct
import subprocess
import sys
from dataclasses import fields
from importlib import resources

import numpy as np
import pytest
from hydra import compose, initialize_config_module
from hydra.core.override_parser.overrides_parser import OverridesParser
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
from tdl.config import build
from tdl.config import run as run_config
from tdl.config.compose import register, to_plain
from tdl.config.files import group_file
from tdl.config.schema import RunConfig
from tdl.errors import ConfigError
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet, symmetries

RECORD = [("episode", "<i8"), ("score", "<i8"), ("moves", "<i4"), ("max_tile", "<i4")]

BLOCK = ["episode", "mean", "median", "max", "moves", "seconds", "moves_per_second", "mean_abs_error"]

TILES = [2**index for index in range(1, 16)]

RESULT = {
    "status", "config_hash", "names", "seed", "alpha", "config", "commit", "dirty", "versions", "cpu", "instructions",
    "episodes", "moves", "seconds", "moves_per_second", "peak_memory_bytes", "evaluation",
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
    assert done.stdout.splitlines()[-1] == f"results in {only_run(cwd)}"
    return only_run(cwd)


@pytest.fixture
def composed():
    """Composes `conf/run.yaml` with overrides, as Hydra does before a run."""
    register()
    with initialize_config_module("tdl.conf", version_base="1.3"):
        yield lambda *words, **more: compose("run", list(words), **more)


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
    assert told["names"] == {"game": "pow2", "tiles": "p90_10", "tuples": "custom", "learner": "td",
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
    assert to_plain(run_config.from_plain(told)) | {"tuples": told["tuples"], "tiles": told["tiles"]} == told
    assert told["tuples"]["cells"] == [[0, 1, 2, 3], [4, 5]]
    hydra = OmegaConf.to_container(OmegaConf.load(folder / ".hydra" / "config.yaml"))
    assert json.loads(json.dumps(hydra)) == told
    assert list(OmegaConf.load(folder / ".hydra" / "overrides.yaml")) == [*SMALL, *WORDS]


def test_checkpoint(folder):
    meta, arrays = checkpoint(folder)
    assert {"format", "episode", "moves", "rules", "network", "learner", "names", "config", "arrays"} <= set(meta)
    assert meta["episode"] == 55
    assert meta["rules"]["game"] == "pow2"
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
from tdl.run import main
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


def test_sweep_leaves_a_table_with_a_row_for_a_failed_job_too(tmp_path):
    done = inside("-m", *SMALL, "episodes=10", "alpha=0.1,-1,5", "learner.order=forward,backwards",
                  f"hydra.sweep.dir={tmp_path / 'sweep'}")  # fmt: skip
    assert done.returncode == 2
    with (tmp_path / "sweep" / "sweep.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    told = {(float(row["alpha"]), row["learner.order"]): row for row in rows}
    assert len(rows) == len(told) == 6
    assert {key for key, row in told.items() if row["status"] == "finished"} == {(0.1, "forward")}
    assert {row["status"] for row in rows} == {"finished", "failed"}
    good, bad, diverged = told[0.1, "forward"], told[-1, "forward"], told[5, "forward"]
    assert float(good["eval_mean"]) > 0
    assert good["error"] == bad["eval_mean"] == ""
    assert "alpha: -1.0 is not allowed" in bad["error"]
    assert "learning diverged" in diverged["error"]
    assert len(done.stderr.split("tdl: ")) == 7  # a line for each job that failed, and the last one
    assert "sweep.csv" in done.stdout


def test_sweep_without_a_failure_ends_well(tmp_path):
    done = inside("-m", *SMALL, "episodes=10", "seed=range(0,2)", f"hydra.sweep.dir={tmp_path / 'sweep'}")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "sweep" / "sweep.csv").open(newline="") as file:
        assert [(row["seed"], row["status"]) for row in csv.DictReader(file)] == [("0", "finished"), ("1", "finished")]
    assert (tmp_path / "sweep" / "sweep.png").read_bytes().startswith(b"\x89PNG")


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
    assert {field.name for field in fields(RunConfig)} <= described
    for group, names in NAMES.items():
        assert f"{group}: {', '.join(names)}" in done.stdout
    assert not list(tmp_path.iterdir())


def test_cfg_job_prints_the_configuration(tmp_path):
    done = program(tmp_path, "--cfg", "job", "alpha=0.25", "tuples=2x4")
    assert (done.returncode, done.stderr) == (0, "")
    read = run_config.read(OmegaConf.create(done.stdout))
    assert (read.alpha, read.tuples.cells, read.episodes) == (0.25, [[0, 1, 2, 3], [4, 5, 6, 7]], 100_000)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", NAMES["tuples"])
def test_every_tuple_set_composes(composed, name):
    board = group_file("tuples", name)["board"]
    shape = build.tuple_set_of(run_config.read(composed(f"tuples={name}", f"size={board}")))
    assert shape == tdl.tuple_set(name)
    sizes = re.match(r"(\d+)x(\d+)(?!.*full)", name if board == "4x4" else name.removeprefix(f"{board}_"))
    if sizes:
        tuples, length = int(sizes[1]), int(sizes[2])
        assert [len(cells) for cells in shape.cells[:tuples]] == [length] * tuples
        assert len(shape.cells) == tuples or name.endswith("_redundant")
    assert bool(shape.orders) == ("order" in name)
    assert bool(shape.counts) == ("count" in name)


def test_cells_of_ones_own_are_those_of_the_board_of_the_run(composed):
    """Not of the board of the set that they stand in the place of; and this board is no part of the set."""
    read = run_config.read(composed("tuples.cells=[[0,1,2,3,4,5]]", "size=2x3"))
    assert build.tuple_set_of(read) == TupleSet(((0, 1, 2, 3, 4, 5),))
    assert (build.rules(read).rows, build.rules(read).cols) == (2, 3)
    assert "board" not in build.tuple_set_of(read).to_dict()
    with pytest.raises(ConfigError, match="cells of 4x6 are numbered on a 4x4 board, and size is 4x5"):
        run_config.read(composed("size=4x5"))
    taken = run_config.read(composed("size=4x5", "tuples.board=null"))
    assert build.tuple_set_of(taken) == tdl.tuple_set("4x6")


def test_redundant_tuples_are_parts_of_the_others():
    """Straight lines of 4 and squares of 2x2, in some image a part of a 6-tuple, and no two alike."""
    cells = tdl.tuple_set("4x6_redundant").cells
    large, small = cells[:4], cells[4:]
    assert large == tdl.tuple_set("4x6").cells
    images = [[frozenset(image[cell] for cell in each) for image in symmetries(4, 4)] for each in small]
    assert all(any(image <= set(each) for image in seen for each in large) for seen in images)
    assert len({frozenset(seen) for seen in images}) == len(small)


@pytest.mark.parametrize(("group", "name"), [(group, name) for group in ("agent", "game", "learner", "placer", "tiles")
                                             for name in NAMES[group]])  # fmt: skip
def test_every_choice_composes(composed, group, name):
    build.rules(run_config.read(composed(f"{group}={name}")))


def test_tile_rules_are_data(composed):
    for rule in ("tiles=p75_25", "tiles.drop=[[1,0.75],[3,0.25]]"):
        for game in NAMES["game"]:
            rules = build.rules(run_config.read(composed(f"game={game}", rule, "tiles.start=[drop,3]")))
            assert (rules.game, rules.drop, rules.start) == (game, ((1, 0.75), (3, 0.25)), ("drop", 3))


@pytest.mark.parametrize(
    "words",
    [
        ("game=fib", "tiles=p75_25", "learner=tc"),
        ("game=fib", "size=2x3", "learner.order=forward"),
        ("game=threes_law", "tiles=p50_50"),
        ("size=4x5",),
        ("placer=adversary", "learner.target=state"),
    ],
    ids=" ".join,
)
def test_every_game_and_board_runs_alike_with_packed_boards_and_arrays(tmp_path, words):
    """Trained, evaluated and drawn like 2048; half of the run is resumed."""
    folder, array = (train(tmp_path / kind, *WORDS, *words, f"engine={kind}") for kind in ("bits", "array"))
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


@pytest.mark.parametrize("name", NAMES["experiment"])
def test_every_experiment_wins_over_the_defaults(composed, name):
    """Each value in its file is the value of the composed configuration; each value of its sweep is allowed."""
    cfg = composed(f"experiment={name}", return_hydra_config=True)
    file = OmegaConf.load(CONF / "experiment" / f"{name}.yaml")
    for key in set(file) - {"defaults", "hydra"}:
        assert OmegaConf.merge(cfg[key], file[key]) == cfg[key] if OmegaConf.is_config(file[key]) else file[key]
        assert OmegaConf.is_config(file[key]) or cfg[key] == file[key]
    chosen = OmegaConf.to_container(cfg.hydra.runtime.choices)
    for override in OmegaConf.to_container(file.get("defaults", OmegaConf.create([]))):
        if isinstance(override, str):  # another experiment that this one goes on from
            assert override == "_self_" or override in NAMES["experiment"]
            continue
        ((group, choice),) = override.items()
        assert chosen[group.removeprefix("override").strip(" /")] == choice
    sweep = file.get("hydra", {}).get("sweeper", {}).get("params", {})
    assert OmegaConf.to_container(cfg.hydra.sweeper)["params"] == (dict(sweep) or None)
    for key, values in sweep.items():
        for value in OverridesParser.create().parse_override(f"{key}={values}").sweep_string_iterator():
            run_config.read(composed(f"experiment={name}", f"{key}={value}"))
