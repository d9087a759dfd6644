"""What differs between two runs: their configurations, results, and what they ran on. Needs no pandas."""

import json
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tdl.errors import TdlError, printable
from tdl.statistics.intervals import contrast_interval, interval_text
from tdl.storage.records import load_records
from tdl.storage.result_file import RESULT
from tdl.storage.run_folder import CHECKPOINT, RunFolder
from tdl.storage.titles import flat, value_text

WIDTH = 44
"""Characters of a value: the cells of tuples would fill the line."""

ORIGIN = ("commit", "dirty", "versions", "cpu", "instructions")
"""What `result.json` says of what a run ran on."""

FIGURES = ("status", "error", "episodes", "moves", "seconds", "moves_per_second")
"""Figures of a run, and of the games after it `EVALUATED`."""

EVALUATED = ("episodes", "median", "max", "moves_per_second")

Row = tuple[str, ...]


def difference(folders: tuple[Path, Path]) -> str:
    """A table of what differs between the runs, evaluations or solved games in two folders.

    Raises
    ------
    TdlError : a folder without a result, or with a damaged one.
    """
    runs = [_run(folder) for folder in folders]
    one, other = (run.read_result() for run in runs)
    titles = _titles(folders)
    equal, config = _differing(_config(one), _config(other), value_text)
    names = _differing(one.get("names", {}), other.get("names", {}), value_text)[1]
    config = [*(row for row in names if row[0] not in dict.fromkeys(key for key, *_ in config)), *config]
    parts = [
        ("configuration", config or [(f"the same, in all {equal} keys", "", "")]),
        ("results", _results(one, other)),
        ("games after training", _evaluations(one, other)),
        ("ran on", _differing(_origin(one), _origin(other), lambda _, value: str(value))[1]),
    ]
    text = _table(titles, [(name, rows) for name, rows in parts if rows])
    return text + _gap(runs, (one, other), titles)


def _run(folder: Path) -> RunFolder:
    run = RunFolder(folder.parent if folder.name == CHECKPOINT else folder)
    if not run.result.is_file():
        several = any(run.path.glob(f"*/{RESULT}"))
        hint = "; it has several runs below: give the folders of two, or see tdl report" if several else ""
        raise TdlError(f"{folder}: no run in it (no {RESULT}){hint}")
    return run


def _titles(folders: tuple[Path, Path]) -> tuple[str, str]:
    names = tuple(folder.resolve().name for folder in folders)
    one, other = map(printable, names if names[0] != names[1] else map(str, folders))
    return one, other


def _config(result: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration, with the step size that was used where it leaves that to the learner."""
    return flat(result["config"]) | {key: result[key] for key in ("alpha",) if key in result}


def _differing(
    one: Mapping[str, Any], other: Mapping[str, Any], text: Callable[[str, Any], str]
) -> tuple[int, list[Row]]:
    """How many keys are equal, and the rows of the others; "-" stands where a run has no such key."""
    keys = dict.fromkeys([*one, *other])
    rows = [(key, *(_short(text(key, each[key])) if key in each else "-" for each in (one, other))) for key in keys
            if key not in one or key not in other or _plain(one[key]) != _plain(other[key])]  # fmt: skip
    return len(keys) - len(rows), rows


def _plain(value: Any) -> Any:
    return json.dumps(value, sort_keys=True)


def _short(text: str) -> str:
    text = printable(text)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


def _origin(result: Mapping[str, Any]) -> dict[str, Any]:
    return flat({key: result[key] for key in ORIGIN if key in result})


def _results(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[Row]:
    figures = [{key: each[key] for key in FIGURES if key in each} for each in (one, other)]
    exact = [flat({"exact": each.get("evaluation", {}).get("exact", {})}) for each in (one, other)]
    return [row for part in (figures, exact) for row in _differing(part[0], part[1], _number)[1]]


def _evaluations(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[Row]:
    """The rows of the games without learning."""
    figures = []
    for result in (one, other):
        evaluation, told = result.get("evaluation", {}), {}
        if evaluation.get("episodes"):
            low, high = evaluation["mean_ci95"] or (math.nan, math.nan)
            told = {"mean": interval_text(evaluation["mean"], low, high)}
            told |= {name: _number(name, evaluation[name]) for name in EVALUATED if name in evaluation}
            told |= {f"reach {tile}": f"{100 * share['rate']:.1f}%" for tile, share in evaluation["reach"].items()}
        figures.append(told)
    for told, others in (figures, figures[::-1]):
        if told:
            told |= {key: "0.0%" for key in others if key.startswith("reach ") and key not in told}
    return _differing(figures[0], figures[1], lambda _, value: str(value))[1]


def _number(_: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def _table(titles: tuple[str, str], parts: Iterable[tuple[str, list[Row]]]) -> str:
    """The parts below each other, with the same columns."""
    parts = list(parts)
    rows = [("", *titles), *((f"  {key}", *values) for _, part in parts for key, *values in part)]
    named, first = (max(len(row[column]) for row in rows) + 2 for column in (0, 1))

    def line(row: Row) -> str:
        return f"{row[0]:{named}}{row[1]:{first}}{row[2]}".rstrip() + "\n"

    text = line(rows[0])
    for name, part in parts:
        text += f"{name}\n" + "".join(line((f"  {key}", *values)) for key, *values in part)
    return text


def _gap(runs: list[RunFolder], results: tuple[Mapping[str, Any], ...], titles: tuple[str, str]) -> str:
    """The difference of the mean scores with its interval; nothing unless both have games without learning."""
    if not all(run.evaluation.is_file() and result.get("evaluation", {}).get("episodes")
               for run, result in zip(runs, results, strict=True)):  # fmt: skip
        return ""
    scores = [load_records(run.evaluation)["score"].astype(float) for run in runs]
    told = interval_text(*contrast_interval(scores[::-1], [1.0, -1.0]))
    return f"mean of {titles[1]} - mean of {titles[0]}: {told}, over these games; other seeds may differ more\n"
