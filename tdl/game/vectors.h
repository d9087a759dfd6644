/* Vectors for the kernels: each kernel is written once, in the operations of this header, for x86 and for ARM.
 *
 * A vector is a type of the compiler (gcc's and clang's), so C's operators work on it, number by number. What C has no
 * operator for, such as the byte shuffle, stands in vectors_x86.h and vectors_neon.h under the same names; another
 * instruction set needs such a file and nothing else.
 *
 * `tdl_v16` is 16 bytes, four numbers of 32 bits, and can be cast to the other views of 16 bytes. x86 has `tdl_v32` and
 * `tdl_v64` beside it. The name of the type, V, begins the names of the operations that every width has:
 *
 *     V_spread(v)               16 bytes, repeated
 *     V_shuffle(a, at)          for each byte of `at` that byte of the 16 of `a`; 0 for TDL_SKIP
 *     V_pick(near, rest, at)    the same from 32 bytes
 *     V_join8(v, w)             of each two bytes a and b, a + w * b in their 16 bits, which must hold it; w below 128
 *     V_join16(v, w)            the same of each two numbers of 16 bits; all below 2^15
 *     V_scale(v, w)             products of numbers below 2^15
 *     V_fold(v)                 its parts of 16 bytes added up, byte by byte
 *
 * And of 16 bytes alone, for every CPU of the kind:
 *
 *     tdl_zip8, 32, 64(a, b)    a0 b0 a1 b1 ... of their lower halves; zip32_high, zip64_high: of the upper ones
 *     tdl_up(v, n), tdl_down    moved by n bytes towards the last one, or the first
 *     tdl_swapped(v)            each two neighbours of 32 bits exchanged
 *     tdl_without(v, bits)      v & ~bits, in one instruction
 *     tdl_turned(v)             rows of 4 bytes become columns
 *     tdl_row8, 16(v, w)        join8 and join16
 *     tdl_narrow(a, b)          numbers below 256 of 16 bits as bytes
 *     tdl_least(a, b)           the smaller of each two bytes
 *     tdl_marks(v)              a bit for each byte, which is 0 or 255; tdl_marked: how many; tdl_all: whether all are
 *     tdl_couple(a, b)          8 bytes from each place
 *     tdl_even, tdl_odd(a, b)   every second number
 *     tdl_least_float(a, b)     a where a < b, else b
 */
#ifndef TDL_VECTORS_H
#define TDL_VECTORS_H

#include <stdint.h>

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(TDL_PORTABLE)
#define TDL_VECTORS 1

#define TDL_INLINE static inline __attribute__((always_inline))
#define TDL_WIDTH(V, BYTES)                                                                                           \
    typedef uint32_t V __attribute__((vector_size(BYTES)));                                                           \
    typedef int8_t V##_bytes __attribute__((vector_size(BYTES)));                                                     \
    typedef V V##_anywhere __attribute__((aligned(1), may_alias));
#define TDL_LOAD(V, from) (*(const V##_anywhere *)(from))
#define TDL_STORE(V, to, v) (*(V##_anywhere *)(to) = (V)(v))

TDL_WIDTH(tdl_v16, 16)
typedef uint8_t tdl_bytes __attribute__((vector_size(16)));
typedef uint16_t tdl_shorts __attribute__((vector_size(16)));
typedef uint64_t tdl_longs __attribute__((vector_size(16)));
typedef float tdl_floats __attribute__((vector_size(16)));

TDL_INLINE tdl_bytes tdl_each(int byte)
{
    return (tdl_bytes){0} + (uint8_t)byte;
}

/* Masks in this view alone: gcc keeps a constant once for each view. */
TDL_INLINE tdl_longs tdl_masks(uint64_t bits)
{
    return (tdl_longs){bits, bits};
}

#define tdl_v16_spread(v) (v)
#define tdl_v16_fold(v) (v)

#ifdef __x86_64__
#include "vectors_x86.h"
#else
#include "vectors_neon.h"
#endif

#else
#define TDL_VECTORS 0
#endif

#endif
