"""Records of games: their type, and how they are written."""

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tdl.storage.atomic import new_file

RECORD = np.dtype([("episode", "<i8"), ("score", "<i8"), ("moves", "<i4"), ("max_tile", "<i4")])
"""One row of `episodes.npy` and `evaluation.npy`: number, total reward, moves, value of the largest tile."""

Records = NDArray[np.void]


def save_records(path: Path, records: Records) -> None:
    """Write games to a `.npy` file, in one step."""
    buffer = io.BytesIO()  # NumPy itself would not say that a disk is full
    np.save(buffer, records, allow_pickle=False)
    with new_file(path) as file:
        file.write(buffer.getvalue())
