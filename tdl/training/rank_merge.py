"""The merge of replicas that several processes carry: each owns a slice of the tables, and merges it as one would.

Of a part of the tables after the other, each process sends every owner the chunks of its slice that its replicas have
moved; the owner merges them in the order of the replicas (`tdl.learning.merge`) and sends the result to all. So the
bits are those of one process with all replicas, and no process holds the tables of another's.
"""

import itertools
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tdl.learning.merge import Merge
from tdl.learning.rows import pack, row_width, unpack
from tdl.learning.state import CHUNK
from tdl.training.ranks import MpiRanks
from tdl.training.threads import share_work

ROWS = 1 << 15
"""Chunks of all replicas that an owner may receive at once: some 25 MB, and as much for each buffer."""

Floats = NDArray[np.float32]
Tables = tuple[Floats, Floats | None]
Marked = tuple[Floats, Floats | None, NDArray[np.uint8]]
Slices = Sequence[tuple[int, int]]


class RankMerge:
    """Merges the replicas of all processes.

    Parameters
    ----------
    network : weights and sums of this process; the same in all.
    replicas : weights, sums and marks of the replicas of this process.
    """

    def __init__(self, ranks: MpiRanks, threads: int, network: Tables, replicas: Sequence[Marked]) -> None:
        self.ranks, self.threads, self.network, self.replicas = ranks, threads, network, replicas
        self.chunks = len(replicas[0][2])
        self.step = max(1, ROWS // (len(replicas) * ranks.size))  # chunks of a slice
        self._width = row_width(network[1] is not None)
        self._others = [self._scratch() for _ in range(len(replicas) * (ranks.size - 1))]

    def _scratch(self) -> Marked:
        """Room for a slice of a replica that another process carries."""
        entries = self.step * CHUNK
        sums = None if self.network[1] is None else np.zeros((entries, 2), np.float32)
        return np.zeros(entries, np.float32), sums, np.zeros(self.step, np.uint8)

    def merge(self) -> int:
        """Merge all, and clear the marks: how many chunks had moved."""
        merged = 0
        for first in range(0, self.chunks, self.step * self.ranks.size):
            borders = [min(first + self.step * rank, self.chunks) for rank in range(self.ranks.size + 1)]
            merged += self._merge_part(list(itertools.pairwise(borders)))
        return merged

    def _merge_part(self, slices: Slices) -> int:
        """Merge neighbouring slices of chunks, one of each process."""
        own = slices[self.ranks.rank]
        parts = self._replicas_of(own, self._exchanged(slices))
        moved = _numbers(np.bitwise_or.reduce([marks for _, _, marks in parts]))
        weights, sums = _slice(self.network, own)
        if len(moved):
            merge = Merge(weights, sums, parts)
            borders = [merge.chunks * piece // self.threads for piece in range(self.threads + 1)]
            pieces = itertools.pairwise(borders)
            share_work([partial(merge.chunks_between, *piece) for piece in pieces], self.threads)
        rows = np.empty((len(moved), self._width), np.float32)
        pack(weights, sums, moved, rows)
        merged = self.ranks.gather(rows)
        tables = [self.network, *((weights, sums) for weights, sums, _ in self.replicas)]
        share_work([partial(self._take, table, slices, merged) for table in tables], self.threads)
        for _, _, marks in self.replicas:
            marks[slices[0][0] : slices[-1][1]] = 0
        return sum(map(len, merged))

    def _exchanged(self, slices: Slices) -> list[list[Floats]]:
        """The rows of this process's slice that each other process sends, of each of its replicas."""
        chunks, tables = [], []  # by owner, then by replica
        for owner, part in enumerate(slices):
            for weights, sums, marks in self.replicas:
                chunks.append(_numbers(marks[slice(*part) if owner != self.ranks.rank else slice(0)]))
                tables.append(_slice((weights, sums), part))
        counts = np.array([len(numbers) for numbers in chunks], np.int64).reshape(-1, len(self.replicas))
        coming = self.ranks.exchange(counts)
        rows = np.empty((int(counts.sum()), self._width), np.float32)
        parts = zip(tables, chunks, _parted(rows, counts.reshape(-1)), strict=True)
        packing = [partial(pack, *table, numbers, part) for table, numbers, part in parts if len(numbers)]
        share_work(packing, self.threads)
        received = self.ranks.exchange_rows(rows, counts.sum(1), coming.sum(1))
        return [_parted(part, coming[rank]) for rank, part in enumerate(received)]

    def _replicas_of(self, own: tuple[int, int], rows: list[list[Floats]]) -> list[Marked]:
        """A slice of all replicas, in their order: of those of this process themselves, of others what they sent."""
        parts: list[Marked] = []
        entries = len(_slice(self.network, own)[0])
        others = iter(self._others)
        unpacking = []
        for rank, sent in enumerate(rows):
            if rank == self.ranks.rank:
                parts += [
                    (*_slice((weights, sums), own), marks[slice(*own)]) for weights, sums, marks in self.replicas
                ]
                continue
            for received, (weights, sums, marks) in zip(sent, others, strict=False):
                copy = weights[:entries], None if sums is None else sums[:entries], marks[: own[1] - own[0]]
                copy[2][:] = 0
                copy[2][received[:, 0].copy().view(np.uint32)] = 1
                unpacking.append(partial(unpack, received, *copy[:2]))
                parts.append(copy)
        share_work(unpacking, self.threads)
        return parts

    def _take(self, tables: Tables, slices: Slices, merged: list[Floats]) -> None:
        """Write what other processes have merged."""
        for owner, rows in enumerate(merged):
            if owner != self.ranks.rank:
                unpack(rows, *_slice(tables, slices[owner]))


def _slice(tables: Tables, chunks: tuple[int, int]) -> Tables:
    """The entries of these chunks, as views."""
    weights, sums = tables
    entries = slice(chunks[0] * CHUNK, chunks[1] * CHUNK)
    return weights[entries], None if sums is None else sums[entries]


def _numbers(marks: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The chunks that are marked."""
    return np.flatnonzero(marks).astype(np.uint32)


def _parted(rows: Floats, counts: NDArray[np.int64]) -> list[Floats]:
    """So many rows each."""
    return np.split(rows, counts.cumsum()[:-1])
