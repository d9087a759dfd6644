"""Runs all experiments, or those named, by the commands of their pages: `make experiments`, `make experiments FULL=1`.

    python experiments/run_all.py [--full] [--keep] [EXPERIMENT ...]

Without --full a reduced version: a fiftieth of the games, moves or seconds, three seeds, and results in
outputs/reduced, so that nothing of the repository is changed; speeds are not measured, and what needs the snapshots
of a long run is left out. With it the budgets of the pages, results in experiments/ and docs/results.md made anew.
Folders of runs stay, so that the same command goes on where it was stopped, but not the checkpoints of an experiment
that is through, unless --keep asks for them.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf
from results import CHAPTERS
from results import main as make_results
from tqdm import tqdm

HERE = Path(__file__).parent
ROOT = HERE.parent
CONF = ROOT / "conf"
REDUCED = "outputs/reduced/"
PART = 50
LEAST_EPISODES, LEAST_SECONDS, LEAST_MOVES = 40, 2, 4_000
COMMAND = re.compile(r"^    (python (?:-m tdl\.|experiments/).+)$", re.M)


def commands(slug: str) -> list[list[str]]:
    """The commands of an experiment's page, in words: indented lines that begin with python."""
    return [shlex.split(line) for line in COMMAND.findall((HERE / slug / "README.md").read_text())]


TOO_LARGE = "fib_unshared"
"""Needs 13 GB of memory for any number of games."""


def reduced(words: list[str]) -> list[str] | None:
    """The same command for a fiftieth of the games, three seeds and other folders; None: it is left out."""
    if any(word.startswith("resume=") or "/kept/" in word or TOO_LARGE in word for word in words):
        return None
    words = [word.replace("outputs/", REDUCED) for word in words]
    program = words[2] if words[1] == "-m" else Path(words[1]).stem
    return SMALLER[program](words) if program in SMALLER else None


def _fewer_games(words: list[str]) -> list[str]:
    given = dict(word.split("=", 1) for word in words if "=" in word)
    defaults = OmegaConf.load(CONF / "run.yaml")
    experiment = OmegaConf.load(CONF / "experiment" / f"{given['experiment']}.yaml")

    def key(name: str) -> Any:
        value = given.get(name) or OmegaConf.select(experiment, name) or OmegaConf.select(defaults, name)
        return None if value in (None, "null") else yaml.safe_load(str(value))

    words = [*words, f"episodes={max(LEAST_EPISODES, key('episodes') // PART)}", "evaluate.episodes=200"]
    for name, least in {"budget.seconds": LEAST_SECONDS, "budget.moves": LEAST_MOVES}.items():
        if key(name):
            words.append(f"{name}={max(least, key(name) // PART)}")
    return [*words, "seed=0,1,2"] if key("hydra.sweeper.params.seed") else words


SMALLER = {
    "tdl.run": _fewer_games,
    "tdl.evaluate": lambda words: [*words, "evaluate.episodes=10"],
    "tdl.solve": lambda words: [
        word.replace("3x3", "2x3").replace("=1024", "=64").replace("=512", "=32") for word in words
    ],
    "collect": lambda words: [*words, f"into={REDUCED}{words[2]}"],
    "reach": lambda words: [*words, f"into={REDUCED}{words[2]}"],
}
"""How a program's command is made smaller."""


def run(slug: str, full: bool) -> tuple[list[str], bool]:
    """Run the commands of a page: a line for each that failed, and whether the last one did.

    Some runs diverge, as they should, which fails a sweep but not the table made of it.
    """
    failed, code = [], 0
    for words in commands(slug):
        chosen = words if full else reduced(words)
        if chosen is None:
            continue
        done = subprocess.run(
            [sys.executable, *chosen[1:]], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        code = done.returncode
        if code:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            failed.append(f"{slug}: {shlex.join(chosen)}: {last}")
    return failed, bool(code)


def drop_checkpoints(slug: str, full: bool) -> None:
    """Remove the networks of a page's runs: all together they take more than 100 GB."""
    chosen = (words if full else reduced(words) for words in commands(slug))
    folders = {word.split("=", 1)[1] for words in chosen if words for word in words if ".dir=" in word}
    for folder in folders:
        for checkpoint in [*(ROOT / folder).rglob("checkpoint"), *(ROOT / folder).rglob("kept")]:
            shutil.rmtree(checkpoint)


def main(*words: str) -> int:
    """Run them one after another, each on all cores; 1 if one has no result."""
    options, slugs = [word for word in words if word.startswith("--")], [word for word in words if word[:2] != "--"]
    if unknown := {*options} - {"--full", "--keep"}:
        sys.exit(f"no option {', '.join(unknown)}: --full or --keep")
    full = "--full" in options
    slugs = slugs or [slug for slugs in CHAPTERS.values() for slug in slugs]
    lines, failed, start = [], False, time.monotonic()
    bar = tqdm(slugs, unit="experiment")
    for slug in bar:
        bar.set_postfix_str(slug)
        said, last_failed = run(slug, full)
        lines += said
        failed |= last_failed
        if "--keep" not in options:
            drop_checkpoints(slug, full)
    if full:
        make_results()
    print(*lines, f"{len(slugs)} experiments in {(time.monotonic() - start) / 60:.0f} min", sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
