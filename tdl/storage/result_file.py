"""The file `result.json` of a run, an evaluation or a solved game: its name, and what it says of the weights."""

import contextlib
import json
from pathlib import Path

RESULT = "result.json"
"""Configuration, versions, status and figures."""

WEIGHTS = "weights"
"""Key of a finished run's result: what became of the weights, one of the following."""

KEPT_WEIGHTS, DELETED_WEIGHTS, NO_WEIGHTS = "kept", "deleted", "none"


def has_deleted_weights(folder: Path) -> bool:
    """Whether a run finished in this folder that was to leave no weights."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        return bool(json.loads((folder / RESULT).read_text()).get(WEIGHTS) == DELETED_WEIGHTS)
    return False
