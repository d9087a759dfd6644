"""What is fuzzed: each target changes copies of good files, or requests, at random and has them read (`support.fuzz`).

A target ends well, or in a `TdlError` or `OSError`, whose line is one that a program would print; all else is wrong.
"""

import contextlib
import io
import json
import re
import shutil
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np

import tdl
import tdl.diff
import tdl.match
import tdl.report
import tdl.results
from support.forged import signed
from support.fuzz_given import given
from support.fuzz_web import asked, shown
from support.mutations import change_file, change_numbers, change_text, changed_bytes, changed_json, is_own, prepare
from support.pages import Page
from support.programs import SMALL, inside
from tdl import convert
from tdl.agents.description import read_agent
from tdl.config.stored import stored_setup
from tdl.errors import SkippedWarning, TdlError
from tdl.runs.resume import read_run
from tdl.sessions import game_file
from tdl.solver import solution
from tdl.storage.reading import read_json
from tdl.storage.run_folder import RunFolder
from tdl.web.library import Library


def _change_checkpoint(run, outside, chance):
    """Change one of the checkpoints of a run, in one of all ways."""
    folder = chance.choice((run / "checkpoint", run / "checkpoint", *(run / "kept").glob("0*")))
    meta = folder / "meta.json"
    how = chance.randrange(10)
    if how < 5:
        content = changed_json(json.loads(meta.read_text()), chance)
        with contextlib.suppress(RecursionError):
            meta.write_text(signed(content) if chance.random() < 0.9 else json.dumps(content))
    elif how < 7:
        change_numbers(folder, chance.choice(list(json.loads(meta.read_text())["arrays"])), chance)
    elif how < 9:
        change_file(chance.choice(sorted(each for each in folder.rglob("*") if each.is_file())), outside, chance)
    else:
        change_file(chance.choice(sorted(each for each in run.rglob("*") if each.is_file())), outside, chance)
    return folder


def _checkpoint(place, outside, chance):
    run = _copied(chance.choice(("plain", "rich")), place)
    folder = _change_checkpoint(run, outside, chance)
    read = chance.randrange(4)
    if read == 0:
        read_run(RunFolder(run))
    elif read == 1:
        tdl.average([folder, folder])
    elif read == 2:
        _program(lambda: convert.main([str(folder), str(place / "out.w")]))
        return
    player = tdl.load(folder, copy=chance.random() < 0.5)
    meta = read_agent(folder)
    entry = meta["arrays"]["weights"]
    data = (folder / entry["file"]).read_bytes()[entry["data_offset"] :]
    assert player.network.weights.tobytes() == data, "other weights than the file has"
    assert player.network.describe() == meta["network"], "another network than the file's"
    assert json.loads(json.dumps(player.engine.rules.to_dict())) == meta["rules"], "other rules than the file's"
    assert player.gamma == meta["learner"]["gamma"], "another discount than the file's"
    player.evaluate(2)


def _resumed(place, outside, chance):
    run = _copied(chance.choice(("plain", "rich")), place)
    _change_checkpoint(run, outside, chance)
    _program(lambda: _exit(inside(f"resume={run}", "episodes=30", "evaluate.episodes=2")))
    assert read_run(RunFolder(run))["episode"] >= 20, "it ended without a checkpoint"


def _evaluated(place, outside, chance):
    from tdl.evaluate import main

    run = _copied(chance.choice(("plain", "rich")), place)
    _change_checkpoint(run, outside, chance)
    words = (f"checkpoint={run}", "evaluate.episodes=2", f"hydra.run.dir={place / 'games'}")
    _program(lambda: _exit(inside(*words, program=main)))


def _results(place, outside, chance):
    runs = [_copied(name, place) for name in ("plain", "rich")]
    path = runs[0] / chance.choice(("result.json", "result.json", "blocks.csv", "episodes.npy", "evaluation.npy"))
    if path.name == "result.json" and chance.random() < 0.8:
        with contextlib.suppress(RecursionError):
            path.write_text(json.dumps(changed_json(json.loads(path.read_text()), chance)))
    else:
        change_file(path, outside, chance)
    read = chance.choice((tdl.results.runs, tdl.results.load, tdl.results.games, tdl.results.episodes, None))
    if read is None:
        json.dumps(Library(place).entries())
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        frame = read(place)
    assert str(runs[1]) in set(frame["run"]), "a good run was left out"
    left_out = [each for each in told if issubclass(each.category, SkippedWarning)]
    assert len(left_out) <= 1
    if left_out:
        raise TdlError(str(left_out[0].message))


