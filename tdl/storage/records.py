"""Records of games: their type, and how they are written."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RECORD = np.dtype([("episode", "<i8"), ("score", "<i8"), ("moves", "<i4"), ("max_tile", "<i4")])
"""One row of `episodes.npy` and `evaluation.npy`: number, total reward, moves, value of the largest tile."""

Records = NDArray[np.void]


EVALUATION = "evaluation.npy"
"""Games after training."""


LOGGED = "logged.npy"
"""Games that are played now and then in training, beside it: `episode` is the number of training games before each."""


def save_records(path: Path, records: Records) -> None:
    """Write games to a `.npy` file, in one step."""
    buffer = io.BytesIO()
    np.save(buffer, records, allow_pickle=False)
    _replace(path, buffer.getvalue())


def save_json(path: Path, data: Mapping[str, Any]) -> None:
    """Write a JSON file, in one step."""
    _replace(path, json.dumps(data, indent=1).encode() + b"\n")


def _replace(path: Path, content: bytes) -> None:
    temporary = path.with_name(path.name + ".new")
    temporary.write_bytes(content)
    os.replace(temporary, path)
