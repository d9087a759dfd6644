"""Where runs come from: the commands that made them, commit, machine, versions, date."""

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import prod
from operator import attrgetter
from pathlib import Path

import pandas as pd
from hydra.core.override_parser.overrides_parser import OverridesParser

from tdl.base.synonyms import new_word
from tdl.errors import ConfigError, printable
from tdl.results.design import NO_FACTORS
from tdl.storage.reading import read_notes
from tdl.storage.run_folder import FINISHED, HYDRA, SWEEP, RunFolder
from tdl.storage.titles import value_text

ALWAYS_TOLD = ("game", "size", "tiles", "placer", "agent", "tuples", "learner", "alpha", "gamma", "episodes",
               "budget.moves", "budget.seconds", "block", "lanes", "threads", "replicas", "evaluate.episodes",
               "evaluate.plies")  # fmt: skip
MAX_COMMANDS = 8  # that are shown
INTERVAL = "interval("  # of a key whose values are drawn
SWEEP_KEYS = "hydra.callbacks.sweep."  # where Hydra has the keys of a sweep, as race.on


@dataclass(frozen=True)
class Start:
    """A program that was started: its name, its words but for those about folders, in which folder, and when."""

    program: str
    words: tuple[str, ...]
    folder: str = field(default="", compare=False)
    time: float = field(default=0.0, compare=False)

    def line(self) -> str:
        """The command; `-m` where a word has several values."""
        if any(len(_values(word)) > 1 or INTERVAL in word for word in self.words):
            return shlex.join(["tdl", self.program, "-m", *self.words])
        words = [word for word in self.words if not word.startswith(("race.", "trials."))]
        return shlex.join(["tdl", self.program, *words])


Starts = Mapping[Path, Sequence[Start]]  # of each job, by its folder: the first, and those that went on with it


def starts_of(jobs: Iterable[Path]) -> dict[Path, list[Start]]:
    """What Hydra noted in the folders of jobs, or of runs; nothing of those without its notes."""
    files = {job: (job / HYDRA).rglob("hydra.yaml") for job in jobs}
    return {job: sorted(filter(None, map(_read, paths)), key=attrgetter("time")) for job, paths in files.items()}


def facts(table: pd.DataFrame) -> dict[str, str]:
    """Commit, machine, versions and date of the runs in a table of `tdl.results.runs`."""
    folders = [RunFolder(run) for run in table["run"]]
    results = [result for folder in folders if (result := folder.result_if_whole())]
    ends = sorted(folder.result.stat().st_mtime for folder in folders if folder.result.exists())
    dates = [datetime.fromtimestamp(end).astimezone().strftime("%Y-%m-%d %H:%M %Z") for end in ends]
    commits, machines, versions = [], [], []
    for result in results:
        dirty = ", with changes that are in no commit" if result.get("dirty") else ""
        commits.append(f"{result['commit']}{dirty}" if result.get("commit") else "")
        words = [result.get(key) for key in ("cpu", "instructions")]
        machines.append(", ".join(word for word in words if word and word != "none"))
        versions.append(", ".join(map(" ".join, result.get("versions", {}).items())))
    texts = {"Ended": (dates[:1] + dates[-1:], " to "), "Commit": (commits, "; "), "Machine": (machines, "; "),
             "Versions": (versions, "; ")}  # fmt: skip
    return {name: between.join(dict.fromkeys(filter(None, parts))) for name, (parts, between) in texts.items()}


def held_fixed(table: pd.DataFrame, varied: Sequence[str], starts: Starts) -> str:
    """What all runs have in common: the keys that a reader asks for, and those of the commands."""
    ended = table[table["status"] == FINISHED]
    table = table.assign(episodes=ended["episodes"])  # what was played: of a run that failed, that is no choice
    words = [word for of_job in starts.values() for start in of_job for word in start.words]
    keys = dict.fromkeys((*ALWAYS_TOLD, *(word.partition("=")[0].lstrip("+") for word in words)))
    left_out = {*varied, *NO_FACTORS} - {"episodes"}
    values = {key: table[key].dropna().drop_duplicates() for key in keys if key in table and key not in left_out}
    return ", ".join(f"{key} {value_text(key, of_key.iloc[0])}" for key, of_key in values.items() if len(of_key) == 1)