def _game(place, outside, chance):
    path = Path(shutil.copy(given("game.jsonl"), place))
    if chance.random() < 0.6:
        lines = path.read_text().splitlines()
        number = chance.randrange(len(lines)) if chance.random() < 0.5 else 0
        content = changed_json(json.loads(lines[number]), chance)
        with contextlib.suppress(RecursionError):
            lines[number] = json.dumps(content)
        if chance.random() < 0.8:
            with contextlib.suppress(ValueError, TypeError, AttributeError):
                header, rest = json.loads(lines[0]), "".join(f"{line}\n" for line in lines[1:])
                lines[0] = json.dumps(header | {"digest": game_file.digest_of(header, rest)})
        path.write_text("".join(f"{line}\n" for line in lines))
    else:
        change_file(path, outside, chance)
    if chance.random() < 0.2:
        game_file.rules_and_score(path)
    assert game_file.load(path).boards()


def _weights(place, outside, chance):
    path = Path(shutil.copy(given(chance.choice(("td.w", "tc.w", "demo.bin"))), place))
    if chance.random() < 0.8:
        path.write_bytes(changed_bytes(path.read_bytes(), chance))
    else:
        change_file(path, outside, chance)
    _program(lambda: convert.main([str(path), str(place / "out")]))
    tdl.load(place / "out")


def _solved(place, outside, chance):
    folder = Path(shutil.copytree(given("solved"), place / "solved")) / "solution"
    meta = folder / "meta.json"
    how = chance.randrange(3)
    if how == 0:
        with contextlib.suppress(RecursionError):
            meta.write_text(signed(changed_json(json.loads(meta.read_text()), chance)))
    elif how == 1:
        change_numbers(folder, chance.choice(list(json.loads(meta.read_text())["arrays"])), chance)
    else:
        change_file(chance.choice(sorted(folder.iterdir())), outside, chance)
    solved = solution.load(folder)
    solved.values_of(np.arange(1000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))


def _configured(place, outside, chance):
    meta = json.loads((given(chance.choice(("plain", "rich"))) / "checkpoint" / "meta.json").read_text())
    path = place / "config.json"
    with contextlib.suppress(RecursionError):
        path.write_text(json.dumps(changed_json(meta["config"], chance)))
    try:
        config = read_json(path)
    except ValueError as error:
        raise TdlError(str(error)) from error
    assert stored_setup(config).rules.game in tdl.game.rules.GAMES


PROGRESS = re.compile(r"(check|train|evaluate) +[\d,]+/")
"""What a program says of itself where it takes a while."""


def _copied(name, place):
    return Path(shutil.copytree(given(name), place / name))


def _exit(done):
    """As a program ends of itself: what `inside` caught is told again."""
    sys.stderr.write(done.stderr)
    if done.returncode:
        sys.exit(done.returncode)


def _program(work, out=None):
    """Run a program inside; its one line and exit code become an error again."""
    error, code = io.StringIO(), 0
    try:
        with contextlib.redirect_stderr(error), contextlib.redirect_stdout(out or io.StringIO()):
            work()
    except SystemExit as exit_:
        code = exit_.code
    if not code:
        return
    lines = [line for line in error.getvalue().splitlines() if not PROGRESS.match(line)]
    assert len(lines) == 1, f"not one line: {lines}"
    assert lines[0].startswith("tdl: ")
    assert code == 2 or "diverge" in lines[0] or "finite" in lines[0], f"exit code {code}: {lines[0]}"
    raise TdlError(lines[0])


def _deep_read(place, outside, chance):
    from tdl.dqn import player

    run = _copied("deep", place)
    folder = _change_checkpoint(run, outside, chance)
    if chance.random() < 0.5:
        _program(lambda: _exit(inside(f"resume={run}", "episodes=24", "evaluate.episodes=1")))
        assert read_run(RunFolder(run))["episode"] >= 20, "it ended without a checkpoint"
        return
    loaded = player.load(folder)
    meta = read_agent(folder)
    entry = meta["arrays"]["weights"]
    own = np.concatenate([values.detach().numpy().ravel() for values in loaded.network.parameters()])
    data = (folder / entry["file"]).read_bytes()[entry["data_offset"] :]
    assert own.tobytes() == data, "other weights than the file has"
    assert np.isfinite(loaded.values([[2, 0, 0], [0, 4, 0]])).any()


LINES = ["match 1 open a:b", "match 1 evil move 10", "match 1 evil move 25", "match 1 play take turn",
         "match 1 play move 1", "match 1 close a"]  # fmt: skip


