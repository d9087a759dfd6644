"""The text of the batch learner's kernels for one game, network and learner, and what they are called with."""

from pathlib import Path

import numpy as np

from tdl.cuda.kernel_text import constants_of, text_with
from tdl.game.lines import LineTables
from tdl.learning.options import STARTS, LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.training.lane_state import LAW, reach_of

KERNELS = ("tdl_play", "tdl_close", "tdl_promote", "tdl_apply")
"""Those of a step in their order; `tdl_promote` is for networks of several stages alone."""

TALLIES = 32

_POINTERS = ("weights", "sums", "hits", "lanes", "todo", "todo_n", "rows", "tallies", "progress", "ended")

BATCH = np.dtype(
    [
        *((name, "<u8") for name in _POINTERS),
        *((name, "<i8") for name in ("room", "moves_per_lane", "limit")),
        *((name, "<i4") for name in ("lanes_n", "lane_size", "shift", "unused")),
        ("law", LAW),
    ],
    align=True,
)
"""`tdl_batch` of batch_kernels.h: what a kernel is called with; pointers are those of the machine."""

PROGRESS = np.dtype(
    [
        *((name, "<i8") for name in ("moves", "updates", "abs_error", "step", "ended", "until")),
        *((name, "<i4") for name in ("active", "applies", "diverged", "unused")),
    ]
)
"""`tdl_progress`."""

TALLY = np.dtype([*((name, "<i8") for name in ("moves", "updates", "abs_error", "abs_moved")), ("unused", "<i8", 12)])
"""`tdl_tally`."""

ENDED = np.dtype(
    [("step", "<i8"), ("score", "<i8"), *((name, "<i4") for name in ("lane", "moves", "largest", "unused"))]
)
"""`tdl_ended`."""


def text_of(network: NTupleNetwork, tables: LineTables, learner: LearnerOptions, kind: str) -> str:
    """The text to compile: as C, or as CUDA C++.

    Parameters
    ----------
    tables : of the network's rules.
    learner : of which lambda, start and batch_sum count.
    kind : of step size, "fixed" or "coherent".

    Raises
    ------
    ConfigError : a board or a network that the kernels are not made for.
    """
    names = constants_of(network, tables)
    names |= {"REACH": reach_of(learner.td_lambda), "START": STARTS.index(learner.start)}
    names |= {"COHERENT": int(kind == "coherent"), "CAPPED": int(learner.batch_sum == "capped")}
    return text_with(names, Path(__file__).with_name("batch_kernels.h"))
