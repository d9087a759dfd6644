"""Where the games of an episode begin. An episode is one game from the start law, which is the one on record, and then
those that a start rule lets follow it:

    restart     a game from the middle of the one before, while that had enough moves
    carousel    for each later stage one game from a board that entered it, while one is known

No rule remembers a game beyond its episode but the carousel, whose boards are an array that checkpoints hold.

Sources: restart: Matsuzaki (2017), Developing a 2048 player with backward temporal coherence learning and restart;
carousel: Jaskowski (2018), Mastering 2048 with Delayed Temporal Coherence Learning, section on carousel shaping.
"""

from libc.stdint cimport int64_t

from tdl.game.board cimport board_t
from tdl.game.stream cimport Stream, draw

cdef enum Start:
    EMPTY
    RESTART
    CAROUSEL


cdef struct Carousel:
    # The last boards that entered each stage.
    int stages
    int room                # boards kept of a stage
    int64_t *count          # [stages]: that ever entered it
    void *board             # [stages][room]


cdef inline void enter(Carousel *carousel, int stage, const board_t *board) noexcept nogil:
    """Keep a board that is the first of its game in its stage."""
    (<board_t *> carousel.board)[stage * carousel.room + carousel.count[stage] % carousel.room] = board[0]
    carousel.count[stage] += 1


cdef inline board_t any_entered(const Carousel *carousel, const board_t *kind, int stage,
                                Stream *stream) noexcept nogil:
    """One of the boards that entered a stage, of which there must be one; `kind` tells their type and is not read."""
    cdef int64_t known = min(carousel.count[stage], <int64_t> carousel.room)
    cdef int64_t at = stage * carousel.room + <int64_t> (((draw(stream) >> 32) * known) >> 32)
    return (<const board_t *> carousel.board)[at]