def _matched(place, outside, chance):
    run = _copied(chance.choice(("plain", "rich")), place)
    if chance.random() < 0.6:
        _change_checkpoint(run, outside, chance)
    words = [line.encode() for line in LINES for _ in range(chance.choice((1, 1, 1, 2)))]
    said = b"".join((changed_bytes(line, chance) if chance.random() < 0.2 else line) + b"\n" for line in words)
    said += chance.choice((b"", b"x" * 5000, b"\xff\n"))
    with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(said))):
        done = inside(f"checkpoint={run}", "game=2048", "tiles=p90_10", "play_name=a", program=tdl.match.main)
    lines = done.stderr.splitlines()
    if done.returncode:
        _program(lambda: _exit(done))
    assert all(line.startswith("tdl: line ") and line.isprintable() for line in lines), lines
    assert all(line.startswith("match ") for line in done.stdout.splitlines())


def _change_runs(place, folder, outside, chance):
    """Change files of runs, or of a sweep of some, in one of all ways."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        path = chance.choice(sorted(each for each in folder.rglob("*") if is_own(each)))
        is_text = path.stat().st_size < 1 << 20 and chance.random() < 0.9
        if path.suffix == ".json" and is_text:
            with contextlib.suppress(ValueError, RecursionError):
                path.write_text(json.dumps(changed_json(json.loads(path.read_text()), chance)))
        elif path.suffix in (".yaml", ".csv", ".log") and is_text:
            change_text(path, outside, chance)
        else:
            change_file(path, outside, chance)
    if chance.random() < 0.2:
        prepare(chance.choice([folder, *(each for each in folder.iterdir() if each.is_dir())]), outside, chance)


def _reported(place, outside, chance):
    name = chance.choice(("swept", "plain"))
    folder = _copied(name, place)
    _change_runs(place, folder, outside, chance)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        _program(lambda: tdl.report.main([str(folder)]))
    page = Page((folder / "report.html").read_text())
    assert not {tag for tag, *_ in page.elements} & {"script", "iframe", "img", "object", "form"}, "more than text"
    assert "\x1b" not in (folder / "report.md").read_text()


def _compared(place, outside, chance):
    runs = [_copied(name, place) for name in ("plain", "rich")]
    _change_runs(place, chance.choice(runs), outside, chance)
    out = io.StringIO()
    _program(lambda: tdl.diff.main([str(run) for run in runs]), out)
    assert all(line.isprintable() for line in out.getvalue().splitlines()), out.getvalue()


def _begun(place, outside, chance):
    """A new run, or a sweep, in a folder that somebody has prepared."""
    folder = place / "new"
    for _ in range(chance.choice((1, 1, 2, 4))):
        prepare(folder, outside, chance)
    sweeps = chance.random() < 0.3
    words = ["-m", "seed=0,1", f"hydra.sweep.dir={folder}"] if sweeps else [f"hydra.run.dir={folder}"]
    done = inside(*SMALL, "episodes=10", "evaluate.episodes=1", *words)
    if sweeps and done.returncode:
        raise TdlError(done.stderr.splitlines()[-1].removeprefix("tdl: "))
    _program(lambda: _exit(done))


def _served(place, outside, chance):
    run = _copied("plain", place)
    if chance.random() < 0.5:
        _change_runs(place, run, outside, chance)
    asked(place, chance)


def _paged(place, outside, chance):
    _copied("plain", place)
    shown(place, outside, chance, partial(_change_runs, place))


@dataclass(frozen=True)
class Target:
    """Something that is fuzzed.

    Attributes
    ----------
    name : in tables.
    share : how often it has its turn, against the others.
    needs : names of what `given` makes for it.
    read : changes copies in a folder, by a `random.Random`, and has them read; beside it nothing may be touched.
    """

    name: str
    share: int
    needs: tuple[str, ...]
    read: Callable


_RUNS = ("plain", "rich")

TARGETS = {
    target.name: target
    for target in (
        Target("checkpoint", 6, _RUNS, _checkpoint),
        Target("resumed", 1, _RUNS, _resumed),
        Target("evaluated", 1, _RUNS, _evaluated),
        Target("deep", 2, ("deep",), _deep_read),
        Target("results", 3, _RUNS, _results),
        Target("report", 1, ("swept", "plain"), _reported),
        Target("diff", 2, _RUNS, _compared),
        Target("match", 1, _RUNS, _matched),
        Target("begun", 1, (), _begun),
        Target("game", 2, ("game.jsonl",), _game),
        Target("weights", 2, ("td.w", "tc.w", "demo.bin"), _weights),
        Target("solved", 2, ("solved",), _solved),
        Target("configured", 3, _RUNS, _configured),
        Target("requests", 3, ("plain",), _served),
        Target("page", 1, ("plain", "browser"), _paged),
    )
}
"""All that is fuzzed, by name."""
