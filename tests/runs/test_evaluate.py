"""`tdl evaluate`: the games of a checkpoint, what is left of them, and what is refused.

Trusts `tdl.Player.evaluate` and the final games of a run, which other tests look at.
"""

import csv
import json
import re
import signal
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from support.programs import SMALL, UNDRAWN, checkpoint, ended, files, inside, result, running, train, wait_until

import tdl
import tdl.cli.evaluate as program
import tdl.results
from tdl.base import machine
from tdl.statistics.summary import evaluation_block
from tdl.storage.checkpoint import write_checkpoint
from tdl.storage.records import RECORD

RESULT = {
    "status", "config_hash", "names", "seed", "config", "rules", "checkpoints", "episodes", "commit", "dirty",
    "versions", "cpu", "instructions", "peak_memory_bytes", "evaluation",
}  # fmt: skip

TRAINING = ("episodes=60", "evaluate.episodes=20", "seed=3", "gamma=0.75")


@pytest.fixture(scope="module")
def trained(small_run):
    """A short run with two older checkpoints."""
    return small_run(*TRAINING, "save.every=20", "save.keep=3")


def evaluated(folder, *words):
    """An evaluation in `folder`, inside this process; it must end well. Gives what it printed."""
    done = inside("evaluate.episodes=20", "seed=3", f"hydra.run.dir={folder}", *words, program=program.main)
    assert done.returncode == 0, done.stderr
    return done.stdout


def games(folder):
    return np.load(folder / "evaluation.npy", allow_pickle=False)


def test_what_is_left(tmp_path, trained):
    before = files(trained)
    printed = evaluated(tmp_path / "out", f"checkpoint={trained}")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {".hydra", "evaluation.npy", "result.json"}
    outcome, records = result(tmp_path / "out"), games(tmp_path / "out")
    assert set(outcome) == RESULT
    assert (outcome["status"], outcome["seed"], outcome["episodes"]) == ("finished", 3, 60)
    assert outcome["names"] == result(trained)["names"]
    assert outcome["rules"] == tdl.Rules().to_dict()
    assert outcome["config"]["checkpoint"] == str(trained)
    assert outcome["config"]["placer"] == result(trained)["config"]["placer"]
    meta, _ = checkpoint(trained)
    assert outcome["checkpoints"] == [{"path": str(trained / "checkpoint"), "digest": meta["digest"], "episode": 60}]
    assert (records.dtype, len(records)) == (RECORD, 20)
    assert outcome["evaluation"]["mean"] == records["score"].mean()
    assert outcome["evaluation"]["moves"] == records["moves"].sum()
    assert outcome["evaluation"]["seconds"] > 0
    assert outcome["evaluation"]["moves_per_second"] > 0
    assert printed == evaluation_block(outcome["evaluation"]) + f"results in {tmp_path / 'out'}\n"
    assert files(trained) == before


@pytest.mark.parametrize(
    "words",
    [
        ("learner.target=state",),
        ("placer=adversary", "placer.tile=chosen"),
        ("game=2584", "size=2x3", "tiles=p75_25", "learner=tc", "engine=array"),
        ("learner.stages=[32,64]",),
        ("evaluate.plies=2", "search.cutoff=0.1"),
    ],
    ids=" ".join,
)
def test_the_games_at_the_end_of_a_run_once_more(tmp_path, words):
    folder = train(tmp_path / "run", *TRAINING, *words)
    searched = [word for word in words if word.startswith(("evaluate", "search"))]
    evaluated(tmp_path / "out", f"checkpoint={folder}", *searched)
    assert games(tmp_path / "out").tobytes() == games(folder).tobytes()
    kept = ("mean", "mean_ci95", "median", "max", "moves", "reach", "episodes")
    ours, theirs = result(tmp_path / "out")["evaluation"], result(folder)["evaluation"]
    assert {name: ours[name] for name in kept} == {name: theirs[name] for name in kept}


def test_the_mean_of_several_checkpoints(tmp_path):
    folder = train(tmp_path / "run", *TRAINING, "save.every=20", "save.keep=3", "evaluate.average=2")
    both = f"checkpoint=[{folder}/checkpoint,{folder}/kept/0000000040]"
    evaluated(tmp_path / "out", both)
    assert games(tmp_path / "out").tobytes() == games(folder).tobytes()
    assert [each["episode"] for each in result(tmp_path / "out")["checkpoints"]] == [60, 40]
    evaluated(tmp_path / "one", f"checkpoint={folder}")
    assert games(tmp_path / "one").tobytes() != games(folder).tobytes()


