"""Look at a sweep while it runs, or after: `tdl status outputs/SWEEP`; without a folder the newest in outputs."""

import json
import math
import os
import shutil
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

from tdl.cli.messages import CommandParser, one_line_errors
from tdl.errors import TdlError
from tdl.runs.forecast import time_text
from tdl.statistics.intervals import interval_text
from tdl.storage.result_file import lack
from tdl.storage.run_folder import OUTPUTS, RESULT, RUNNING, SWEEP
from tdl.sweeps.sweep_files import SweepFiles
from tdl.sweeps.sweep_settings import STOPPED
from tdl.sweeps.sweep_state import State, state_of
from tdl.sweeps.table import MAX_ROWS

BAR, SHORTEST = 20, 14  # characters of a bar, and of a name at least
SECONDS = 2.0  # between two looks


def newest() -> Path:
    """The sweep in the folder of outputs whose command was given last."""
    sweeps = [path for path in Path(OUTPUTS).glob(f"*/{SWEEP}") if path.is_file()]
    if not sweeps:
        raise TdlError(f"{OUTPUTS}: no sweep in it; tdl status FOLDER looks at another")
    return max(sweeps, key=os.path.getmtime).parent


def check_sweep(folder: Path) -> None:
    """Refuse a folder that no sweep has made, and say what there is."""
    if (folder / SWEEP).is_file():
        return
    hint = ""
    if (folder / RESULT).is_file():
        hint = "; a run, of which tdl report tells"
    elif below := sorted(path.parent.name for path in folder.glob(f"*/{SWEEP}")):
        hint = f"; sweeps below: {', '.join(below[:5])}{', ...' * (len(below) > 5)}"
    elif any(folder.glob(f"*/{RESULT}")):
        hint = "; runs that were begun one by one, of which tdl report tells"
    raise TdlError(f"{folder}: no sweep ({lack(folder, SWEEP)}){hint}")


def as_text(state: State, width: int) -> str:
    """A state for a terminal of this width: what there is, the settings, what runs, the answer."""
    counts = {name: number for name, number in state["jobs"].items() if number and name != "all"}
    jobs = ", ".join(f"{number:,} {name}" for name, number in counts.items())
    left = "" if state["left"] is None else f"; {'at most ' * state['at_most']}{time_text(state['left'])} left"
    left = "; the same command goes on" if state["status"] == STOPPED else left
    head = [f"{state['folder']}: {state['status']}{left}", f"{state['jobs']['all']:,} jobs: {jobs}"]
    head += [f"race: {state['race']['text']}"] if state["race"] else []
    running = [_running(job, state["settings"][job["setting"]]["name"]) for job in state["running"]]
    tail = [line for text in (state["answer"], *state["notes"]) for line in textwrap.wrap(text, width)]
    parts = [head, _table(state["settings"], width), running, tail]
    return "\n".join("".join(f"{_cut(line, width)}\n" for line in part) for part in parts if part)


def _table(settings: Sequence[State], width: int) -> list[str]:
    """A line for each setting: its mean with its interval, its seeds, and what becomes of it."""
    rows = [("", "mean score", "seeds", ""), *map(_row, settings[:MAX_ROWS])]
    name, mean, seeds = (max(len(row[column]) for row in rows) for column in range(3))
    name = min(name, max(SHORTEST, width - mean - seeds - SHORTEST))
    heads = [f"{_cut(row[0], name):{name}}  {row[1]:>{mean}}  {row[2]:>{seeds}}  " for row in rows]
    lines = [line for head, row in zip(heads, rows, strict=True) for line in _wrapped(head, row[3], width)]
    return lines + [f"... and {len(settings) - MAX_ROWS} settings below these"] * (len(settings) > MAX_ROWS)


def _wrapped(head: str, about: str, width: int) -> list[str]:
    """A line, and others below it for what does not fit in it."""
    first, *others = textwrap.wrap(about, max(SHORTEST, width - len(head))) or [""]
    return [f"{head}{first}".rstrip(), *(" " * len(head) + line for line in others)]


def _row(setting: State) -> tuple[str, str, str, str]:
    figures = [math.nan if setting[name] is None else setting[name] for name in ("mean", "low", "high")]
    about = setting["why"] if setting["state"] in setting["why"] else f"{setting['state']}; {setting['why']}"
    return setting["name"], interval_text(*figures), f"{setting['seeds']}/{setting['of']}", about.rstrip("; ")


def _running(job: State, name: str) -> str:
    """A job that runs: a bar, its speed, the time left."""
    share = job["share"] or 0.0
    words = [f"{name}, seed {job['seed']}", f"{job['speed']:,.0f} moves/s" if job["speed"] else ""]
    left = "" if job["left"] is None else f"{time_text(job['left'])} left"
    bar = f"{'#' * round(BAR * share):.<{BAR}}"
    return f"[{bar}] {share:4.0%}  " + ", ".join(filter(None, [*words, left]))


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl status`."""
    parser = CommandParser(prog="tdl status", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, nargs="?", help="of a sweep")
    parser.add_argument("--json", action="store_true", help="for programs: all that is known, in one line")
    parser.add_argument("--watch", action="store_true", help="again every two seconds, while it runs")
    options = parser.parse_args(words)
    folder = options.folder or newest()
    check_sweep(folder)
    files = SweepFiles(folder)
    while True:
        state = state_of(files)
        columns = shutil.get_terminal_size((100, 24)).columns
        print(json.dumps(state, allow_nan=False) if options.json else as_text(state, columns).rstrip(), flush=True)
        if not options.watch or state["status"] != RUNNING:
            break
        print()
        time.sleep(SECONDS)
