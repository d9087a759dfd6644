"""Runs all experiments, or those of some pages, by their commands.sh: `make experiments`, `make experiments FULL=1`.

    python -m experiments.tools.run_all [--full] [--keep] [PAGE ...]

Without --full a reduced version: a fiftieth of the games, moves or seconds, three seeds, and results in
outputs/reduced, so that nothing of the repository is changed; speeds are not measured, and what needs the snapshots
of a long run is left out. With it the budgets of commands.sh, results in experiments/, and all numbers made anew.
The folders of runs stay, so that the same command continues where it was stopped. The checkpoints of a finished
page are deleted, unless --keep asks for them.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tqdm import tqdm

from experiments.tools import EXPERIMENTS, pages
from experiments.tools.commands import commands, reduced

FOLDERS = ("out=", "hydra.run.dir=", "hydra.sweep.dir=")
"""Words that name the folders of runs."""


def run(written: list[list[str]], root: Path) -> tuple[list[str], bool]:
    """Run commands: a line for each that failed, and whether the last one did.

    Some runs are meant to diverge. That fails their sweep but not the table made of it.
    """
    failures, code = [], 0
    for words in written:
        program = [sys.executable, "-m", *words]
        done = subprocess.run(program, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        code = done.returncode
        if code:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            failures.append(f"{shlex.join(words)}: {last}")
    return failures, bool(code)


def delete_checkpoints(written: list[list[str]], root: Path) -> None:
    """Delete the networks of the runs of commands: those of all pages together take more than 100 GB."""
    for folder in {word.split("=", 1)[1] for words in written for word in words if word.startswith(FOLDERS)}:
        for checkpoint in [*(root / folder).rglob("checkpoint"), *(root / folder).rglob("kept")]:
            shutil.rmtree(checkpoint)


def main(*words: str, home: Path = EXPERIMENTS) -> int:
    """Run the pages one after another, each on all cores; 1 if one has no result."""
    parser = argparse.ArgumentParser(prog="python -m experiments.tools.run_all")
    parser.add_argument("--full", action="store_true", help="with the budgets of commands.sh")
    parser.add_argument("--keep", action="store_true", help="keep the checkpoints")
    parser.add_argument("page", nargs="*", help="only these")
    options = parser.parse_args(words)
    known = [path.parent.name for path in sorted(home.glob("*/commands.sh"))]
    lines, failed, start = [], False, time.monotonic()
    for page in tqdm(options.page or known, unit="page"):
        written = commands(page, home)
        if not options.full:
            written = [fewer for each in written if (fewer := reduced(each))]
        failures, last_failed = run(written, home.parent)
        lines += [f"{page}: {line}" for line in failures]
        failed |= last_failed
        if not options.keep:
            delete_checkpoints(written, home.parent)
    if options.full:
        pages.main()
    print(*lines, f"{len(options.page or known)} pages in {(time.monotonic() - start) / 60:.0f} min", sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
