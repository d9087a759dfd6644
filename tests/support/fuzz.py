"""Fuzzing: files that others may have written are changed at random and read by all that reads them.

Every example ends in a correct load, or in one line and exit code 2, within seconds and within memory, and touches
nothing outside of its folder; else it is wrong. An example is known by its number: `python -m support.fuzz 10000`
tries so many and prints how they ended, `python -m support.fuzz --only 77` one of them, with what it said.
"""

import argparse
import collections
import contextlib
import io
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

import tdl
import tdl.results
from support.forged import signed
from support.mutations import change_file, change_numbers, changed_bytes, changed_json
from support.programs import files, inside, train
from support.recorded_games import SHAPES, trained
from support.weight_files import SMALL_DEMO, SMALL_TC, SMALL_TD
from tdl import convert, machine
from tdl.agents.description import read_agent
from tdl.cli.messages import explain
from tdl.config.stored import stored_config
from tdl.errors import SkippedWarning, TdlError
from tdl.game.rules import Rules
from tdl.runs.resume import read_run
from tdl.sessions import game_file
from tdl.sessions.recorder import record_game
from tdl.solver import solution
from tdl.storage.reading import read_json
from tdl.storage.run_folder import RunFolder
from tdl.web.library import Library

SECONDS = 20
"""Until an example hangs."""

MEMORY = 1 << 30
"""Bytes of memory that are free, as the program is told; it may take as much again."""

LOADED, REFUSED, WRONG = "loaded right", "refused", "wrong"


class Hang(BaseException):
    """An example took too long."""


@cache
def _base():
    """A folder of everything that is read, made once by each process."""
    place = Path(tempfile.mkdtemp(prefix="tdl-fuzz-"))
    words = ("episodes=20", "save.every=10", "save.keep=2")
    train(place / "plain", *words)
    train(place / "rich", *words, "learner=tc", "learner.stages=[16,64]", "learner.start=carousel")
    solution.save(place / "solved", solution.solve(Rules(rows=2, cols=2)))
    game_file.save(place / "game.json", record_game(trained(*SHAPES["2x4"]), 5))
    for name, content in (("td.w", SMALL_TD), ("tc.w", SMALL_TC), ("demo.bin", SMALL_DEMO)):
        (place / name).write_bytes(content)
    return place


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
    path = Path(shutil.copy(_base() / "game.json", place))
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
    path = Path(shutil.copy(_base() / chance.choice(("td.w", "tc.w", "demo.bin")), place))
    if chance.random() < 0.8:
        path.write_bytes(changed_bytes(path.read_bytes(), chance))
    else:
        change_file(path, outside, chance)
    _program(lambda: convert.main([str(path), str(place / "out")]))
    tdl.load(place / "out")


def _solved(place, outside, chance):
    folder = Path(shutil.copytree(_base() / "solved", place / "solved")) / "solution"
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
    meta = json.loads((_base() / chance.choice(("plain", "rich")) / "checkpoint" / "meta.json").read_text())
    path = place / "config.json"
    with contextlib.suppress(RecursionError):
        path.write_text(json.dumps(changed_json(meta["config"], chance)))
    try:
        config = read_json(path)
    except ValueError as error:
        raise TdlError(str(error)) from error
    settings = stored_config(config)
    assert settings.game.name in tdl.game.rules.GAMES


KINDS = [_checkpoint] * 6 + [_results] * 3 + [_game] * 2 + [_weights] * 2 + [_solved] * 2 + [_configured] * 3
KINDS += [_resumed, _evaluated]


def _copied(name, place):
    return Path(shutil.copytree(_base() / name, place / name))


def _exit(done):
    """As a program ends of itself: what `inside` caught is told again."""
    sys.stderr.write(done.stderr)
    if done.returncode:
        sys.exit(done.returncode)


def _program(work):
    """Run a program inside; its one line and exit code become an error again."""
    error, code = io.StringIO(), 0
    try:
        with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
            work()
    except SystemExit as exit_:
        code = exit_.code
    if not code:
        return
    lines = error.getvalue().splitlines()
    assert len(lines) == 1, f"not one line: {lines}"
    assert lines[0].startswith("tdl: ")
    assert code == 2 or "diverge" in lines[0] or "finite" in lines[0], f"exit code {code}: {lines[0]}"
    raise TdlError(lines[0])


def tried(number):
    """The kind of an example, how it ended, and what was said."""
    base, chance = _base(), random.Random(number)
    kind = chance.choice(KINDS)
    with tempfile.TemporaryDirectory(dir=base.parent) as room:
        place, outside = Path(room) / "place", Path(room) / "outside"
        place.mkdir(), outside.mkdir()
        for name in ("file", "weights-0000000001.npy", ".lost.new"):
            (outside / name).write_text("nobody may touch this")
        before = files(outside)
        outcome, line = _ended(lambda: kind(place, outside, chance))
        if (after := files(outside)) != before:
            outcome, line = WRONG, f"outside was touched: {before} {after}"
    return kind.__name__[1:], outcome, line


def _ended(work):
    """How an example ends, and what is said."""
    signal.signal(signal.SIGALRM, _hangs)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    here, (soft, hard) = Path.cwd(), resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_memory_used() + 2 * MEMORY, hard))
    free = machine.available_memory
    machine.available_memory = lambda: MEMORY
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            work()
        return LOADED, ""
    except (TdlError, OSError) as error:
        code, line = explain(error, True)
        right = "\n" not in line and len(line) < 1500 and line.isprintable()
        return (REFUSED if right and (code == 2 or "finite" in line or "diverg" in line) else WRONG), line
    except (Exception, Hang):
        return WRONG, traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        machine.available_memory = free
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        os.chdir(here)


def _memory_used():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _hangs(*_):
    raise Hang(f"more than {SECONDS} seconds")


def main():
    """Try many examples on all cores, and print how they ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=int, nargs="?", default=10_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="to stop after")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--processes", type=int, default=machine.cores())
    options = parser.parse_args()
    if options.only is not None:
        print(*tried(options.only), sep="\n")
        return 0
    numbers = range(options.first, options.first + options.examples)
    counts, wrong = collections.Counter(), 0
    end = time.monotonic() + options.seconds
    with ProcessPoolExecutor(options.processes) as pool:
        for number, (kind, outcome, line) in zip(numbers, pool.map(tried, numbers, chunksize=20), strict=True):
            if time.monotonic() > end:
                pool.shutdown(cancel_futures=True)
                break
            counts[kind, outcome] += 1
            if outcome == WRONG:
                wrong += 1
                print(f"example {number} ({kind}): {line[-1500:]}", flush=True)
    for kind in sorted({kind for kind, _ in counts}):
        told = ", ".join(f"{outcome} {counts[kind, outcome]:,}" for outcome in (REFUSED, LOADED, WRONG))
        print(f"{kind:<12} {told}")
    every = {outcome: sum(n for (_, o), n in counts.items() if o == outcome) for outcome in (REFUSED, LOADED, WRONG)}
    print(f"{sum(counts.values()):,} tried: {', '.join(f'{name} {n:,}' for name, n in every.items())}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
