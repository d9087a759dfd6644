/* The three types of a board, as C knows them, and vectors of them for x86. */
#ifndef TDL_BOARD_H
#define TDL_BOARD_H

#include <stdint.h>

typedef unsigned long long tdl_board64;
typedef unsigned __int128 tdl_board128;
/* Cell by cell; those beyond the board are 0. */
typedef struct { uint8_t cell[32]; } tdl_board_array;
/* A packed line slid both ways, as lines.pxd has it. */
typedef struct { uint32_t to_start, to_end; int32_t start_reward, end_reward; } tdl_slide;

enum { TDL_NIBBLES, TDL_FIVES, TDL_BYTES };

#if defined(__x86_64__) && !defined(TDL_PORTABLE)
#include <immintrin.h>

#define TDL_SQUARES 1     /* all moves of a 4x4 board are made in vectors */

static inline __m128i tdl_half(const tdl_board_array *board, int half)
{
    return _mm_loadu_si128((const __m128i *)(board->cell + 16 * half));
}

/* A 4x4 board in a vector, a row in each 32 bits; rows become columns. The build for AVX2 has a shuffle for it. */
static inline __m128i tdl_turned(__m128i board)
{
#ifdef __SSSE3__
    return _mm_shuffle_epi8(board, _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
#else
    __m128i pairs = _mm_unpacklo_epi8(board, _mm_srli_si128(board, 8));
    return _mm_unpacklo_epi8(pairs, _mm_srli_si128(pairs, 8));
#endif
}

/* Its rows packed to `bits` a cell; and such rows with a byte a cell again. */
static inline __m128i tdl_packed_rows(__m128i board, int bits)
{
#ifdef __SSSE3__
    __m128i pairs = _mm_maddubs_epi16(board, _mm_set1_epi16((short)(1 << (bits + 8) | 1)));
#else
    __m128i second = _mm_slli_epi16(_mm_srli_epi16(board, 8), bits);
    __m128i pairs = _mm_or_si128(_mm_and_si128(board, _mm_set1_epi16(0xFF)), second);
#endif
    return _mm_madd_epi16(pairs, _mm_set1_epi32(1 << (2 * bits + 16) | 1));
}

static inline __m128i tdl_unpacked_rows(__m128i rows, int bits)
{
    const __m128i cell = _mm_set1_epi16((short)((1 << bits) - 1)), pair = _mm_set1_epi32((1 << 2 * bits) - 1);
    __m128i pairs = _mm_or_si128(_mm_and_si128(rows, pair),
                                 _mm_slli_epi32(_mm_andnot_si128(pair, rows), 16 - 2 * bits));
    return _mm_or_si128(_mm_and_si128(pairs, cell), _mm_slli_epi16(_mm_andnot_si128(cell, pairs), 8 - bits));
}

/* Four packed rows slid both ways; returns the sums of both rewards in its two upper numbers. */
static inline __m128i tdl_slide_rows(const tdl_slide *slides, __m128i rows, __m128i *to_start, __m128i *to_end)
{
    const __m128i *slide = (const __m128i *)slides;
    uint64_t first = (uint64_t)_mm_cvtsi128_si64(rows), last = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(rows, rows));
    __m128i a = _mm_loadu_si128(slide + (uint32_t)first), b = _mm_loadu_si128(slide + (first >> 32));
    __m128i c = _mm_loadu_si128(slide + (uint32_t)last), d = _mm_loadu_si128(slide + (last >> 32));
    __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
    *to_start = _mm_unpacklo_epi64(ab, cd);
    *to_end = _mm_unpackhi_epi64(ab, cd);
    return _mm_add_epi32(_mm_add_epi32(a, b), _mm_add_epi32(c, d));
}

#else
#define TDL_SQUARES 0
#endif

/* A random one of the bits set, of which there must be one: number draw32 * bits / 2^32. */
static inline int tdl_nth_bit(uint32_t marks, uint64_t draw32)
{
    for (uint64_t n = (draw32 * (uint64_t)__builtin_popcount(marks)) >> 32; n; n--)
        marks &= marks - 1;
    return __builtin_ctz(marks);
}

#endif
