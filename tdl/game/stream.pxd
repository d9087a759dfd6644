"""The random stream of one (seed, role, episode), as a value: xoshiro256** seeded through SplitMix64.

The reference implementation, with the sources, is `tdl.game.game_reference.Stream`. A game owns its stream, four words
on the stack: no generator state enters a checkpoint, and what a game draws depends on neither lanes, threads nor
evaluation.
"""

from libc.stdint cimport uint64_t

cdef struct Stream:
    uint64_t a, b, c, d


cdef inline uint64_t splitmix(uint64_t *state) noexcept nogil:
    cdef uint64_t z
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    z = (state[0] ^ (state[0] >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t rotate(uint64_t x, int k) noexcept nogil:
    return (x << k) | (x >> (64 - k))


cdef inline Stream stream_of(uint64_t seed, uint64_t role, uint64_t episode) noexcept nogil:
    cdef Stream s
    cdef uint64_t key = seed
    key = splitmix(&key) ^ role
    key = splitmix(&key) ^ episode
    key = splitmix(&key)
    s.a = splitmix(&key)
    s.b = splitmix(&key)
    s.c = splitmix(&key)
    s.d = splitmix(&key)
    return s


cdef inline uint64_t draw(Stream *s) noexcept nogil:
    cdef uint64_t result = rotate(s.b * 5, 7) * 9
    cdef uint64_t t = s.b << 17
    s.c ^= s.a
    s.d ^= s.b
    s.b ^= s.c
    s.a ^= s.d
    s.c ^= t
    s.d = rotate(s.d, 45)
    return result
