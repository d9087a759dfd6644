"""The kernels of the batch learner as plain C, compiled by the compiler that builds the modules, called by ctypes.

What runs is the text that a GPU runs, its warps as loops, with the buffers and the order of calls of a GPU's host. The
order of the warps is another one in each call.
"""

import ctypes

import numpy as np

from support.plain_device import PlainDevice, library
from tdl.cuda.device import Launch
from tdl.cuda.kernel_text import image_entries, row_table
from tdl.learning.options import ACCUMULATORS
from tdl.training.batch_text import BATCH, ENDED, KERNELS, PROGRESS, TALLIES, TALLY, law_of, text_of
from tdl.training.lane_state import room_for_hits

ENTRIES = """
void entries_of(const tdl_words *board, int image, uint32_t *entry)
{
    tdl_entries(tdl_loaded(board), image, entry);
}
"""


class PlainKernels:
    """What a `BatchLearner` would go on to compute: its weights and sums move, its lanes are copied."""

    def __init__(self, batch, state, *, alpha, rule="mean", cap=1.0, moves_per_lane=None):
        network, options = batch.network, batch.options
        kind = "coherent" if ACCUMULATORS in state else "fixed"
        text = text_of(network, batch.tables, options, kind, rule)
        self.network, self.lanes = network, batch.lanes
        self.device = PlainDevice()
        self.kernels, quarters = self.device.kernels(text, KERNELS), -(-image_entries(network) // 4)
        shift, limit = room_for_hits(network, len(self.lanes), law_of(network, options, alpha, cap)["reach"].item())
        self.arrays = {
            "weights": network.weights,
            "sums": state.get(ACCUMULATORS, np.zeros(0, np.float32)),
            "hits": np.zeros(len(network.weights), np.uint64),
            "lanes": self.lanes,
            "todo": np.zeros((len(self.lanes), len(self.lanes["path"][0]), quarters, 32), np.uint32),
            "todo_n": np.zeros(len(self.lanes), np.int32),
            "rows": row_table(batch.tables),
            "tallies": np.zeros(TALLIES, TALLY),
            "progress": np.zeros(1, PROGRESS),
            "ended": np.zeros(4 * len(self.lanes), ENDED),
        }
        self.progress, self.games = self.arrays["progress"], batch.games
        self.progress["moves"], self.progress["active"] = batch.moves, batch.active
        self.call = np.zeros((), BATCH)
        for name, array in self.arrays.items():
            self.call[name] = array.ctypes.data
        self.call["room"], self.call["limit"], self.call["shift"] = 4 * len(self.lanes), limit, shift
        self.call["moves_per_lane"] = moves_per_lane or 0
        self.call["lanes_n"], self.call["lane_size"] = len(self.lanes), self.lanes.itemsize
        self.call["law"] = law_of(network, options, alpha, cap)

    def step(self):
        """One step, or nothing after the last one."""
        launches = [
            Launch(kernel, 1 if name == "tdl_close" else len(self.lanes), self.call)
            for name, kernel in self.kernels.items()
            if name != "tdl_promote" or self.network.stride
        ]
        self.device.repeated(launches, 1)()

    def play(self, moves):
        """The records of so many moves more, as `BatchLearner.play`; some steps more are asked for than are made."""
        self.progress["until"] = self.progress["moves"] + moves
        records = []
        while self.progress["moves"] < self.progress["until"] and not self.progress["diverged"]:
            for _ in range(3):
                self.step()
            records += self.take_ended()
        return records

    def take_ended(self):
        """The games that ended since the last call, in the order of steps and lanes."""
        n = self.progress["ended"].item()
        assert n <= self.call["room"]
        self.progress["ended"] = 0
        ended = np.sort(self.arrays["ended"][:n], order=("step", "lane"))
        first, self.games = self.games, self.games + n
        values = [self.network.rules.value(tile) for tile in ended["largest"].tolist()]
        return list(
            zip(range(first, self.games), ended["score"].tolist(), ended["moves"].tolist(), values, strict=True)
        )


def entries_by_kernels(text, network, board):
    """The entries of a packed board in the order of its features, by the text."""
    words = np.array([board & 2**64 - 1, board >> 64], np.uint64)
    entries = np.zeros((8, image_entries(network)), np.uint32)
    for image, row in enumerate(entries):
        library(text + ENTRIES).entries_of(ctypes.c_void_p(words.ctypes.data), image, ctypes.c_void_p(row.ctypes.data))
    return entries.T.ravel()[: network.m]
