"""What is recorded of an episode."""

from __future__ import annotations

import numpy as np

RECORD = np.dtype([("episode", "<i8"), ("score", "<i8"), ("moves", "<i4"), ("max_tile", "<i4")])
"""One row of `episodes.npy` and `evaluation.npy`: number, total reward, moves, value of the largest tile."""
