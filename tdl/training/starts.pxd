"""Where the games of an episode begin. An episode is one game from the start law, which is the one on record, and then
those that a start rule lets follow it:

    restart     a game from the middle of the one before, while that had enough moves
    milestone   a game from where the one before reached its last multiple of a sum of tiles, a few times from the same
    carousel    for each later stage one game from a board that entered it, while one is known

No rule remembers a game beyond its episode but the carousel, whose boards are an array that checkpoints hold.

Sources: restart: Matsuzaki (2017), Developing a 2048 player with backward temporal coherence learning and restart;
carousel: Jaskowski (2018), Mastering 2048 with Delayed Temporal Coherence Learning, section on carousel shaping.
"""

from libc.stdint cimport int64_t

from tdl.game.board cimport board_t, cell_at
from tdl.game.lines cimport LineTables
from tdl.game.stream cimport Stream, draw

cdef extern from *:
    """
    /* Threads that share a network share the carousel, whose boards are too long to be copied at once: one that is
       half another one may be without an empty cell, or have what is no tile. A game is here a few times, so nobody
       waits. */
    static char tdl_carousel_taken;
    static inline void tdl_take_carousel(void)
    {
        while (__atomic_test_and_set(&tdl_carousel_taken, __ATOMIC_ACQUIRE)) {}
    }
    static inline void tdl_leave_carousel(void) { __atomic_clear(&tdl_carousel_taken, __ATOMIC_RELEASE); }
    """
    void take_carousel "tdl_take_carousel"() noexcept nogil
    void leave_carousel "tdl_leave_carousel"() noexcept nogil

cdef enum Start:
    EMPTY
    RESTART
    MILESTONE
    CAROUSEL


cdef struct Carousel:
    # The last boards that entered each stage.
    int stages
    int room                # boards kept of a stage
    int64_t *count          # [stages]: that ever entered it
    void *board             # [stages][room]


cdef inline void enter(Carousel *carousel, int stage, const board_t *board) noexcept nogil:
    """Keep a board that is the first of its game in its stage."""
    take_carousel()
    (<board_t *> carousel.board)[stage * carousel.room + carousel.count[stage] % carousel.room] = board[0]
    carousel.count[stage] += 1
    leave_carousel()


cdef inline bint take_entered(const Carousel *carousel, int stage, Stream *stream, board_t *board) noexcept nogil:
    """Copy one of the boards that entered a stage to `board`; False where there is none."""
    cdef int64_t known, at
    take_carousel()
    known = min(carousel.count[stage], <int64_t> carousel.room)
    if known:
        at = stage * carousel.room + <int64_t> (((draw(stream) >> 32) * known) >> 32)
        board[0] = (<const board_t *> carousel.board)[at]
    leave_carousel()
    return known > 0


cdef inline int64_t last_milestone(LineTables tables, const board_t *path, int64_t n, int64_t step) noexcept nogil:
    """Where the last of the n boards of a game came to the multiple of `step` that it has; -1 below the first one.

    No move changes a sum of tiles, and every drop adds to it: a few thousand boards are looked at for each game.
    """
    cdef int64_t reached = total_of(tables, path + n - 1) // step * step if n else 0
    if reached == 0:
        return -1
    n -= 1
    while n and total_of(tables, path + n - 1) >= reached:
        n -= 1
    return n


cdef inline int64_t total_of(LineTables tables, const board_t *board) noexcept nogil:
    """The sum of a board's tiles."""
    cdef int cell
    cdef int64_t total = 0
    for cell in range(tables.cells):
        total += tables.values[cell_at(board, cell)]
    return total
