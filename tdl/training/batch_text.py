"""The text of the batch learner's kernels for one game, network and learner, and what they are called with."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tdl.cuda.kernel_text import constants_of, text_with
from tdl.game.lines import LineTables
from tdl.learning.options import STARTS, LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.training.lane_state import TRAIL, reach_of

KERNELS = ("tdl_play", "tdl_close", "tdl_promote", "tdl_apply")
"""Those of a step in their order; `tdl_promote` is for networks of several stages alone."""

TALLIES = 32

LAW = np.dtype(
    [
        ("milestone", "<i8"),
        *((name, "<i4") for name in ("start", "attempts", "restart_moves")),
        ("restart_at", "<f4"),
        *((name, "<i4") for name in ("reach", "trail")),
        *((name, "<f4") for name in ("gamma", "decay", "alpha", "rate", "cap")),
        ("stride", "<u4"),
        ("share", "<f4"),
    ],
    align=True,
)
"""`tdl_batch_law` of batch_step.h."""

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


def text_of(network: NTupleNetwork, tables: LineTables, learner: LearnerOptions, kind: str, rule: str) -> str:
    """The text to compile: as C, or as CUDA C++.

    Parameters
    ----------
    tables : of the network's rules.
    learner : of which those of lambda and start count.
    kind, rule : "fixed" or "coherent" and "mean" or "capped", as of `BatchLearner`.

    Raises
    ------
    ConfigError : a board or a network that the kernels are not made for.
    """
    names = constants_of(network, tables)
    names |= {"REACH": reach_of(learner.td_lambda), "START": STARTS.index(learner.start)}
    names |= {"COHERENT": int(kind == "coherent"), "CAPPED": int(rule == "capped")}
    return text_with(names, Path(__file__).with_name("batch_kernels.h"))


def law_of(network: NTupleNetwork, learner: LearnerOptions, alpha: float, cap: float) -> NDArray[np.void]:
    """The law of a learner for `BATCH`: an array of `LAW` without dimensions."""
    law, m = np.zeros((), LAW), np.float32(network.m)
    for name in ("milestone", "attempts", "restart_moves", "restart_at", "gamma"):
        law[name] = getattr(learner, name)
    law["start"], law["reach"] = STARTS.index(learner.start), reach_of(learner.td_lambda)
    law["trail"] = TRAIL if learner.start == "restart" else 0
    law["decay"], law["cap"] = np.float32(learner.gamma) * np.float32(learner.td_lambda), cap
    per_entry = learner.alpha_per == "entry"
    law["alpha"] = np.float32(alpha) * m if per_entry else alpha
    law["rate"] = alpha if per_entry else np.float32(alpha) / m
    law["stride"], law["share"] = network.stride, network.stages.share
    return law
