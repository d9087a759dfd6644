/* The three types of a board, as C knows them, and what is done to the array of bytes all at once. */
#ifndef TDL_BYTES_H
#define TDL_BYTES_H

#include <stdint.h>
#include <string.h>

typedef unsigned long long tdl_board64;
typedef unsigned __int128 tdl_board128;
/* Cell by cell; those beyond the board are 0. */
typedef struct { uint8_t cell[32]; } tdl_board_array;

enum { TDL_NIBBLES, TDL_FIVES, TDL_BYTES };

#if defined(__SSE2__) && !defined(TDL_PORTABLE)
#include <emmintrin.h>

static inline __m128i tdl_half(const tdl_board_array *board, int half)
{
    return _mm_loadu_si128((const __m128i *)(board->cell + 16 * half));
}

static inline int tdl_same_arrays(const tdl_board_array *a, const tdl_board_array *b)
{
    __m128i first = _mm_cmpeq_epi8(tdl_half(a, 0), tdl_half(b, 0)), second = _mm_cmpeq_epi8(tdl_half(a, 1), tdl_half(b, 1));
    return _mm_movemask_epi8(_mm_and_si128(first, second)) == 0xFFFF;
}

/* A bit for each empty cell. */
static inline uint32_t tdl_empty_bytes(const tdl_board_array *board, int cells)
{
    const __m128i none = _mm_setzero_si128();
    uint32_t first = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(tdl_half(board, 0), none));
    uint32_t second = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(tdl_half(board, 1), none));
    return (first | second << 16) & ((1u << cells) - 1);
}
#else
static inline int tdl_same_arrays(const tdl_board_array *a, const tdl_board_array *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static inline uint32_t tdl_empty_bytes(const tdl_board_array *board, int cells)
{
    uint32_t marks = 0;
    for (int cell = 0; cell < cells; cell++)
        marks |= (uint32_t)(board->cell[cell] == 0) << cell;
    return marks;
}
#endif

/* A random one of the bits set, of which there must be one: number draw32 * bits / 2^32. */
static inline int tdl_nth_bit(uint32_t marks, uint64_t draw32)
{
    for (uint64_t n = (draw32 * (uint64_t)__builtin_popcount(marks)) >> 32; n; n--)
        marks &= marks - 1;
    return __builtin_ctz(marks);
}

#endif