def test_other_seeds_and_placers_are_other_games_threads_are_not(tmp_path, trained):
    words = {"threads": "threads=2 lanes=7 engine=array", "seed": "seed=4", "placer": "placer=adversary"}
    for name, chosen in words.items():
        evaluated(tmp_path / name, f"checkpoint={trained}", *chosen.split())
    assert games(tmp_path / "threads").tobytes() == games(trained).tobytes() != games(tmp_path / "seed").tobytes()
    assert games(tmp_path / "placer")["score"].mean() < games(trained)["score"].mean()
    assert result(tmp_path / "placer")["names"]["placer"] == "adversary"


@pytest.mark.parametrize("plies", [1, 2])
def test_a_graphics_card_plays_the_same_games(tmp_path, trained, device, plies):
    """And they are the same evaluation."""
    for name in "cpu", "cuda":
        words = f"device={name}", f"evaluate.plies={plies}", "evaluate.episodes=4"
        evaluated(tmp_path / name, f"checkpoint={trained}", *words)
    assert games(tmp_path / "cpu").tobytes() == games(tmp_path / "cuda").tobytes()
    first, second = result(tmp_path / "cpu"), result(tmp_path / "cuda")
    assert second["instructions"] == device.name != first["instructions"]
    assert (first["config"], first["config_hash"]) == (second["config"], second["config_hash"])


@pytest.mark.parametrize(
    ("words", "drop", "start"),
    [
        ("tiles=p75_25", ((1, 0.75), (3, 0.25)), ("drop", "drop")),
        ("tiles.start=[2]", ((1, 0.9), (2, 0.1)), (2,)),
        ("tiles.drop=[[2,1]]", ((2, 1.0),), ("drop", "drop")),
    ],
)
def test_other_tiles(tmp_path, trained, words, drop, start):
    """The rule that is given, and what it leaves open as the network was trained."""
    evaluated(tmp_path / "out", f"checkpoint={trained}", words)
    player, rules = tdl.load(trained), tdl.Rules(drop=drop, start=start)
    network = tdl.NTupleNetwork(rules, player.network.tuples, weights=player.network.weights)
    expected = tdl.Player(network, 0.75).evaluate(20, seed=3)
    assert games(tmp_path / "out").tobytes() == expected.tobytes()
    assert result(tmp_path / "out")["rules"] == rules.to_dict()
    name = words.removeprefix("tiles=") if words.startswith("tiles=") else "custom"
    assert result(tmp_path / "out")["names"]["tiles"] == name


def test_a_checkpoint_that_no_run_made(tmp_path):
    """Without the configuration of a run: the drop law puts the tiles."""
    net = tdl.NTupleNetwork(tdl.Rules(rows=2, cols=4), tdl.TupleSet(((0, 1, 2, 3),)))
    tdl.Trainer(net, alpha=0.1).train(50)
    meta = {"episode": 0, "rules": net.rules.to_dict(), "network": net.describe(), "learner": {"gamma": 1.0}}
    write_checkpoint(tmp_path / "net", meta, {"weights": net.weights})
    evaluated(tmp_path / "out", f"checkpoint={tmp_path / 'net'}")
    assert games(tmp_path / "out").tobytes() == tdl.Player(net).evaluate(20, seed=3).tobytes()
    assert result(tmp_path / "out")["names"] == {"game": "2048"}
    assert tdl.results.runs(tmp_path / "out")["game"].tolist() == ["2048"]


def test_a_sweep_over_checkpoints(tmp_path, trained):
    place = trained / "checkpoint", trained / "kept" / "0000000020"
    done = inside("-m", f"checkpoint={place[0]},{place[1]},nowhere", "evaluate.episodes=3,6", "seed=3",
                  f"hydra.sweep.dir={tmp_path}", program=program.main)  # fmt: skip
    assert done.returncode == 2
    assert "nowhere: no checkpoint here" in done.stderr
    with (tmp_path / "sweep.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["checkpoint"], row["evaluate.episodes"]) for row in rows] == [
        (str(each), number) for each in (*place, "nowhere") for number in ("3", "6")
    ]
    assert [row["status"] for row in rows] == ["finished"] * 4 + ["failed"] * 2
    assert [row["evaluate.plies"] for row in rows] == ["1"] * 6
    for row in rows[:4]:
        outcome = result(row["run"])["evaluation"]
        assert float(row["eval_mean"]) == outcome["mean"]
        assert [float(row["eval_low"]), float(row["eval_high"])] == outcome["mean_ci95"]
    assert [float(row["episodes"]) for row in rows[:4]] == [60, 60, 20, 20]
    header = next(line.split() for line in done.stdout.splitlines() if line.lstrip().startswith("checkpoint "))
    assert header[:5] == ["checkpoint", "episodes", "games", "mean", "score"]
    assert done.stdout.count("1 of 1 failed: nowhere: no checkpoint here") == 2
    low, high = result(rows[0]["run"])["evaluation"]["mean_ci95"]
    assert f"[{low:,.0f}, {high:,.0f}]" in done.stdout


