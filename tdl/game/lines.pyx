"""Builds the tables of a game from its `Rules`. Nothing here knows a game by name."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from tdl.game.rules import DROP


cdef struct MergeLaw:
    int largest
    int merged[MAX_TILES][MAX_TILES]   # 0: the two do not merge


cdef class LineTables:
    """Tables of every possible line of `rules`.

    Attributes
    ----------
    rules : the `Rules` they were built from.
    rows, cols, cells, bits : the board's shape, and the bits of a cell.
    wide : whether a board needs more than 64 bits.
    """

    def __cinit__(self, rules):
        cdef int i
        self.rules = rules
        self.rows, self.cols, self.cells, self.bits = rules.rows, rules.cols, rules.cells, rules.bits
        self.wide = self.cells * self.bits > 64
        for i in range(rules.largest + 2):
            self.values[i] = rules.value(i)
        self._copy_laws()
        self._memory = []
        self.row_slides = self._slides(self.cols)
        self.col_slides = self.row_slides if self.rows == self.cols else self._slides(self.rows)
        self.nibble_rows = NULL
        if self.rows == self.cols == self.bits == 4:
            self._pack_nibble_rows()

    cdef _copy_laws(self):
        cdef int i
        thresholds = self.rules.thresholds
        self.drops.n = len(thresholds)
        for i, (tile, below) in enumerate(thresholds):
            self.drops.tile[i], self.drops.below[i] = tile, below
        self.start_n = len(self.rules.start)
        for i, tile in enumerate(self.rules.start):
            self.start_tile[i] = 0 if tile == DROP else tile

    cdef const Slide *_slides(self, int length) except NULL:
        cdef MergeLaw law
        cdef int a, b
        cdef uint32_t key
        law.largest = self.rules.largest
        for a in range(law.largest + 1):
            for b in range(law.largest + 1):
                law.merged[a][b] = self.rules.merge(a, b) if a and b else 0
        memory = np.empty((1 << (length * self.bits), 4), np.uint32)
        cdef uint32_t[:, ::1] view = memory
        cdef Slide *slides = <Slide *> &view[0, 0]
        for key in range(<uint32_t> len(memory)):
            slides[key].to_start = _slide(&law, self.values, key, length, self.bits, False, &slides[key].start_reward)
            slides[key].to_end = _slide(&law, self.values, key, length, self.bits, True, &slides[key].end_reward)
        self._memory.append(memory)
        return slides

    cdef _pack_nibble_rows(self):
        memory = np.empty(1 << 16, np.uint64)
        cdef uint64_t[::1] view = memory
        cdef uint32_t key
        cdef const Slide *slide
        for key in range(1 << 16):
            slide = &self.row_slides[key]
            if slide.start_reward != slide.end_reward:
                return
            view[key] = slide.to_start | (slide.to_end << 16) | (<uint64_t> slide.start_reward << 32)
        self._memory.append(memory)
        self.nibble_rows = &view[0]


cdef uint32_t _slide(const MergeLaw *law, const int64_t *values, uint32_t key, int length, int bits,
                     bint to_end, int32_t *reward) noexcept:
    """The packed line slid towards its first cell, or its last; the twin is `reference.slide`."""
    cdef uint32_t out = 0
    cdef int i, cell, tile, at = 0, waiting = 0, merged
    reward[0] = 0
    for i in range(length + 1):
        if i < length:
            cell = length - 1 - i if to_end else i
            tile = (key >> (bits * cell)) & law.largest
            if tile == 0:
                continue
        else:
            tile = 0     # past the wall: what still waits comes to rest
        if waiting:
            merged = law.merged[waiting][tile]
            if merged:
                reward[0] += <int32_t> values[merged]
                waiting, tile = min(merged, law.largest), 0
            cell = length - 1 - at if to_end else at
            out |= <uint32_t> waiting << (bits * cell)
            at += 1
        waiting = tile
    return out
