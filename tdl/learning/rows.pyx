"""Chunks of a network's tables as rows: what processes send each other to merge replicas that lie apart.

A row is float32: the number of the chunk (the bits of a 32-bit integer), its `CHUNK` weights, and where steps are
coherent E, A, E, A, ... of them. The last chunk of a table may have fewer entries; what is left of its row is 0.
"""

from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcpy, memset

from tdl.errors import refuse
from tdl.learning.moved cimport CHUNK


cdef struct Tables:
    float *weights
    float *sums             # NULL where steps are fixed
    int64_t entries


def row_width(bint coherent):
    """Numbers of a row."""
    return 1 + CHUNK * (3 if coherent else 1)


def pack(float[::1] weights not None, sums, const uint32_t[::1] chunks not None, float[:, ::1] rows not None):
    """Copy these chunks of the tables into rows, one for each.

    Raises
    ------
    ConfigError : a chunk is not there, or the rows are not as many or not as wide.
    """
    cdef Tables tables = tables_of(weights, sums, rows)
    cdef int64_t n = len(chunks), i
    cdef bint fits = len(rows) == n
    with nogil:
        for i in range(n):
            if not fits or <int64_t> chunks[i] * CHUNK >= tables.entries:
                fits = False
                break
            pack_chunk(&tables, chunks[i], &rows[i, 0])
    if not fits:
        raise refuse("chunks", f"{n} for {len(rows)} rows", "a row for each, and chunks of the tables")


def unpack(const float[:, ::1] rows not None, float[::1] weights not None, sums):
    """Copy rows to where they belong in the tables.

    Raises
    ------
    ConfigError : a chunk is not there, or the rows are not as wide.
    """
    cdef Tables tables = tables_of(weights, sums, rows)
    cdef int64_t i
    cdef uint32_t chunk
    cdef bint fits = True
    with nogil:
        for i in range(rows.shape[0]):
            memcpy(&chunk, &rows[i, 0], sizeof(chunk))
            if <int64_t> chunk * CHUNK >= tables.entries:
                fits = False
                break
            unpack_chunk(&rows[i, 0], &tables, chunk)
    if not fits:
        raise refuse("rows", f"chunk {chunk}", f"chunks of {tables.entries} entries")


cdef Tables tables_of(float[::1] weights, sums, rows) except *:
    cdef Tables tables
    cdef float[:, ::1] view
    tables.entries = len(weights)
    if rows.shape[1] != row_width(sums is not None) or (sums is not None and len(sums) != len(weights)):
        raise refuse("rows", f"{rows.shape[1]} wide", f"{row_width(sums is not None)}")
    tables.weights = &weights[0] if tables.entries else NULL
    tables.sums = NULL
    if sums is not None and tables.entries:
        view = sums
        tables.sums = &view[0, 0]
    return tables


cdef inline void pack_chunk(const Tables *tables, uint32_t chunk, float *row) noexcept nogil:
    cdef int64_t at = <int64_t> chunk * CHUNK, n = min(<int64_t> CHUNK, tables.entries - at)
    if n < CHUNK:
        memset(row, 0, sizeof(float) * (3 * CHUNK + 1 if tables.sums != NULL else CHUNK + 1))
    memcpy(row, &chunk, sizeof(chunk))
    memcpy(row + 1, tables.weights + at, sizeof(float) * n)
    if tables.sums != NULL:
        memcpy(row + 1 + CHUNK, tables.sums + 2 * at, sizeof(float) * 2 * n)


cdef inline void unpack_chunk(const float *row, const Tables *tables, uint32_t chunk) noexcept nogil:
    cdef int64_t at = <int64_t> chunk * CHUNK, n = min(<int64_t> CHUNK, tables.entries - at)
    memcpy(tables.weights + at, row + 1, sizeof(float) * n)
    if tables.sums != NULL:
        memcpy(tables.sums + 2 * at, row + 1 + CHUNK, sizeof(float) * 2 * n)