def test_runs_and_evaluations_in_one_folder(tmp_path):
    folder = train(tmp_path / "run", *TRAINING)
    evaluated(tmp_path / "out", f"checkpoint={folder}")
    evaluated(tmp_path / "other", f"checkpoint={folder}", "tiles=p50_50")
    frame = tdl.results.runs(tmp_path).set_index("run")
    assert len(frame) == 3
    run, same, other = (frame.loc[str(tmp_path / name)] for name in ("run", "out", "other"))
    assert same["checkpoint"] == str(folder)
    assert np.isnan(run["checkpoint"])
    assert (run["eval_mean"], run["tiles"], run["tuples"]) == (same["eval_mean"], "p90_10", "custom")
    assert (other["tiles"], other["tuples"], other["learner"]) == ("p50_50", "custom", "td")
    reached = [name for name in frame.columns if name.startswith("eval_reach_")]
    assert not frame[reached].isna().any(axis=None)
    assert len(tdl.results.load(tmp_path)) == 6
    assert len(tdl.results.episodes(tmp_path)) == 60


def test_a_used_folder_is_refused(tmp_path, trained):
    before = files(trained)
    done = inside(f"checkpoint={trained}", f"hydra.run.dir={trained}", program=program.main)
    assert done.returncode == 2
    assert "holds results already" in done.stderr
    assert files(trained) == before


@pytest.mark.parametrize("status", ["running", "interrupted", "failed"])
def test_what_was_cut_off_begins_anew_by_the_same_command(tmp_path, trained, status):
    """And by no other: what is there is of other games."""
    folder = tmp_path / "out"
    evaluated(folder, f"checkpoint={trained}")
    whole = result(folder)
    part = {key: value for key, value in whole.items() if key != "evaluation"} | {"status": status}
    (folder / "result.json").write_text(json.dumps(part))
    (folder / "evaluation.npy").unlink()
    other = inside(f"checkpoint={trained}", "seed=5", f"hydra.run.dir={folder}", program=program.main)
    assert "holds results already" in other.stderr
    assert result(folder) == part
    evaluated(folder, f"checkpoint={trained}")
    assert result(folder)["evaluation"]["mean"] == whole["evaluation"]["mean"]


@pytest.mark.parametrize("episodes", [10**9, 10**15])
def test_more_games_than_memory_holds_are_refused_before_the_first(tmp_path, trained, monkeypatch, episodes):
    monkeypatch.setattr(machine, "available_memory", lambda: 1 << 30)
    line = f"evaluate.episodes: the records of {episodes:,} games need"
    for words, main in (((f"checkpoint={trained}",), program.main), (SMALL, UNDRAWN)):
        done = inside(*words, f"evaluate.episodes={episodes}", f"hydra.run.dir={tmp_path / 'out'}", program=main)
        assert (done.returncode, line in done.stderr) == (2, True), done.stderr
        assert not list(tmp_path.rglob("*.npy"))


MISTAKES = [
    ("checkpoint=[]", 2, ["checkpoint: [] is not allowed", "the folder of a run or of a checkpoint"]),
    ("checkpoint=tdl:smal", 2, ["tdl: tdl:smal: no such network; expected a folder, or tdl:small"]),
    ("checkpoint=nowhere", 2, ["nowhere: no checkpoint here"]),
    ("checkpoint=[RUN,nowhere]", 2, ["nowhere: no checkpoint here"]),
    ("checkpoint=RUN search.plies=3", 1, ["search.plies: no such key; did you mean 'evaluate.plies'?"]),
    ("checkpoint=RUN evaluate.plies=0", 2, ["evaluate.plies: 0 is not allowed", "from 1 to 12"]),
    (
        "checkpoint=RUN search.seconds=1",
        2,
        ["search.seconds: 1.0 is not allowed", "null unless evaluate.plies or the plies of"],
    ),
    ("checkpoint=RUN placer=adversary placer.network=nowhere", 2, ["nowhere: no checkpoint here"]),
    ("checkpoint=RUN game=2584", 1, ["game: no such key"]),
    ("checkpoint=RUN device=gpu", 2, ["device: 'gpu' is not allowed; expected cpu or cuda"]),
    ("checkpoint=RUN device=cuda evaluate.plies=4", 2, ["evaluate.plies: 4 is not allowed; expected at most 3"]),
    ("checkpoint=RUN device=cuda evaluate.plies=2 evaluate.drops=one", 2, ["evaluate.drops: 'one' is not allowed"]),
    ("checkpoint=RUN device=cuda placer=adversary", 2, ["placer.kind: 'adversary' is not allowed; expected random"]),
]


