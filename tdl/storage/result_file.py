"""The file `result.json` of a run, an evaluation or a solved game: its name, its checks, what became of weights."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tdl.checks import (
    Check,
    check_choice,
    check_list,
    check_mapping,
    check_object,
    check_share,
    check_text,
    check_true_or_false,
    check_value,
    check_whole,
    or_null,
)
from tdl.errors import TdlError, naming, refuse
from tdl.old_names import with_new_names
from tdl.storage.reading import read_json

RESULT = "result.json"
"""Configuration, versions, status and figures."""

WEIGHTS = "weights"
"""Key of a finished run's result: what became of the weights, one of the following."""

KEPT_WEIGHTS, DELETED_WEIGHTS, NO_WEIGHTS = "kept", "deleted", "none"

MAX_KEYS = 1000
"""Of a configuration; ours have some hundred, each a column of a table."""

MAX_TILES = 64
"""Reached by some games."""

MAX_FIGURE = 1e15
"""Any figure; of much larger ones nothing could be drawn."""

RUNNING, FINISHED, INTERRUPTED, FAILED = "running", "finished", "interrupted", "failed"
"""The statuses of a run."""


def read_result(path: Path) -> dict[str, Any]:
    """What a `result.json` says, with every entry that is known here checked.

    Raises
    ------
    TdlError : it is cut, corrupt, of no run, or an entry is of another type or out of range; it names the entry.
    OSError : it is missing, or cannot be read.
    """
    try:
        result = read_json(path)
    except ValueError as error:
        raise TdlError(f"{path}: cut or corrupt: {error}") from error
    if not isinstance(result, dict) or "config" not in result:
        raise TdlError(f"{path}: not the result of a run")
    result = with_new_names(result)
    with naming(path, TdlError):
        check_result(result)
    return result


def check_result(result: Mapping[str, Any]) -> None:
    """Refuse a result of which an entry that is known here is of another type or out of range."""
    check_object("", result, _ENTRIES, optional=_ENTRIES)


def has_deleted_weights(folder: Path) -> bool:
    """Whether a run finished in this folder that was to leave no weights."""
    try:
        return bool(read_result(folder / RESULT).get(WEIGHTS) == DELETED_WEIGHTS)
    except (OSError, TdlError):
        return False


def _check_config(key: str, config: Any) -> None:
    """Names of keys that are no columns of something else; but for those that are counted with, the values are shown
    as they are.
    """
    check_object(key, config, _COUNTED, optional=_COUNTED)
    if (number := _check_names(key, config)) > MAX_KEYS:
        raise refuse(key, f"{number:,} keys", f"at most {MAX_KEYS:,}")
    if "checkpoint" in config:  # an evaluation
        check_object(key, config, {"evaluate": lambda key, value: check_object(key, value, _GAMES)})


def _check_names(key: str, value: Any) -> int:
    """Check the names of keys, also of nested ones; how many there are."""
    check_mapping(key, value)
    number = len(value)
    for name, item in value.items():
        if not re.fullmatch(r"(?!eval_|reach_)\w+", name, re.ASCII):
            raise refuse(key, name, "the name of a key")
        if isinstance(item, Mapping):
            number += _check_names(f"{key}.{name}", item)
    return number


def _check_chosen(key: str, names: Any) -> None:
    _check_names(key, names)
    check_mapping(key, names, check_text)


def _check_error(key: str, error: Any) -> None:
    if not isinstance(error, str):
        raise refuse(key, error, "text")


def _check_evaluation(key: str, evaluation: Any) -> None:
    check_object(key, evaluation, _EVALUATION, optional=_EVALUATION)
    if evaluation.get("episodes"):
        check_object(key, evaluation, {name: _EVALUATION[name] for name in ("mean", "mean_ci95", "reach")})
        low, high = evaluation["mean_ci95"] or (-MAX_FIGURE, MAX_FIGURE)
        if not low <= evaluation["mean"] <= high:
            raise refuse(f"{key}.mean", evaluation["mean"], f"a number in its interval, from {low} to {high}")


def _check_interval(key: str, bounds: Any) -> None:
    check_list(key, bounds, _FIGURE)
    if len(bounds) != 2:
        raise refuse(key, bounds, "two numbers")


def _check_reach(key: str, reach: Any) -> None:
    check_mapping(key, reach, _check_reached)
    if len(reach) > MAX_TILES:
        raise refuse(key, f"{len(reach):,} tiles", f"at most {MAX_TILES}")


def _check_reached(key: str, share: Any) -> None:
    tile = key.rpartition(".")[2]
    if not re.fullmatch(r"\d{1,10}", tile, re.ASCII):
        raise refuse(key, tile, "the value of a tile")
    check_object(key, share, {"rate": check_share, "ci95": _check_interval}, optional=("ci95",))


def _check_amount(key: str, value: Any) -> None:
    _FIGURE(key, value)
    if value < 0:
        raise refuse(key, value, f"a number from 0 to {MAX_FIGURE:,.0f}")


_COUNT = partial(check_whole, least=0, below=int(MAX_FIGURE) + 1)
_SEED = partial(check_whole, least=0)
_FIGURE = partial(check_value, most=MAX_FIGURE)

_GAMES: dict[str, Check] = {"episodes": _COUNT, "plies": _COUNT}

_COUNTED: dict[str, Check] = {
    "seed": _SEED,
    "episodes": _COUNT,
    "evaluate": lambda key, value: check_object(key, value, _GAMES, optional=_GAMES),
}
"""Keys of a configuration that tables and figures count with."""

_NEWER = ("value_bias", "value_rmse")
"""Figures that results of earlier versions lack."""

_EXACT = dict.fromkeys(("expected", "optimal", "gap", "largest_value_error", *_NEWER), _FIGURE)

_EVALUATION: dict[str, Check] = {
    "episodes": _COUNT,
    "mean": _FIGURE,
    "mean_ci95": or_null(_check_interval),
    "median": _FIGURE,
    "max": _FIGURE,
    "moves": _COUNT,
    "seconds": _check_amount,
    "moves_per_second": _check_amount,
    "reach": _check_reach,
    "exact": lambda key, value: check_object(key, value, _EXACT, optional=_NEWER),
}

_CHECKPOINT: dict[str, Check] = {"path": check_text, "digest": check_text, "episode": _COUNT}

_ENTRIES: dict[str, Check] = {
    "config": _check_config,
    "names": _check_chosen,
    "status": partial(check_choice, choices=(RUNNING, FINISHED, INTERRUPTED, FAILED)),
    "error": _check_error,
    "seed": _SEED,
    "alpha": _FIGURE,
    "episodes": _COUNT,
    "moves": _COUNT,
    "seconds": _check_amount,
    "moves_per_second": or_null(_check_amount),
    "peak_memory_bytes": _COUNT,
    "config_hash": check_text,
    "evaluation": _check_evaluation,
    "checkpoints": partial(check_list, check=lambda key, value: check_object(key, value, _CHECKPOINT)),
    "versions": partial(check_mapping, check=check_text),
    "commit": or_null(check_text),
    "dirty": or_null(check_true_or_false),
    "cpu": or_null(check_text),
    "instructions": or_null(check_text),
    WEIGHTS: partial(check_choice, choices=(KEPT_WEIGHTS, DELETED_WEIGHTS, NO_WEIGHTS)),
}
