"""Where an entry lies in memory.

The *natural* index of an entry reads the tuple's tile indices as digits, the first cell least significant. Tile
indices have little entropy, so natural order puts the hot entries of a table into few cache sets. The layout is a
bijection of each table onto itself (`map`, `inverse`) plus a start for each table (`starts`); it changes no value,
only speed. `index.h` computes the same numbers for all features at once; files store the memory order, with `name`.

`packed16`, for radix 16, in three steps:
1. *Pack.* Two cells share a byte, the first in bits 0,1,4,5, the second in bits 2,3,6,7: the low two bits of the first
   two cells choose the place in a cache line (16 floats). The last cell of an odd tuple keeps its four bits together.
2. *Fold.* Bits 16 and up are xor-ed onto bits 4 and up, which spreads low bits of later cells over the cache sets
   that the first cells' high bits, rarely set, leave empty. Only higher bits are folded in, so it can be undone.
3. *Skew.* Every table starts 7,936 entries after the end of the one before, or equal entries of different tables
   would lie in one cache set.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.uint32]

LINE = 16  # floats of a cache line of 64 bytes


class Packed16:
    """The layout of radix 16."""

    name = "packed16"
    radix = 16
    fold = 12
    skew = 7936

    def size(self, length: int) -> int:
        """Entries of the table of a tuple of `length` cells."""
        return self.radix**length

    def starts(self, lengths: Iterable[int]) -> tuple[list[int], int]:
        """Where each table begins, on a cache line, and the entries of the whole allocation."""
        starts, end = [], 0
        for length in lengths:
            starts.append(end)
            end += -(-self.size(length) // LINE) * LINE + self.skew
        return starts, end

    def map(self, natural: Index, length: int) -> Index:
        """Memory index within its table of each natural index (arrays of uint32)."""
        packed = np.zeros_like(natural)
        for cell in range(length):
            digit = natural >> np.uint32(4 * cell) & np.uint32(15)
            if cell % 2 or cell < length - 1:
                digit = (digit & np.uint32(3)) | (digit & np.uint32(12)) << np.uint32(2)
            packed |= digit << np.uint32(cell // 2 * 8 + cell % 2 * 2)
        return packed ^ (packed >> np.uint32(self.fold) & ~np.uint32(LINE - 1))

    def inverse(self, memory: Index, length: int) -> Index:
        """Natural index of each memory index; the inverse of `map`."""
        packed = memory.copy()
        for _ in range(32 // self.fold):  # each round puts right another 12 bits, from the top
            packed = memory ^ (packed >> np.uint32(self.fold) & ~np.uint32(LINE - 1))
        natural = np.zeros_like(memory)
        for cell in range(length):
            digit = packed >> np.uint32(cell // 2 * 8 + cell % 2 * 2)
            if cell % 2 or cell < length - 1:
                digit = (digit & np.uint32(3)) | (digit >> np.uint32(2) & np.uint32(12))
            natural |= (digit & np.uint32(15)) << np.uint32(4 * cell)
        return natural
