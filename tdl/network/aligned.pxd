"""Memory on cache lines of its own."""

from libc.string cimport memset

cdef extern from "<stdlib.h>" nogil:
    void *aligned_alloc(size_t alignment, size_t size)


cdef inline void *own_lines(size_t size) noexcept nogil:
    """Zeroed memory; NULL where there is none. The index function stores whole lines, and threads that write to one
    line wait for each other. `free` gives it back."""
    cdef size_t whole = (max(size, <size_t> 1) + 127) & ~<size_t> 127
    cdef void *memory = aligned_alloc(128, whole)
    if memory != NULL:
        memset(memory, 0, whole)
    return memory
