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
import signal
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from support.browser import NotHere
from support.fuzz_targets import TARGETS, good
from support.programs import files
from tdl.base import machine
from tdl.cli.messages import explain
from tdl.errors import TdlError

SECONDS = 20
"""Until an example hangs."""

MEMORY = 1 << 30
"""Bytes of memory that are free, as the program is told; it may take as much again."""

OUTCOMES = REFUSED, LOADED, WRONG, LEFT_OUT = "refused", "loaded right", "wrong", "left out"


class Hang(BaseException):
    """An example took too long."""


def target_of(chance):
    """The name of the target of an example, by its share."""
    return chance.choices([*TARGETS], [target.share for target in TARGETS.values()])[0]


def tried(number, name=None):
    """The target of an example, of any or of this name, how it ended, and what was said."""
    chance = random.Random(number)
    name = name or target_of(chance)
    target = TARGETS[name]
    try:
        for part in target.needs:  # before time and memory are counted
            good(part)
    except NotHere as error:
        return name, LEFT_OUT, str(error)
    with tempfile.TemporaryDirectory(prefix="tdl-fuzz-") as room:
        place, outside = Path(room) / "place", Path(room) / "outside"
        place.mkdir(), outside.mkdir()
        for each in ("file", "weights-0000000001.npy", ".lost.new"):
            (outside / each).write_text("nobody may touch this")
        before = files(outside)
        outcome, line = _ended(lambda: target.read(place, outside, chance))
        if (after := files(outside)) != before:
            outcome, line = WRONG, f"outside was touched: {before} {after}"
    return name, outcome, line


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
    parser.add_argument("--target", choices=TARGETS, help="of this target alone")
    parser.add_argument("--processes", type=int, default=machine.cores())
    options = parser.parse_args()
    if options.only is not None:
        print(*tried(options.only, options.target), sep="\n")
        return 0
    numbers = range(options.first, options.first + options.examples)
    counts, wrong, try_it = collections.Counter(), 0, partial(tried, name=options.target)
    end = time.monotonic() + options.seconds
    with ProcessPoolExecutor(options.processes) as pool:
        for number, (kind, outcome, line) in zip(numbers, pool.map(try_it, numbers, chunksize=20), strict=True):
            if time.monotonic() > end:
                pool.shutdown(cancel_futures=True)
                break
            counts[kind, outcome] += 1
            if outcome == WRONG:
                wrong += 1
                print(f"example {number} ({kind}): {line[-1500:]}", flush=True)
    for name in (*TARGETS, None):
        ends = {
            outcome: sum(counts[kind, outcome] for kind in TARGETS if name in (kind, None)) for outcome in OUTCOMES
        }
        if any(ends.values()):
            print(f"{name or 'all':<12} {', '.join(f'{outcome} {n:,}' for outcome, n in ends.items())}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
