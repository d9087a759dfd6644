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

#if TDL_VECTORS
static inline tdl_v16 tdl_nibbles(uint64_t packed)
{
    const tdl_longs board = {packed};
    return tdl_zip8((tdl_bytes)board & 15, (tdl_bytes)(board >> 4) & 15);
}

/* 16 cells of 5 bits from byte `from` on. Each lies in two neighbouring bytes; a product moves it to their top. */
TDL_FOR_V16 static inline tdl_v16 tdl_fives(tdl_v16 board, int from)
{
    const tdl_bytes two = {0, 1, 0, 1, 1, 2, 1, 2, 2, 3, 3, 4, 3, 4, 4, 5};
    const tdl_shorts up = {1 << 11, 1 << 6, 1 << 9, 1 << 4, 1 << 7, 1 << 10, 1 << 5, 1 << 8};
    tdl_bytes first = two + (uint8_t)from, second = two + (uint8_t)(from + 5);
    if (from)     /* byte 16 and those after it are not on the board */
        second |= (tdl_bytes)(second > tdl_each(15));
    return tdl_narrow(((tdl_shorts)tdl_v16_shuffle(board, (tdl_v16)first) * up) >> 11,
                      ((tdl_shorts)tdl_v16_shuffle(board, (tdl_v16)second) * up) >> 11);
}

/* The first 16 cells of the b-th board. */
TDL_FOR_V16 static inline tdl_v16 tdl_near(int kind, const void *boards, int b, int most)
{
    if (kind == TDL_NIBBLES && most >= 15)
        return tdl_nibbles(((const uint64_t *)boards)[b]);
    tdl_v16 cells = kind == TDL_NIBBLES ? tdl_nibbles(((const uint64_t *)boards)[b])
                  : kind == TDL_FIVES ? tdl_fives(TDL_LOAD(tdl_v16, (const tdl_board128 *)boards + b), 0)
                                      : tdl_half((const tdl_board_array *)boards + b, 0);
    return (tdl_v16)tdl_least(cells, tdl_each(most));
}

/* The cells after those. */
TDL_FOR_V16 static inline tdl_v16 tdl_rest(int kind, const void *boards, int b, int most)
{
    tdl_v16 cells = kind == TDL_FIVES ? tdl_fives(TDL_LOAD(tdl_v16, (const tdl_board128 *)boards + b), 10)
                                      : tdl_half((const tdl_board_array *)boards + b, 1);
    return (tdl_v16)tdl_least(cells, tdl_each(most));
}
#endif

#endif
