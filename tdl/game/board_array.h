/* Boards of a byte a cell: comparison, moves on 4x4, empty cells and drops, in vectors and in portable C. */
#ifndef TDL_BOARD_ARRAY_H
#define TDL_BOARD_ARRAY_H

#include <string.h>
#include "board.h"

#if TDL_SQUARES
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

/* Put a tile on an empty cell, in a vector: what is read next is the whole board, and a CPU makes such a read wait for a
   byte that was just written (training: +3%). */
static inline void tdl_drop_byte(tdl_board_array *board, int cell, int tile)
{
    const __m128i cells = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m128i *half = (__m128i *)(board->cell + (cell & 16));
    __m128i here = _mm_cmpeq_epi8(cells, _mm_set1_epi8((char)(cell & 15)));
    _mm_storeu_si128(half, _mm_or_si128(_mm_loadu_si128(half), _mm_and_si128(here, _mm_set1_epi8((char)tile))));
}

/* Rewards in the order of the actions from the sums of up and down and of left and right. */
static inline void tdl_put_rewards(int32_t *reward, __m128i ends, __m128i sides)
{
    __m128i mixed = _mm_unpackhi_epi32(ends, sides);     /* up, left, down, right */
    _mm_storeu_si128((__m128i *)reward, _mm_shuffle_epi32(mixed, _MM_SHUFFLE(1, 2, 3, 0)));
}

static inline void tdl_put_square(tdl_board_array *board, __m128i cells)
{
    _mm_storeu_si128((__m128i *)board->cell, cells);
    _mm_storeu_si128((__m128i *)board->cell + 1, _mm_setzero_si128());
}

/* The same by the table of 4-bit rows whose rewards do not depend on the direction. It is half as large as the other:
   2048 trains 1.08 times as fast. */
static inline __m128i tdl_slide_nibble_rows(const uint64_t *table, __m128i rows, __m128i *to_start, __m128i *to_end)
{
    uint64_t first = (uint64_t)_mm_cvtsi128_si64(rows), last = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(rows, rows));
    __m128i a = _mm_loadl_epi64((const __m128i *)(table + (uint32_t)first));
    __m128i b = _mm_loadl_epi64((const __m128i *)(table + (first >> 32)));
    __m128i c = _mm_loadl_epi64((const __m128i *)(table + (uint32_t)last));
    __m128i d = _mm_loadl_epi64((const __m128i *)(table + (last >> 32)));
    __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d), both = _mm_unpacklo_epi64(ab, cd);
    *to_start = _mm_and_si128(both, _mm_set1_epi32(0xFFFF));
    *to_end = _mm_srli_epi32(both, 16);
    __m128i rewards = _mm_add_epi32(ab, cd);
    return _mm_add_epi32(rewards, _mm_shuffle_epi32(rewards, _MM_SHUFFLE(2, 3, 0, 1)));
}

/* All four moves of a 4x4 board by one of the tables of lines.pxd, `bits` a cell there; `nibble_rows` may be NULL. */
static inline void tdl_moves_of_bytes(const tdl_slide *slides, const uint64_t *nibble_rows, const tdl_board_array *board,
                                      int bits, tdl_board_array *after, int32_t *reward)
{
    __m128i rows = tdl_half(board, 0), cols = tdl_packed_rows(tdl_turned(rows), bits), up, right, down, left, ends, sides;
    rows = tdl_packed_rows(rows, bits);
    if (nibble_rows) {
        ends = tdl_slide_nibble_rows(nibble_rows, cols, &up, &down);
        sides = tdl_slide_nibble_rows(nibble_rows, rows, &left, &right);
    } else {
        ends = tdl_slide_rows(slides, cols, &up, &down);
        sides = tdl_slide_rows(slides, rows, &left, &right);
    }
    tdl_put_square(after, tdl_turned(tdl_unpacked_rows(up, bits)));
    tdl_put_square(after + 1, tdl_unpacked_rows(right, bits));
    tdl_put_square(after + 2, tdl_turned(tdl_unpacked_rows(down, bits)));
    tdl_put_square(after + 3, tdl_unpacked_rows(left, bits));
    tdl_put_rewards(reward, ends, sides);
}

static inline void tdl_array_moves(const tdl_slide *slides, const uint64_t *nibble_rows, const tdl_board_array *board,
                                   int bits, tdl_board_array *after, int32_t *reward)
{
    if (bits == 4)
        tdl_moves_of_bytes(slides, nibble_rows, board, 4, after, reward);
    else
        tdl_moves_of_bytes(slides, (const uint64_t *)0, board, 5, after, reward);
}
#else
static inline void tdl_drop_byte(tdl_board_array *board, int cell, int tile)
{
    board->cell[cell] = (uint8_t)tile;
}
#define tdl_array_moves(slides, nibble_rows, board, bits, after, reward) ((void)0)

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

/* A random one of the empty cells, as `tdl_nth_bit` chooses. Up to 16 cells without a loop, as `nth_nibble` of
   board64.pxd does, which is 3.6 times the speed of a loop where a tile drops. */
static inline int tdl_random_empty_byte(const tdl_board_array *board, int cells, uint64_t draw32)
{
    uint32_t marks = tdl_empty_bytes(board, cells);
#if TDL_SQUARES
    if (cells <= 16) {
        int n = (int)(draw32 * (uint64_t)__builtin_popcount(marks) >> 32);
        __m128i upto = _mm_sub_epi8(_mm_setzero_si128(), _mm_cmpeq_epi8(tdl_half(board, 0), _mm_setzero_si128()));
        upto = _mm_add_epi8(upto, _mm_slli_si128(upto, 1));
        upto = _mm_add_epi8(upto, _mm_slli_si128(upto, 2));
        upto = _mm_add_epi8(upto, _mm_slli_si128(upto, 4));
        upto = _mm_add_epi8(upto, _mm_slli_si128(upto, 8));
        return __builtin_popcount((uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(_mm_set1_epi8((char)(n + 1)), upto)));
    }
#endif
    return tdl_nth_bit(marks, draw32);
}

#endif
