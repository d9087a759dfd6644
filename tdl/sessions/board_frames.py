"""Boards as the frames of a video: each tile is drawn once, and copied from then on."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.sessions import board_picture
from tdl.sessions.tile_colours import BOARD, rgb

DPI = 50
"""Half of a picture's: Gymnasium keeps all frames of a video in memory, which is 160 KB for each of 4x4 cells."""

CELL, GAP = board_picture.CELL * DPI // 100, board_picture.GAP * DPI // 100
"""Pixels of a cell, and between cells."""


def frame(values: NDArray[Any]) -> NDArray[np.uint8]:
    """The picture of a board.

    Parameters
    ----------
    values : tile values, 0 empty, shape (rows, columns).

    Returns
    -------
    red, green and blue, a new uint8 array (height, width, 3): 230 pixels for 4 cells, for any board an even number, as
    codecs of videos want it.
    """
    height, width = (GAP + count * (CELL + GAP) for count in values.shape)
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = rgb(BOARD)
    for (row, column), value in np.ndenumerate(values):
        top, left = (GAP + place * (CELL + GAP) for place in (row, column))
        picture[top : top + CELL, left : left + CELL] = _tile(int(value))
    return picture


@cache
def _tile(value: int) -> NDArray[np.uint8]:
    """A cell, as every picture of a board shows it."""
    return board_picture.pixels([[value]], dpi=DPI)[GAP : GAP + CELL, GAP : GAP + CELL]
