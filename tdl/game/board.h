/* The three types of a board, as C knows them, and rows of them in vectors. */
#ifndef TDL_BOARD_H
#define TDL_BOARD_H

#include <stdint.h>
#include "vectors.h"

typedef unsigned long long tdl_board64;
typedef unsigned __int128 tdl_board128;
/* Cell by cell; those beyond the board are 0. */
typedef struct { uint8_t cell[32]; } tdl_board_array;
/* A packed line slid both ways, as lines.pxd has it. */
typedef struct { uint32_t to_start, to_end; int32_t start_reward, end_reward; } tdl_slide;

enum { TDL_NIBBLES, TDL_FIVES, TDL_BYTES };

#define TDL_SQUARES TDL_VECTORS     /* all moves of a 4x4 board are made in vectors */

#if TDL_SQUARES
static inline tdl_v16 tdl_half(const tdl_board_array *board, int half)
{
    return TDL_LOAD(tdl_v16, board->cell + 16 * half);
}

/* A 4x4 board of a byte a cell, a row in each 32 bits: its rows packed to `bits` a cell, and such rows unpacked. */
static inline tdl_v16 tdl_packed_rows(tdl_v16 board, int bits)
{
    return tdl_row16(tdl_row8(board, 1 << bits), 1 << 2 * bits);
}

static inline tdl_v16 tdl_unpacked_rows(tdl_v16 rows, int bits)
{
    const tdl_longs pair = tdl_masks(((1u << 2 * bits) - 1) * 0x100000001);
    const tdl_longs cell = tdl_masks(((1u << bits) - 1) * 0x1000100010001);
    tdl_v16 pairs = (tdl_v16)((tdl_longs)rows & pair) | tdl_without(rows, pair) << (16 - 2 * bits);
    return (tdl_v16)((tdl_longs)pairs & cell) | tdl_without(pairs, cell) << (8 - bits);
}

/* Four packed rows slid both ways; returns the sums of both rewards in its two upper numbers. */
static inline tdl_v16 tdl_slide_rows(const tdl_slide *slides, tdl_v16 rows, tdl_v16 *to_start, tdl_v16 *to_end)
{
    uint64_t first = ((tdl_longs)rows)[0], last = ((tdl_longs)rows)[1];
    tdl_v16 a = TDL_LOAD(tdl_v16, slides + (uint32_t)first), b = TDL_LOAD(tdl_v16, slides + (first >> 32));
    tdl_v16 c = TDL_LOAD(tdl_v16, slides + (uint32_t)last), d = TDL_LOAD(tdl_v16, slides + (last >> 32));
    tdl_v16 ab = tdl_zip32(a, b), cd = tdl_zip32(c, d);
    *to_start = tdl_zip64(ab, cd);
    *to_end = tdl_zip64_high(ab, cd);
    return (a + b) + (c + d);
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
