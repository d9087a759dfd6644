"""Fuzzing: files that others may have written, and requests, are changed at random and read by all that reads them.

Every example ends in a correct load, or in one line and exit code 2, within seconds and within memory, and touches
nothing outside of its folder; else it is wrong. An example is known by its number: `python -m support.fuzz 10000`
tries so many and prints how they ended, `python -m support.fuzz --only 77` one of them, with what it said. What is
read, and how, stands in `support.fuzz_targets`.
"""

import argparse
import collections
import contextlib
import io
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pandas as pd

from support.browser import NotHere
from support.fuzz_files import good
from support.fuzz_targets import TARGETS
from support.mutations import change, prepare
from support.programs import files
from tdl.base import machine
from tdl.cli.messages import explain
from tdl.errors import TdlError

LIMITS = ((signal.ITIMER_PROF, signal.SIGPROF, 20), (signal.ITIMER_REAL, signal.SIGALRM, 400))
"""Seconds until an example hangs, of its processor and of the clock: a busy machine makes it wait."""

MEMORY = 1 << 30
"""Bytes of memory that are free, as the program is told; it may take as much again."""

REFUSED, LOADED, WRONG, LEFT_OUT = "refused", "loaded right", "wrong", "left out"
"""How an example ends."""


class Hang(BaseException):
    """An example took too long."""


def tried(number, name=None):
    """The target of an example, of any or of this name, how it ended, and what was said."""
    chance = random.Random(number)
    name = name or chance.choices([*TARGETS], [target.share for target in TARGETS.values()])[0]
    try:
        for part in TARGETS[name].needs:  # before time and memory are counted
            good(part)
    except NotHere as error:
        return name, LEFT_OUT, str(error)
    with tempfile.TemporaryDirectory(prefix="tdl-fuzz-") as room:
        place, outside = Path(room) / "place", Path(room) / "outside"
        place.mkdir(), outside.mkdir()
        for file in ("file", "weights-0000000001.npy", ".lost.new"):
            (outside / file).write_text("nobody may touch this")
        before = files(outside)
        outcome, line = judged(partial(_read, TARGETS[name], place, outside, chance))
        if (after := files(outside)) != before:
            outcome, line = WRONG, f"outside was touched: {before} {after}"
    return name, outcome, line


def _read(target, place, outside, chance):
    """Copy what a target needs, change one of the copies, and have it read."""
    for part in target.needs:
        copy = shutil.copytree if good(part).is_dir() else shutil.copy
        copy(good(part), place / part)
    changed = place / chance.choice(target.needs) if target.needs else place / "new"
    if changed.is_file():
        change([changed], outside, chance)
    elif changed.is_dir():
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            change(changed.glob(chance.choice(target.files)), outside, chance)
    if not changed.is_file() and chance.random() < (0.1 if target.needs else 1):
        for _ in range(chance.choice((1, 1, 2, 4))):
            prepare(chance.choice((changed, changed, changed / "checkpoint")), outside, chance)
    target.read(changed, place, chance)


def judged(work):
    """How an example ends, and what is said."""
    for timer, number, seconds in LIMITS:
        signal.signal(number, _hang)
        signal.setitimer(timer, seconds)
    here, (soft, hard) = Path.cwd(), resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2 * MEMORY, hard))
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
        for timer, *_ in LIMITS:
            signal.setitimer(timer, 0)
        machine.available_memory = free
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        os.chdir(here)


def _hang(*_):
    raise Hang


def main():
    """Try many examples on all cores, and print how they ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", type=int, nargs="?", default=10_000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="to stop after")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--target", choices=TARGETS, help="of this target alone")
    options = parser.parse_args()
    if options.only is not None:
        print(*tried(options.only, options.target), sep="\n")
        return 0
    numbers = range(options.first, options.first + options.examples)
    counts, end = collections.Counter(), time.monotonic() + options.seconds
    with ProcessPoolExecutor(machine.cores()) as pool:
        examples = pool.map(partial(tried, name=options.target), numbers, chunksize=20)
        for number, (name, outcome, line) in zip(numbers, examples, strict=True):
            counts[name, outcome] += 1
            if outcome == WRONG:
                print(f"example {number} ({name}): {line[-1500:]}", flush=True)
            if time.monotonic() > end:
                pool.shutdown(cancel_futures=True)
                break
    table = pd.Series(counts).unstack(fill_value=0)
    table.loc["all"] = table.sum()
    print(table)
    return int(WRONG in table)


if __name__ == "__main__":
    sys.exit(main())
