"""Runs all experiments, or those of some pages, by their commands.sh: `make experiments`, `make experiments FULL=1`.

    python -m experiments.tools.run_all [--full] [--keep] [PAGE ...]

Without --full a fiftieth of the games, moves or seconds, three seeds, and results in outputs/reduced, so that nothing
of the repository is changed; what needs the snapshots of a long run is left out. With it the budgets of commands.sh,
results in experiments/, and all numbers made anew. The folders of runs stay, so that the same command continues where
it was stopped. The checkpoints of a finished page are deleted, unless --keep asks for them.
"""

import argparse
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from tqdm import tqdm

from experiments.tools import EXPERIMENTS, ROOT, pages

REDUCED = "outputs/reduced/"  # the folder of reduced runs and of their results
PART = 50
LEAST = {"episodes": 40, "budget.seconds": 2, "budget.moves": 4_000}
FOLDERS = ("out=", "hydra.run.dir=", "hydra.sweep.dir=")  # words that name the folders of runs
TOO_LARGE = "fib_unshared"  # an experiment that needs 13 GB for any number of games; so such folders of others begin
TOOLS = ("tools.collect", "tools.curve", "tools.own_steps", "tools.variants",
         "basic_learners.analyse", "replicas.analyse", "values.analyse")  # fmt: skip
"""Programs of experiments that make tables of reduced runs, too."""


def commands(page: str, home: Path = EXPERIMENTS) -> list[list[str]]:
    """The commands of a page, in words as after `python -m`; # begins a comment."""
    lines = (home / page / "commands.sh").read_text().replace("\\\n", " ").splitlines()
    written = [words for line in lines if (words := shlex.split(line, comments=True))]
    return [words if words[0] == "tdl" else words[2:] for words in written]


def reduced(words: list[str]) -> list[str] | None:
    """The same command for a fiftieth of the budget, three seeds and folders in outputs/reduced; None: left out."""
    if any(word.startswith("resume=") or "/kept/" in word for word in words):
        return None
    rest = [word for word in words if TOO_LARGE not in word]
    if rest != words and (words[0] == "tdl" or TOO_LARGE in words[1]):
        return None  # but what a table is made of is there without it
    program, *words = (word.replace("outputs/", REDUCED) for word in rest)
    if program != "tdl":
        return [program, *_into_reduced(program, words)] if program.removeprefix("experiments.") in TOOLS else None
    if words[0] == "evaluate":
        return [program, *words, "evaluate.episodes=10"]
    reduce = _smaller_board if words[0] == "solve" else _fewer_games
    return [program, *reduce(words)]


def _fewer_games(words: list[str]) -> list[str]:
    asked = dict(word.split("=", 1) for word in words if "=" in word)
    files = [OmegaConf.load(ROOT / "conf" / name) for name in (f"experiment/{asked['experiment']}.yaml", "run.yaml")]

    def setting(key: str) -> Any:
        return asked.get(key) or next(filter(None, (OmegaConf.select(file, key) for file in files)), "null")

    budgets = {key: setting(key) for key in LEAST if setting(key) != "null"}
    fewer = [f"{key}={max(LEAST[key], int(float(budget)) // PART)}" for key, budget in budgets.items()]
    several = setting("hydra.sweeper.params.seed") != "null" and "hydra.mode=RUN" not in words
    return [*words, *fewer, "evaluate.episodes=200", *(["seed=0,1,2"] if several else [])]


def _smaller_board(words: list[str]) -> list[str]:
    smaller = [word.replace("3x3", "2x3").replace("=1024", "=64").replace("=512", "=32") for word in words]
    name = "_".join(word.partition("=")[2] for word in smaller[1:])
    return smaller if REDUCED in name else [*smaller, f"out={REDUCED}{name}"]


def _into_reduced(program: str, words: list[str]) -> list[str]:
    page = program.split(".")[1] if words[0].startswith(REDUCED) else words[0]
    own = any(word.startswith("into=") for word in words)  # tables beside the experiment's results
    return words if own else [*words, f"into={REDUCED}{page}"]


def run(words: list[str], root: Path) -> str:
    """Run a command; the last line of what it says if it fails."""
    done = subprocess.run([sys.executable, "-m", *words], cwd=root, capture_output=True, text=True)
    return (done.stderr.strip() or "no message").splitlines()[-1] if done.returncode else ""


def delete_checkpoints(written: list[list[str]], root: Path) -> None:
    """Delete the networks of the runs of commands: those of all pages together take more than 100 GB."""
    for folder in {word.split("=", 1)[1] for words in written for word in words if word.startswith(FOLDERS)}:
        for checkpoint in [*(root / folder).rglob("checkpoint"), *(root / folder).rglob("kept")]:
            shutil.rmtree(checkpoint)


def main(*words: str, home: Path = EXPERIMENTS) -> int:
    parser = argparse.ArgumentParser(prog="python -m experiments.tools.run_all")
    parser.add_argument("--full", action="store_true", help="with the budgets of commands.sh")
    parser.add_argument("--keep", action="store_true", help="keep the checkpoints")
    parser.add_argument("page", nargs="*", help="only these")
    options = parser.parse_args(words)
    known = [path.parent.name for path in sorted(home.glob("*/commands.sh"))]
    if unknown := {*options.page} - {*known}:
        parser.error(f"no page {', '.join(unknown)}: one of {', '.join(known)}")
    lines, failed, start = [], False, time.monotonic()
    for page in tqdm(options.page or known, unit="page"):
        written = commands(page, home)
        if not options.full:
            written = [fewer for each in written if (fewer := reduced(each))]
        messages = [run(words, home.parent) for words in written]
        failed |= any(messages[-1:])  # runs that are meant to diverge fail their sweep, but not the table made of it
        failures = [shlex.join(words) + f": {said}" for words, said in zip(written, messages, strict=True) if said]
        lines += [f"{page}: {line}" for line in failures]
        if not options.keep:
            delete_checkpoints(written, home.parent)
    if options.full:
        pages.main()
    print(*lines, f"{len(options.page or known)} pages in {(time.monotonic() - start) / 60:.0f} min", sep="\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