@pytest.mark.parametrize(("words", "code", "telling"), MISTAKES, ids=[words for words, _, _ in MISTAKES])
def test_mistakes_end_in_one_line_and_leave_nothing(tmp_path, monkeypatch, trained, words, code, telling):
    monkeypatch.chdir(tmp_path)
    done = inside(*words.replace("RUN", str(trained)).split(), program=program.main)
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    assert not [part for part in telling if part not in line], line
    assert not list(tmp_path.iterdir()) or not list(tmp_path.rglob("*.*"))


def test_a_signal_stops_the_games(tmp_path, trained):
    folder = tmp_path / "out"
    words = (f"checkpoint={trained}", "evaluate.episodes=10000000", "threads=2", f"hydra.run.dir={folder}")
    with running(tmp_path, *words, command="evaluate") as process:
        wait_until((folder / "result.json").exists, process)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        done = ended(process)
    assert done.returncode == 143, done.stderr
    assert done.stderr.splitlines()[-1] == "tdl: stopped before all was done"
    assert result(folder)["status"] == "interrupted"
    assert "evaluation" not in result(folder)
    assert {path.name for path in folder.iterdir()} == {".hydra", "result.json"}


def test_help_names_every_key():
    """Groups by their choices."""
    shown = inside("--help", program=program.main).stdout
    described = set(re.findall(r"^(\w+):", shown, re.MULTILINE))
    assert {name.partition(".")[0] for name in program.SCHEMA.keys} <= described
    assert {f"  {field.name}:" for field in fields(program.Games)} <= set(re.findall(r"^  \w+:", shown, re.MULTILINE))


def test_figures_for_people():
    share = {"2": {"rate": 1.0, "ci95": [0.51, 1.0]}, "64": {"rate": 1.0, "ci95": [0.51, 1.0]},
             "128": {"rate": 0.75, "ci95": [0.3, 0.954]}}  # fmt: skip
    figures = {"episodes": 1234, "mean": 1499.6, "mean_ci95": [1400.2, 1600], "median": 1500.0, "max": 12345,
               "moves_per_second": 4564801, "reach": share}  # fmt: skip
    assert evaluation_block(figures).splitlines() == [
        "games    1,234",
        "mean     1,500 [1,400, 1,600]",
        "median   1,500",
        "max      12,345",
        "moves/s  4,564,801",
        "     64  100.0% [51.0%, 100.0%]",
        "    128   75.0% [30.0%, 95.4%]",
    ]
    assert evaluation_block(figures | {"mean_ci95": None}).splitlines()[1] == "mean     1,500"


def test_the_guide_shows_what_is_printed():
    share = {"2048": {"rate": 0.5, "ci95": [0.4, 0.6]}}
    figures = {"episodes": 1, "mean": 1.0, "mean_ci95": [1, 2], "median": 1.0, "max": 1, "moves_per_second": 1}
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "evaluate.md").read_text()
    shown, printed = guide.split("```\n")[1], evaluation_block(figures | {"reach": share})
    forms = [{re.sub(r" *\d[\d.,]*", " 1", line) for line in text.splitlines()} for text in (shown, printed)]
    assert forms[0] - {"..."} == forms[1]


def test_result_of_unfinished_games_is_valid(tmp_path, trained, monkeypatch):
    """An error within the games: a status, no games, and no figures."""

    def fail(*_, **__):
        raise tdl.TdlError("the disk is on fire")

    monkeypatch.setattr(tdl.Player, "evaluate", fail)
    done = inside(f"checkpoint={trained}", f"hydra.run.dir={tmp_path / 'out'}", *SMALL[2:], program=program.main)
    assert done.returncode == 2
    outcome = json.loads((tmp_path / "out" / "result.json").read_text())
    assert (outcome["status"], outcome["error"]) == ("failed", "the disk is on fire")
    assert tdl.results.runs(tmp_path)["status"].tolist() == ["failed"]
