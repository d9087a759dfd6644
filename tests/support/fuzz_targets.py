"""What is fuzzed: each target changes copies of good files, or requests, at random and has them read (`support.fuzz`).

A target ends well, or in a `TdlError` or `OSError`, whose line is one that a program would print; all else is wrong.
"""

import io
import json
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from unittest import mock

import numpy as np

import tdl
import tdl.cli.diff
import tdl.cli.evaluate
import tdl.cli.match
import tdl.cli.report
import tdl.results
from support.browser import NotHere, chromium
from support.fuzz_web import asked, shown
from support.mutations import change, changed_bytes, changed_json, prepare
from support.pages import Page
from support.programs import SMALL, UNDRAWN, inside, train
from support.recorded_games import SHAPES, trained
from support.weight_files import SMALL_DEMO, SMALL_TC, SMALL_TD
from tdl.cli import convert
from tdl.config.stored import stored_setup
from tdl.errors import SkippedWarning, TdlError
from tdl.players.kinds import read_agent
from tdl.runs.resume import read_run
from tdl.sessions import game_file
from tdl.sessions.recorder import record_game
from tdl.solver import solution
from tdl.storage.reading import read_json
from tdl.storage.run_folder import RunFolder
from tdl.web.library import Library

# The good files and folders that are changed in copies: each process makes those that it is asked for, once

TWICE = ("episodes=20", "save.every=10", "save.keep=2")
"""Words of a run that leaves two checkpoints."""


@cache
def _base():
    place = Path(tempfile.mkdtemp(prefix="tdl-fuzz-base-"))
    Finalize(None, shutil.rmtree, (place, True), exitpriority=0)  # also of a process that another one has started
    return place


@cache
def good(name):
    """A good file or folder, made when it is asked for first."""
    path = _base() / name
    MAKERS[name](path)
    return path


def _deep(path):
    try:
        import torch  # noqa: F401 - whether it is there
    except ImportError as error:
        raise NotHere("PyTorch is not installed") from error
    agent = ("agent=dqn_modern", "agent.width=8", "agent.games=4", "agent.learning_starts=8", "agent.buffer_size=200")
    words = (*TWICE, "block=10", "evaluate.episodes=2", "size=2x3", "tiles=p90_10", f"hydra.run.dir={path}")
    _ends(*words, *agent, "agent.train_frequency=8", "agent.batch_size=8")


MAKERS = {
    "plain": lambda path: train(path, *TWICE),
    "rich": lambda path: train(path, *TWICE, "learner=tc", "learner.stages=[16,64]", "learner.start=carousel"),
    "swept": lambda path: _ends("-m", *SMALL, "episodes=10", "alpha=0.1,0.3", f"hydra.sweep.dir={path}"),
    "deep": _deep,
    "solved": lambda path: solution.save(path, solution.solve(tdl.Rules(rows=2, cols=2))),
    "game.jsonl": lambda path: game_file.save(path, record_game(trained(*SHAPES["2x4"]), 5)),
    "td.w": lambda path: path.write_bytes(SMALL_TD),
    "tc.w": lambda path: path.write_bytes(SMALL_TC),
    "demo.bin": lambda path: path.write_bytes(SMALL_DEMO),
    "browser": lambda path: chromium(),
}


@dataclass(frozen=True)
class Target:
    """Something that is fuzzed.

    Attributes
    ----------
    share : how often it has its turn, against the others.
    needs : names of what is made for it (`good`).
    read : changes copies in a folder, by a `random.Random`, and has them read; beside it nothing may be touched.
    """

    share: int
    needs: tuple[str, ...]
    read: Callable


TARGETS: dict[str, Target] = {}
"""All that is fuzzed, by name."""


def target(name, share, *needs):
    """Make a function a target."""

    def add(read):
        TARGETS[name] = Target(share, needs, read)
        return read

    return add


# What targets share

PROGRESS = re.compile(r"(check|train|evaluate) +[\d,]+/")
"""What a program says of itself where it takes a while."""


def _ends(*words, program=UNDRAWN):
    """What a program prints, run inside; its one line and exit code become an error again."""
    done = inside(*words, program=program)
    if not done.returncode:
        return done
    line, *more = (line for line in done.stderr.splitlines() if not PROGRESS.match(line))
    assert (line[:5], more) == ("tdl: ", []), done.stderr
    assert done.returncode == 2 or "diverge" in line or "finite" in line, f"exit code {done.returncode}: {line}"
    raise TdlError(line.removeprefix("tdl: "))


