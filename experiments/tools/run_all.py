"""Runs all experiments, or those named, by their commands.sh: `make experiments`, `make experiments FULL=1`.

    python -m experiments.tools.run_all [--full] [--keep] [EXPERIMENT ...]

Without --full a reduced version: a fiftieth of the games, moves or seconds, three seeds, and results in
outputs/reduced, so that nothing of the repository is changed; speeds are not measured, and what needs the snapshots
of a long run is left out. With it the budgets of commands.sh, results in experiments/, and all numbers made anew.
The folders of runs stay, so that the same command continues where it was stopped. The checkpoints of a finished
experiment are deleted, unless --keep asks for them.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tqdm import tqdm

from experiments.tools import EXPERIMENTS, pages
from experiments.tools.commands import commands, reduced

OPTIONS = {"--full", "--keep"}


def run(experiment: str, full: bool, home: Path = EXPERIMENTS) -> tuple[list[str], bool]:
    """Run the commands of an experiment: a line for each that failed, and whether the last one did.

    Some runs are meant to diverge. That fails their sweep but not the table made of it.
    """
    failures, code = [], 0
    for words in chosen_commands(experiment, full, home):
        done = subprocess.run(
            [sys.executable, *words[1:]], cwd=home.parent, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        code = done.returncode
        if code:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            failures.append(f"{experiment}: {shlex.join(words)}: {last}")
    return failures, bool(code)


def chosen_commands(experiment: str, full: bool, home: Path = EXPERIMENTS) -> list[list[str]]:
    """The commands to run: as commands.sh has them, or reduced."""
    chosen = (words if full else reduced(words) for words in commands(experiment, home))
    return [words for words in chosen if words is not None]


def delete_checkpoints(experiment: str, full: bool, home: Path = EXPERIMENTS) -> None:
    """Delete the networks of an experiment's runs: all together they take more than 100 GB."""
    words = [word for command in chosen_commands(experiment, full, home) for word in command]
    for folder in {word.split("=", 1)[1] for word in words if ".dir=" in word}:
        path = home.parent / folder
        for checkpoint in [*path.rglob("checkpoint"), *path.rglob("kept")]:
            shutil.rmtree(checkpoint)


def main(*words: str, home: Path = EXPERIMENTS) -> int:
    """Run the experiments one after another, each on all cores; 1 if one has no result."""
    options = {word for word in words if word.startswith("--")}
    if unknown := options - OPTIONS:
        sys.exit(f"no option {', '.join(unknown)}: --full or --keep")
    full = "--full" in options
    known = [path.parent.name for path in sorted(home.glob("*/commands.sh"))]
    experiments = [word for word in words if not word.startswith("--")] or known
    lines, failed, start = [], False, time.monotonic()
    bar = tqdm(experiments, unit="experiment")
    for experiment in bar:
        bar.set_postfix_str(experiment)
        failures, last_failed = run(experiment, full, home)
        lines += failures
        failed |= last_failed
        if "--keep" not in options:
            delete_checkpoints(experiment, full, home)
    if full:
        pages.main()
    print(*lines, f"{len(experiments)} experiments in {(time.monotonic() - start) / 60:.0f} min", sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