def commands(folders: Iterable[Path], starts: Starts) -> list[str]:
    """Command lines that do the same in new folders, in the order of time."""
    sweeps, left = list[Start](), dict(starts)
    for path in sorted(path.resolve() for folder in folders for path in folder.rglob(SWEEP)):
        sweep = _read(path)
        jobs = [job for job, of_job in left.items() if job.parent == path.parent and of_job and sweep
                and _is_of(of_job[0], sweep)]  # fmt: skip
        if sweep and jobs:
            sweeps.append(sweep)
            left |= {job: left[job][1:] for job in jobs}
    singles = sorted((start for of_job in left.values() for start in of_job), key=attrgetter("time"))
    lines = [start.line() for start in sorted([*sweeps, *_joined(singles)], key=attrgetter("time"))]
    more = len(lines) - MAX_COMMANDS
    return [*lines[:MAX_COMMANDS], *([f"# and {more} more, which .hydra/overrides.yaml of each run has"] * (more > 0))]


def _read(path: Path) -> Start | None:
    """What a file of Hydra tells of a start."""
    try:
        hydra = read_notes(path)["hydra"]
        chosen = [word for word in hydra["overrides"]["hydra"] if not word.startswith("hydra.")]  # as hydra/launcher=
        task = [new_word(re.sub(r"(?<=[=,])'(\d+)'", r"\1", word)) for word in hydra["overrides"]["task"]]
        chosen += [
            word.removeprefix(SWEEP_KEYS) for word in hydra["overrides"]["hydra"] if word.startswith(SWEEP_KEYS)
        ]
        words = {word.partition("=")[0]: word for word in (*task, *chosen)}  # the last of a key counts
        program, folder = hydra["job"]["config_name"], hydra["runtime"]["cwd"]
        if not (isinstance(program, str) and isinstance(folder, str)):
            return None
        return Start(program, tuple(words.values()), printable(folder), path.stat().st_mtime)
    except (OSError, ConfigError, KeyError, TypeError, AttributeError):
        return None  # cut or foreign: nothing is known


def _is_of(start: Start, sweep: Start) -> bool:
    """Whether a job is one of those that the words of a sweep stand for."""
    if start.program != sweep.program or len(start.words) != len(sweep.words):
        return False
    values = {value for word in sweep.words for value in _values(word)}
    drawn = {word.partition("=")[0] for word in sweep.words if INTERVAL in word}
    return all(word in values or word.partition("=")[0] in drawn for word in start.words)


def _values(word: str) -> list[str]:
    """The words that one with several values, as "alpha=0.1,0.3", stands for."""
    try:
        override = OverridesParser.create().parse_override(word)
        if not override.is_sweep_override():
            return [word]
        return [f"{override.get_key_element()}={value}" for value in override.sweep_string_iterator()]
    except Exception:  # Hydra's own grammar has errors of many kinds; such a word is taken as it stands
        return [word]


def _joined(starts: Iterable[Start]) -> list[Start]:
    """Starts that are all combinations of some values are one with these values; all others stay."""
    groups: dict[tuple[str, ...], dict[Start, None]] = {}
    for start in starts:
        keys = tuple(word.partition("=")[0] for word in start.words)
        groups.setdefault((start.program, *keys), {})[start] = None
    joined: list[Start] = []
    for group in groups.values():
        columns = [list(dict.fromkeys(words)) for words in zip(*(start.words for start in group), strict=True)]
        whole = prod(map(len, columns)) == len(group)
        words = tuple(",".join([words[0], *(word.partition("=")[2] for word in words[1:])]) for words in columns)
        joined += [replace(next(iter(group)), words=words)] if whole else list(group)
    return joined