def _copied(name, place):
    copy = shutil.copytree if good(name).is_dir() else shutil.copy
    return Path(copy(good(name), place / name))


def _changed_run(name, place, outside, chance):
    """A copy of a run, of which a checkpoint is changed, or now and then another file; it and that checkpoint."""
    run = _copied(name, place)
    folder = chance.choice((run / "checkpoint", run / "checkpoint", *(run / "kept").glob("0*")))
    change((folder if chance.random() < 0.9 else run).rglob("*"), outside, chance)
    if chance.random() < 0.1:
        prepare(chance.choice((run, folder)), outside, chance)
    return run, folder


def _change_runs(folder, outside, chance):
    """Change files of runs, or of a sweep of some."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        change(folder.rglob("*"), outside, chance)
    if chance.random() < 0.2:
        prepare(chance.choice([folder, *(path for path in folder.iterdir() if path.is_dir())]), outside, chance)


def _resumes(run, episodes):
    """Go on with a run; where it ends well it has a checkpoint."""
    _ends(f"resume={run}", f"episodes={episodes}", "evaluate.episodes=2")
    assert read_run(RunFolder(run))["episode"] >= 20, "it ended without a checkpoint"


def _file_of(folder, name):
    """The bytes of an array as they stand in the file of a checkpoint."""
    return np.load(folder / read_agent(folder)["arrays"][name]["file"], allow_pickle=False).tobytes()


# Targets


@target("checkpoint", 6, "plain", "rich")
def _checkpoint(place, outside, chance):
    run, folder = _changed_run(chance.choice(("plain", "rich")), place, outside, chance)
    read = chance.randrange(5)
    if read == 0:
        read_run(RunFolder(run))
    elif read == 1:
        tdl.average([folder, folder])
    elif read == 2:
        _ends(program=lambda: convert.main([str(folder), str(place / "out.w")]))
    else:
        player = tdl.load(folder, copy=chance.random() < 0.5)
        meta = read_agent(folder)
        assert player.network.weights.tobytes() == _file_of(folder, "weights"), "other weights than the file has"
        assert player.network.describe() == meta["network"], "another network than the file's"
        assert json.loads(json.dumps(player.engine.rules.to_dict())) == meta["rules"], "other rules than the file's"
        assert player.gamma == meta["learner"]["gamma"], "another discount than the file's"
        player.evaluate(2)


@target("resumed", 1, "plain", "rich")
def _resumed(place, outside, chance):
    _resumes(_changed_run(chance.choice(("plain", "rich")), place, outside, chance)[0], 30)


@target("evaluated", 1, "plain", "rich")
def _evaluated(place, outside, chance):
    run, _ = _changed_run(chance.choice(("plain", "rich")), place, outside, chance)
    words = (f"checkpoint={run}", "evaluate.episodes=2", f"hydra.run.dir={place / 'games'}")
    _ends(*words, program=tdl.cli.evaluate.main)


@target("deep", 2, "deep")
def _deep_read(place, outside, chance):
    from tdl.dqn import dqn_player as player

    run, folder = _changed_run("deep", place, outside, chance)
    if chance.random() < 0.5:
        _resumes(run, 24)
        return
    loaded = player.load(folder)
    own = np.concatenate([values.detach().numpy().ravel() for values in loaded.network.parameters()])
    assert own.tobytes() == _file_of(folder, "weights"), "other weights than the file has"
    assert np.isfinite(loaded.values([[2, 0, 0], [0, 4, 0]])).any()


@target("results", 3, "plain", "rich")
def _results(place, outside, chance):
    changed, other = (_copied(name, place) for name in ("plain", "rich"))
    names = ("result.json", "blocks.csv", "episodes.npy", "evaluation.npy")
    change([changed / name for name in names], outside, chance)
    read = chance.choice((tdl.results.runs, tdl.results.load, tdl.results.games, tdl.results.episodes, None))
    if read is None:
        json.dumps(Library(place).entries())
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = read(place)
    assert str(other) in set(frame["run"]), "a good run was left out"
    left_out = [warning for warning in caught if issubclass(warning.category, SkippedWarning)]
    assert len(left_out) <= 1
    if left_out:
        raise TdlError(str(left_out[0].message))


@target("report", 1, "swept", "plain")
def _reported(place, outside, chance):
    folder = _copied(chance.choice(("swept", "plain")), place)
    _change_runs(folder, outside, chance)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        _ends(program=lambda: tdl.cli.report.main([str(folder)]))
    page = Page((folder / "report.html").read_text())
    assert not {tag for tag, *_ in page.elements} & {"script", "iframe", "img", "object", "form"}, "more than text"
    assert "\x1b" not in (folder / "report.md").read_text()


@target("diff", 2, "plain", "rich")
def _compared(place, outside, chance):
    runs = [_copied(name, place) for name in ("plain", "rich")]
    _change_runs(chance.choice(runs), outside, chance)
    out = _ends(program=lambda: tdl.cli.diff.main([str(run) for run in runs])).stdout
    assert all(line.isprintable() for line in out.splitlines()), out


LINES = ["match 1 open a:b", "match 1 evil move 10", "match 1 evil move 25", "match 1 play take turn",
         "match 1 play move 1", "match 1 close a"]  # fmt: skip


@target("match", 1, "plain", "rich")
def _matched(place, outside, chance):
    run, _ = _changed_run(chance.choice(("plain", "rich")), place, outside, chance)
    words = [line.encode() for line in LINES for _ in range(chance.choice((1, 1, 1, 2)))]
    said = b"".join((changed_bytes(line, chance) if chance.random() < 0.2 else line) + b"\n" for line in words)
    said += chance.choice((b"", b"x" * 5000, b"\xff\n"))
    with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(said))):
        done = _ends(f"checkpoint={run}", "game=2048", "tiles=p90_10", "play_name=a", program=tdl.cli.match.main)
    lines = done.stderr.splitlines()
    assert all(line.startswith("tdl: line ") and line.isprintable() for line in lines), lines
    assert all(line.startswith("match ") for line in done.stdout.splitlines())


@target("begun", 1)
def _begun(place, outside, chance):
    """A new run, or a sweep, in a folder that somebody has prepared."""
    folder = place / "new"
    for _ in range(chance.choice((1, 1, 2, 4))):
        prepare(folder, outside, chance)
    if chance.random() < 0.7:
        _ends(*SMALL, "episodes=10", "evaluate.episodes=1", f"hydra.run.dir={folder}")
        return
    done = inside(*SMALL, "episodes=10", "evaluate.episodes=1", "-m", "seed=0,1", f"hydra.sweep.dir={folder}")
    if done.returncode:  # jobs have said a line each
        raise TdlError(done.stderr.splitlines()[-1].removeprefix("tdl: "))


@target("game", 2, "game.jsonl")
def _game(place, outside, chance):
    path = _copied("game.jsonl", place)
    change([path], outside, chance)
    if chance.random() < 0.2:
        game_file.rules_and_score(path)
    assert game_file.load(path).boards()


@target("weights", 2, "td.w", "tc.w", "demo.bin")
def _weights(place, outside, chance):
    path = _copied(chance.choice(("td.w", "tc.w", "demo.bin")), place)
    change([path], outside, chance)
    _ends(program=lambda: convert.main([str(path), str(place / "out")]))
    tdl.load(place / "out")


@target("solved", 2, "solved")
def _solved(place, outside, chance):
    folder = _copied("solved", place)
    change(folder.rglob("*"), outside, chance)
    solved = solution.load(folder)
    solved.values_of(np.arange(1000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))


@target("configured", 3, "plain", "rich")
def _configured(place, outside, chance):
    meta = json.loads((good(chance.choice(("plain", "rich"))) / "checkpoint" / "meta.json").read_text())
    path = place / "config.json"
    path.write_text(json.dumps(changed_json(meta["config"], chance)))
    setup = stored_setup(read_json(path))
    assert setup.rules.game in tdl.game.rules.GAMES


@target("requests", 3, "plain")
def _served(place, outside, chance):
    run = _copied("plain", place)
    if chance.random() < 0.5:
        _change_runs(run, outside, chance)
    asked(place, chance)


@target("page", 1, "plain", "browser")
def _paged(place, outside, chance):
    _copied("plain", place)
    shown(place, chance, lambda run: _change_runs(run, outside, chance))
