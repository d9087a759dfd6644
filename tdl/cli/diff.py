"""What differs between two runs: `tdl diff outputs/A outputs/B`; keys, results and what they ran on."""

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tdl.cli.messages import CommandParser, one_line_errors
from tdl.errors import TdlError, printable
from tdl.statistics.intervals import contrast_interval, interval_text
from tdl.storage.records import load_records
from tdl.storage.result_file import lack
from tdl.storage.run_folder import CHECKPOINT, RESULT, RunFolder, run_in
from tdl.storage.titles import flat, value_text

WIDTH = 44  # characters of a value: the cells of tuples would fill the line
ORIGIN = ("commit", "dirty", "versions", "cpu", "instructions")  # what `result.json` says of what a run ran on
METRICS = ("status", "error", "episodes", "moves", "seconds", "moves_per_second")  # of a run
EVALUATED = ("episodes", "median", "max", "moves_per_second")  # metrics of the games after it
REACH = "reach "

Values = Mapping[str, Any]
Row = tuple[str, str, str]  # a key and its values in two runs


def difference(folders: Sequence[Path]) -> str:
    """A table of what differs between the runs, evaluations or solved games in two folders.

    Raises
    ------
    TdlError : a folder without a result, or with a damaged one.
    """
    runs = [_run(folder) for folder in folders]
    results = [run.read_result() for run in runs]
    names = [folder.resolve().name for folder in folders]
    titles = [*map(printable, names if names[0] != names[1] else map(str, folders))]
    evaluated = [_evaluation(result) for result in results]
    origins = [flat({key: result[key] for key in ORIGIN if key in result}) for result in results]
    parts = {
        "configuration": _rows(map(_config, results), value_text),
        "results": _rows(map(_results, results), lambda _, value: _number(value)),
        "games after training": _rows(evaluated, lambda _, value: str(value)),
        "ran on": _rows(origins, lambda _, value: str(value)),
    }
    if not parts["configuration"]:
        parts["configuration"] = [(f"the same, in all {len(flat(results[0]['config']))} keys", "", "")]
    text = _table(titles, parts)
    if not all(evaluated) or not all(run.evaluation.is_file() for run in runs):
        return text
    scores = [load_records(run.evaluation)["score"].astype(float) for run in runs]
    gap = interval_text(*contrast_interval(scores[::-1], [1.0, -1.0]))
    return f"{text}mean of {titles[1]} - mean of {titles[0]}: {gap}, over these games; other seeds may differ more\n"


def _run(folder: Path) -> RunFolder:
    run = RunFolder(folder.parent if folder.name == CHECKPOINT else run_in(folder))
    if not run.result.is_file():
        several = any(run.path.glob(f"*/{RESULT}"))
        hint = "; it has several runs below: give the folders of two, or see tdl report" if several else ""
        raise TdlError(f"{folder}: no run in it ({lack(run.path, RESULT)}){hint}")
    return run


def _config(result: Values) -> Values:
    """The choices of groups and the configuration, with the step size that was used if the learner has its own."""
    configured = flat(result["config"])
    if "alpha" in result:
        configured |= {"alpha": result["alpha"]}
        configured.pop("learner.alpha", None)  # which gave way, or is the same
    return {**result.get("names", {}), **configured}


def _results(result: Values) -> Values:
    metrics = {key: result[key] for key in METRICS if key in result}
    return metrics | flat({"exact": result.get("evaluation", {}).get("exact", {})})


def _evaluation(result: Values) -> Values:
    """Metrics of the games without learning, as text."""
    evaluation = result.get("evaluation", {})
    if not evaluation.get("episodes"):
        return {}
    low, high = evaluation["mean_ci95"] or (math.nan, math.nan)
    return {
        "mean": interval_text(evaluation["mean"], low, high),
        **{name: _number(evaluation[name]) for name in EVALUATED if name in evaluation},
        **{f"{REACH}{tile}": f"{100 * share['rate']:.1f}%" for tile, share in evaluation["reach"].items()},
    }


def _number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


def _rows(values: Iterable[Values], text: Callable[[str, Any], str]) -> list[Row]:
    """The values of two runs that differ; "-" stands where a run has no such key."""
    first, second = values

    def cell(run: Values, key: str) -> str:
        if key not in run:
            return "0.0%" if run and key.startswith(REACH) else "-"
        shown = printable(text(key, run[key]))
        return shown if len(shown) <= WIDTH else f"{shown[: WIDTH - 1]}…"

    def differs(key: str) -> bool:
        texts = {json.dumps([run[key]] if key in run else [], sort_keys=True) for run in (first, second)}
        return len(texts) > 1

    return [(key, cell(first, key), cell(second, key)) for key in {**first, **second} if differs(key)]


def _table(titles: Sequence[str], parts: Mapping[str, Sequence[Row]]) -> str:
    """The parts that are not empty below each other, with the same columns."""
    rows = [("", *titles)]
    for name, part in parts.items():
        rows += [(name, "", ""), *((f"  {key}", *values) for key, *values in part)] if part else []
    first = 2 + max(len(key) for key, *_ in rows if key.startswith(" "))  # names of parts may be longer
    second = 2 + max(len(value) for _, value, _ in rows)
    return "".join(f"{key:{first}}{a:{second}}{b}".rstrip() + "\n" for key, a, b in rows)


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl diff`."""
    parser = CommandParser(prog="tdl diff", description=__doc__)
    for name in ("A", "B"):
        parser.add_argument(name, type=Path, help="the folder of a run, an evaluation or a solved game")
    options = parser.parse_args(words)
    print(difference((options.A, options.B)), end="")
