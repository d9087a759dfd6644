/* The cells of a board, a byte each, for every type of board: in plain C, and 16 at a time in a vector.
 *
 * Larger tiles than `most` become it: they share the last symbol of a radix.
 */
#ifndef TDL_UNPACK_H
#define TDL_UNPACK_H

#include "board.h"

#define TDL_KINDS 3

/* tile[cell] of the b-th board. */
static inline void tdl_tiles(int kind, const void *boards, int b, int cells, int most, uint8_t *tile)
{
    for (int cell = 0; cell < cells; cell++) {
        int index = kind == TDL_NIBBLES ? (int)(((const tdl_board64 *)boards)[b] >> 4 * cell & 15)
                  : kind == TDL_FIVES ? (int)(((const tdl_board128 *)boards)[b] >> 5 * cell & 31)
                                      : ((const tdl_board_array *)boards)[b].cell[cell];
        tile[cell] = index < most ? index : most;
    }
}

#if defined(__x86_64__) && !defined(TDL_PORTABLE)
#define TDL_X86 1
#include <immintrin.h>

static inline __m128i tdl_nibbles(uint64_t packed)
{
    const __m128i half = _mm_set1_epi8(15);
    __m128i board = _mm_cvtsi64_si128((long long)packed);
    return _mm_unpacklo_epi8(_mm_and_si128(board, half), _mm_and_si128(_mm_srli_epi64(board, 4), half));
}

/* 16 cells of 5 bits from byte `from` on. Each lies in two neighbouring bytes; a product moves it to their top. */
__attribute__((target("ssse3")))
static inline __m128i tdl_fives(__m128i board, int from)
{
    const __m128i two = _mm_setr_epi8(0, 1, 0, 1, 1, 2, 1, 2, 2, 3, 3, 4, 3, 4, 4, 5);
    const __m128i up = _mm_setr_epi16(1 << 11, 1 << 6, 1 << 9, 1 << 4, 1 << 7, 1 << 10, 1 << 5, 1 << 8);
    __m128i first = _mm_add_epi8(two, _mm_set1_epi8(from)), second = _mm_add_epi8(two, _mm_set1_epi8(from + 5));
    if (from)     /* byte 16 and those after it are not on the board */
        second = _mm_or_si128(second, _mm_cmpgt_epi8(second, _mm_set1_epi8(15)));
    first = _mm_srli_epi16(_mm_mullo_epi16(_mm_shuffle_epi8(board, first), up), 11);
    second = _mm_srli_epi16(_mm_mullo_epi16(_mm_shuffle_epi8(board, second), up), 11);
    return _mm_packus_epi16(first, second);
}

/* The first 16 cells of the b-th board. */
__attribute__((target("ssse3")))
static inline __m128i tdl_near(int kind, const void *boards, int b, int most)
{
    if (kind == TDL_NIBBLES && most >= 15)
        return tdl_nibbles(((const uint64_t *)boards)[b]);
    __m128i cells = kind == TDL_NIBBLES ? tdl_nibbles(((const uint64_t *)boards)[b])
                  : kind == TDL_FIVES ? tdl_fives(_mm_loadu_si128((const __m128i *)boards + b), 0)
                                      : tdl_half((const tdl_board_array *)boards + b, 0);
    return _mm_min_epu8(cells, _mm_set1_epi8((char)most));
}

/* The cells after those. */
__attribute__((target("ssse3")))
static inline __m128i tdl_rest(int kind, const void *boards, int b, int most)
{
    __m128i cells = kind == TDL_FIVES ? tdl_fives(_mm_loadu_si128((const __m128i *)boards + b), 10)
                                      : tdl_half((const tdl_board_array *)boards + b, 1);
    return _mm_min_epu8(cells, _mm_set1_epi8((char)most));
}
#endif

#endif
