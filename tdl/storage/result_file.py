"""The file `result.json` of a run, an evaluation or a solved game: its name, its checks, what became of weights."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from tdl.base.checks import (
    MAX_COUNT,
    Check,
    check_choice,
    check_instance,
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
from tdl.base.synonyms import with_new_names
from tdl.errors import ConfigError, TdlError, naming, nearest, refuse
from tdl.storage.reading import read_json

RESULT = "result.json"  # configuration, versions, status and figures

RUNNING, FINISHED, INTERRUPTED, FAILED = "running", "finished", "interrupted", "failed"
PAUSED = "paused"  # at a rung of a race
"""The statuses of a run."""

WEIGHTS = "weights"
"""Key of a finished run's result: what became of the weights, one of the following."""

KEPT_WEIGHTS, DELETED_WEIGHTS, NO_WEIGHTS = "kept", "deleted", "none"

MAX_KEYS = 1000  # of a configuration; ours have some hundred, each a column of a table
MAX_TILES = 64  # reached by some games
MAX_FIGURE = 1e15  # of much larger ones nothing could be drawn


def lack(folder: Path, name: str) -> str:
    """Why a folder has no file of this name: it is not there itself, or only the file is missing."""
    if folder.exists():
        return f"no {name}"
    beside = (path.name for path in folder.parent.iterdir()) if folder.parent.is_dir() else ()
    return f"no such folder{nearest(folder.name, beside)}"


def read_result(path: Path) -> dict[str, Any]:
    """What a `result.json` says, with every entry that is known here checked.

    Raises
    ------
    TdlError : it is cut, corrupt, of no run, or an entry is of another type or out of range; it names the entry.
    OSError : it is missing, or cannot be read.
    """
    with naming(path, TdlError):
        result = read_json(path)
        if not isinstance(result, dict) or "config" not in result:
            raise ConfigError("not the result of a run")
        result = with_new_names(result)
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
    """The names are those of keys; of the values only those that are counted with are more than shown."""
    check_object(key, config, _COUNTED, optional=_COUNTED)
    if (number := _check_names(key, config)) > MAX_KEYS:
        raise refuse(key, f"{number:,} keys", f"at most {MAX_KEYS:,}")
    if "checkpoint" in config:  # an evaluation
        check_object(key, config, {"evaluate": partial(check_object, entries=_GAMES)})


def _check_names(key: str, value: Any) -> int:
    """Check that names, also nested ones, are no columns of something else; how many there are."""
    check_mapping(key, value)
    number = len(value)
    for name, item in value.items():
        if not (name.isascii() and name.isidentifier()) or name.startswith(("eval_", "reach_")):
            raise refuse(key, name, "the name of a key")
        if isinstance(item, dict):
            number += _check_names(f"{key}.{name}", item)
    return number


def _check_chosen_names(key: str, names: Any) -> None:
    _check_names(key, names)
    check_mapping(key, names, check_text)


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
    check_mapping(key, reach, partial(check_object, entries=_REACHED, optional=("ci95",)))
    if len(reach) > MAX_TILES or not all(tile.isdecimal() and tile.isascii() and len(tile) <= 10 for tile in reach):
        raise refuse(key, [*reach], f"the values of at most {MAX_TILES} tiles")


_COUNT = partial(check_whole, least=0, below=MAX_COUNT + 1)
_SEED = partial(check_whole, least=0)
_FIGURE = partial(check_value, most=MAX_FIGURE)

_GAMES: dict[str, Check] = {"episodes": _COUNT, "plies": _COUNT}

_COUNTED: dict[str, Check] = {
    "seed": _SEED,
    "episodes": or_null(_COUNT),
    "evaluate": partial(check_object, entries=_GAMES, optional=_GAMES),
}
"""Keys of a configuration that tables and figures count with."""

_REACHED: dict[str, Check] = {"rate": check_share, "ci95": _check_interval}

_NEWER = ("value_bias", "value_rmse")  # results of earlier versions lack them

_EXACT = dict.fromkeys(("expected", "optimal", "gap", "largest_value_error", *_NEWER), _FIGURE)

_EVALUATION: dict[str, Check] = {
    **dict.fromkeys(("episodes", "moves"), _COUNT),
    **dict.fromkeys(("mean", "median", "max", "seconds", "moves_per_second"), _FIGURE),
    "mean_ci95": or_null(_check_interval),
    "reach": _check_reach,
    "exact": partial(check_object, entries=_EXACT, optional=_NEWER),
}

_CHECKPOINT: dict[str, Check] = {"path": check_text, "digest": check_text, "episode": _COUNT}

_ENTRIES: dict[str, Check] = {
    "config": _check_config,
    "names": _check_chosen_names,
    "status": partial(check_choice, choices=(RUNNING, FINISHED, INTERRUPTED, FAILED, PAUSED)),
    "error": partial(check_instance, kind=str),
    "seed": _SEED,
    **dict.fromkeys(("episodes", "moves", "peak_memory_bytes"), _COUNT),
    **dict.fromkeys(("alpha", "seconds"), _FIGURE),
    "moves_per_second": or_null(_FIGURE),
    "config_hash": check_text,
    "evaluation": _check_evaluation,
    "checkpoints": partial(check_list, check=partial(check_object, entries=_CHECKPOINT)),
    "versions": partial(check_mapping, check=check_text),
    **dict.fromkeys(("commit", "cpu", "instructions"), or_null(check_text)),
    "dirty": or_null(check_true_or_false),
    WEIGHTS: partial(check_choice, choices=(KEPT_WEIGHTS, DELETED_WEIGHTS, NO_WEIGHTS)),
}
