"""What differs between two runs: their configurations, results, and what they ran on. Needs no pandas."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
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

REACH = "reach "

Values = Mapping[str, Any]

Row = tuple[str, str, str]
"""A key and its values in two runs."""


def difference(folders: tuple[Path, Path]) -> str:
    """A table of what differs between the runs, evaluations or solved games in two folders.

    Raises
    ------
    TdlError : a folder without a result, or with a damaged one.
    """
    runs = [_run(folder) for folder in folders]
    results = [run.read_result() for run in runs]
    parts = {
        "configuration": _rows(results, _config, value_text),
        "results": _rows(results, _results, _number),
        "games after training": _rows(results, _evaluation, lambda _, value: str(value)),
        "ran on": _rows(results, _origin, lambda _, value: str(value)),
    }
    if not parts["configuration"]:
        parts["configuration"] = [(f"the same, in all {len(flat(results[0]['config']))} keys", "", "")]
    titles = _titles(folders)
    return _table(titles, parts) + _gap(runs, results, titles)


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


def _rows(results: Sequence[Values], part: Callable[[Values], Values], text: Callable[[str, Any], str]) -> list[Row]:
    """The values of a part that differ; "-" stands where a run has no such key."""
    one, other = map(part, results)

    def cell(values: Values, key: str) -> str:
        if key not in values:
            return "0.0%" if values and key.startswith(REACH) else "-"
        shown = printable(text(key, values[key]))
        return shown if len(shown) <= WIDTH else f"{shown[: WIDTH - 1]}…"

    def plain(values: Values, key: str) -> str:
        return json.dumps([values[key]] if key in values else [], sort_keys=True)

    return [
        (key, cell(one, key), cell(other, key)) for key in {**one, **other} if plain(one, key) != plain(other, key)
    ]


def _config(result: Values) -> Values:
    """The choices of groups and the configuration, with the step size that was used if the learner has its own."""
    used = {key: result[key] for key in ("alpha",) if key in result}
    return {**result.get("names", {}), **flat(result["config"]), **used}


def _origin(result: Values) -> Values:
    return flat({key: result[key] for key in ORIGIN if key in result})


def _results(result: Values) -> Values:
    figures = {key: result[key] for key in FIGURES if key in result}
    return figures | flat({"exact": result.get("evaluation", {}).get("exact", {})})


def _evaluation(result: Values) -> Values:
    """Figures of the games without learning, as text."""
    evaluation = result.get("evaluation", {})
    if not evaluation.get("episodes"):
        return {}
    low, high = evaluation["mean_ci95"] or (math.nan, math.nan)
    return {
        "mean": interval_text(evaluation["mean"], low, high),
        **{name: _number(name, evaluation[name]) for name in EVALUATED if name in evaluation},
        **{f"{REACH}{tile}": f"{100 * share['rate']:.1f}%" for tile, share in evaluation["reach"].items()},
    }


def _number(_: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def _table(titles: tuple[str, str], parts: Mapping[str, Sequence[Row]]) -> str:
    """The parts that are not empty below each other, with the same columns."""
    rows = [("", *titles), *(row for part in parts.values() for row in part)]
    first, second = (max(len(row[column]) for row in rows) + extra for column, extra in ((0, 4), (1, 2)))

    def line(key: str, one: str, other: str) -> str:
        return f"{key:{first}}{one:{second}}{other}".rstrip() + "\n"

    text = line(*rows[0])
    for name, part in parts.items():
        text += f"{name}\n" * bool(part) + "".join(line(f"  {key}", one, other) for key, one, other in part)
    return text


def _gap(runs: Sequence[RunFolder], results: Sequence[Values], titles: tuple[str, str]) -> str:
    """The difference of the mean scores with its interval; nothing unless both have games without learning."""
    if not all(run.evaluation.is_file() and _evaluation(result) for run, result in zip(runs, results, strict=True)):
        return ""
    scores = [load_records(run.evaluation)["score"].astype(float) for run in runs]
    gap = interval_text(*contrast_interval(scores[::-1], [1.0, -1.0]))
    return f"mean of {titles[1]} - mean of {titles[0]}: {gap}, over these games; other seeds may differ more\n"
