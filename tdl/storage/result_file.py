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
    check_number,
    check_object,
    check_share,
    check_text,
    check_true_or_false,
    check_whole,
    or_null,
)
from tdl.errors import TdlError, naming, refuse
from tdl.storage.reading import read_json

RESULT = "result.json"
"""Configuration, versions, status and figures."""

WEIGHTS = "weights"
"""Key of a finished run's result: what became of the weights, one of the following."""

KEPT_WEIGHTS, DELETED_WEIGHTS, NO_WEIGHTS = "kept", "deleted", "none"

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
    with naming(path, TdlError):
        check_object("", result, _ENTRIES, optional=_ENTRIES)
    return result


def has_deleted_weights(folder: Path) -> bool:
    """Whether a run finished in this folder that was to leave no weights."""
    try:
        return bool(read_result(folder / RESULT).get(WEIGHTS) == DELETED_WEIGHTS)
    except (OSError, TdlError):
        return False


def _check_config(key: str, config: Any) -> None:
    """Names of keys that are no columns of something else; the values are shown as they are."""
    check_object(key, config, {"seed": _COUNT, "episodes": _COUNT}, optional=("seed", "episodes"))
    _check_names(key, config)


def _check_names(key: str, value: Any) -> None:
    check_mapping(key, value)
    for name, item in value.items():
        if not re.fullmatch(r"(?!eval_|reach_)\w+", name, re.ASCII):
            raise refuse(key, name, "the name of a key")
        if isinstance(item, Mapping):
            _check_names(f"{key}.{name}", item)


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


def _check_interval(key: str, bounds: Any) -> None:
    check_list(key, bounds, check_number)
    if len(bounds) != 2:
        raise refuse(key, bounds, "two numbers")


def _check_reached(key: str, share: Any) -> None:
    tile = key.rpartition(".")[2]
    if not re.fullmatch(r"\d{1,10}", tile, re.ASCII):
        raise refuse(key, tile, "the value of a tile")
    check_object(key, share, {"rate": check_share, "ci95": _check_interval}, optional=("ci95",))


_COUNT = partial(check_whole, least=0)
_AMOUNT = partial(check_number, least=0)

_EXACT = dict.fromkeys(("expected", "optimal", "gap", "largest_value_error"), check_number)

_EVALUATION: dict[str, Check] = {
    "episodes": _COUNT,
    "mean": check_number,
    "mean_ci95": or_null(_check_interval),
    "median": check_number,
    "max": check_number,
    "moves": _COUNT,
    "seconds": _AMOUNT,
    "moves_per_second": _AMOUNT,
    "reach": partial(check_mapping, check=_check_reached),
    "exact": lambda key, value: check_object(key, value, _EXACT),
}

_CHECKPOINT: dict[str, Check] = {"path": check_text, "digest": check_text, "episode": _COUNT}

_ENTRIES: dict[str, Check] = {
    "config": _check_config,
    "names": _check_chosen,
    "status": partial(check_choice, choices=(RUNNING, FINISHED, INTERRUPTED, FAILED)),
    "error": _check_error,
    "seed": _COUNT,
    "alpha": check_number,
    "episodes": _COUNT,
    "moves": _COUNT,
    "seconds": _AMOUNT,
    "moves_per_second": or_null(_AMOUNT),
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
