"""What the batch learner's kernels read, as arrays of NumPy: the lanes, which checkpoints hold, and the law."""

import math
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError, refuse
from tdl.game.rules import Rules
from tdl.learning.options import STARTS, LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.storage.records import LIMITS

LEAST = 0.2
"""Errors that weigh less in a lambda-return are left out."""

MAX_REACH = 64
"""Afterstates that learn of an error, at most."""

TRAIL = 32
"""Afterstates of the whole game that a lane keeps for a restart; `batch_step.h` has the same."""

MAX_LANES = 131_072

BOUND = np.float32(1e9)

UNIT = 256
"""Errors are summed up in parts of a point; `batch_step.h` has the same."""

DIVERGED = (
    f"learning diverged: a value left +-{BOUND:g} or is not a number, or errors add up to more than can be counted; a "
    "smaller alpha is needed"
)

LAW = np.dtype(
    [
        ("milestone", "<i8"),
        *((name, "<i4") for name in ("start", "attempts", "restart_moves")),
        ("restart_at", "<f4"),
        *((name, "<i4") for name in ("reach", "trail")),
        *((name, "<f4") for name in ("gamma", "decay", "alpha", "rate", "kept", "cap")),
        ("stride", "<u4"),
        ("share", "<f4"),
    ],
    align=True,
)
"""The law of a learner: `tdl_batch_law` of batch_step.h."""

Lanes = NDArray[np.void]


def reach_of(td_lambda: float) -> int:
    """Afterstates that learn of an error: the number of powers of lambda that are at least `LEAST`.

    Raises
    ------
    ConfigError : more than `MAX_REACH`.
    """
    reach = 1 + math.floor(math.log(LEAST) / math.log(td_lambda)) if 0 < td_lambda < 1 else 1
    if td_lambda >= 1 or reach > MAX_REACH:
        raise refuse("td_lambda", td_lambda, f"at most {LEAST ** (1 / MAX_REACH):.3f} with learner=batch")
    return reach


def room_for_hits(network: NTupleNetwork, lanes: int, reach: int) -> tuple[int, int]:
    """How a number of 64 bits holds a step's hits of an entry above the sum of their errors.

    Returns
    -------
    the bit of the first hit, and the most that the absolute errors of all afterstates of a step may add up to.
    """
    features = Counter(table for table, _ in (*network.features, *network.orders, *network.counts))
    most = max(features.values())
    bits = (most * lanes * reach).bit_length()
    return 64 - bits, ((1 << (63 - bits)) - 1) // most


def lane_type(reach: int, start: str) -> np.dtype[np.void]:
    """The type of a lane: `tdl_lane` of batch_step.h, its last afterstates, its trail, and the errors of the former.

    Boards are packed into two words, the lower first.
    """
    fields: list[Any] = [("board", "<u8", (2,)), ("saved", "<u8", (2,))]
    fields += [("random", "<u8"), ("score", "<i8"), ("reached", "<i8")]
    fields += [(name, "<i4") for name in ("moves", "game", "attempts", "rose")]
    fields += [("path", "<u8", (reach, 2))]
    fields += [("trail", "<u8", (TRAIL, 2))] * (start == "restart")
    fields += [("errors", "<f4", (reach + reach % 2,))]  # whole words
    return np.dtype(fields)


def law_of(network: NTupleNetwork, learner: LearnerOptions, alpha: float) -> NDArray[np.void]:
    """The law of a learner with a step size: an array of `LAW` without dimensions."""
    law, m = np.zeros((), LAW), np.float32(network.m)
    for name in ("milestone", "attempts", "restart_moves", "restart_at", "gamma", "kept", "cap"):
        law[name] = getattr(learner, name)
    law["start"], law["reach"] = STARTS.index(learner.start), reach_of(learner.td_lambda)
    law["trail"] = TRAIL if learner.start == "restart" else 0
    law["decay"] = np.float32(learner.gamma) * np.float32(learner.td_lambda)
    per_entry = learner.alpha_per == "entry"
    law["alpha"] = np.float32(alpha) * m if per_entry else alpha
    law["rate"] = alpha if per_entry else np.float32(alpha) / m
    law["stride"], law["share"] = network.stride, network.stages.share
    return law


def check_playable(lanes: Lanes, rules: Rules) -> None:
    """Refuse lanes that no game of these rules has: the kernels trust theirs.

    Raises
    ------
    ConfigError : tiles that the game does not have; numbers out of range.
    """
    for name, most in {"score": LIMITS["score"], "reached": 2**40}.items():
        _check_range(lanes, name, most)
    for name, most in {"moves": 2**31 - 2, "game": 2**31 - 2, "attempts": 2**31 - 2, "rose": 1}.items():
        _check_range(lanes, name, most)
    if not (np.abs(lanes["errors"]) <= BOUND).all():  # true of nan, too
        raise ConfigError(f"lanes: errors: expected numbers from -{BOUND:g} to {BOUND:g}")
    for name in {"board", "saved", "path", "trail"} & set(lanes.dtype.names or ()):
        tiles = _tiles(lanes[name].reshape(-1, 2), rules)
        if (tiles[:, rules.cells :] != 0).any() or (tiles > rules.largest).any():
            raise ConfigError(f"lanes: {name}: a board has what is no tile of the game")
        if name in ("saved", "trail") and tiles[:, : rules.cells].all(axis=1).any():
            raise ConfigError(f"lanes: {name}: a board has no empty cell, as every afterstate has")


def _check_range(lanes: Lanes, name: str, most: int) -> None:
    if (wrong := lanes[name][(lanes[name] < 0) | (lanes[name] > most)]).size:
        raise refuse(f"lanes: {name}", int(wrong[0]), f"a number from 0 to {most}")


def _tiles(words: NDArray[np.uint64], rules: Rules) -> NDArray[np.uint8]:
    """The tile index of each cell of packed boards, and those beyond the board: uint8, shape (n, 128 // bits)."""
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    cells = np.zeros((len(words), 128 // rules.bits + 1, rules.bits), np.uint8)
    cells.reshape(len(words), -1)[:, : bits.shape[1]] = bits
    return np.packbits(cells, axis=2, bitorder="little")[:, :, 0]
