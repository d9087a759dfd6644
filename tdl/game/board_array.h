/* Boards of a byte a cell: comparison, moves on 4x4, empty cells and drops, in vectors and in portable C. */
#ifndef TDL_BOARD_ARRAY_H
#define TDL_BOARD_ARRAY_H

#include <string.h>
#include "board.h"

#if TDL_SQUARES
static inline int tdl_same_arrays(const tdl_board_array *a, const tdl_board_array *b)
{
    return tdl_all(((tdl_bytes)tdl_half(a, 0) == (tdl_bytes)tdl_half(b, 0))
                   & ((tdl_bytes)tdl_half(a, 1) == (tdl_bytes)tdl_half(b, 1)));
}

/* A bit for each empty cell. */
static inline uint32_t tdl_empty_bytes(const tdl_board_array *board, int cells)
{
    uint32_t first = tdl_marks((tdl_bytes)((tdl_bytes)tdl_half(board, 0) == tdl_each(0)));
    uint32_t second = tdl_marks((tdl_bytes)((tdl_bytes)tdl_half(board, 1) == tdl_each(0)));
    return (first | second << 16) & ((1u << cells) - 1);
}

/* Put a tile on an empty cell, in a vector: what is read next is the whole board, and a CPU makes such a read wait for a
   byte that was just written (training: +3%). */
static inline void tdl_drop_byte(tdl_board_array *board, int cell, int tile)
{
    const tdl_bytes cells = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint8_t *half = board->cell + (cell & 16);
    tdl_v16 dropped = (tdl_v16)((tdl_bytes)(cells == tdl_each(cell & 15)) & tdl_each(tile));
    TDL_STORE(tdl_v16, half, TDL_LOAD(tdl_v16, half) | dropped);
}

/* Rewards in the order of the actions from the sums of up and down and of left and right. */
static inline void tdl_put_rewards(int32_t *reward, tdl_v16 ends, tdl_v16 sides)
{
    TDL_STORE(tdl_v16, reward, tdl_zip32_high(ends, tdl_swapped(sides)));
}

static inline void tdl_put_square(tdl_board_array *board, tdl_v16 cells)
{
    TDL_STORE(tdl_v16, board->cell, cells);
    TDL_STORE(tdl_v16, board->cell + 16, tdl_each(0));
}

/* The same by the table of 4-bit rows whose rewards do not depend on the direction. It is half as large as the other:
   2048 trains 1.08 times as fast. */
static inline tdl_v16 tdl_slide_nibble_rows(const uint64_t *table, tdl_v16 rows, tdl_v16 *to_start, tdl_v16 *to_end)
{
    uint64_t first = ((tdl_longs)rows)[0], last = ((tdl_longs)rows)[1];
    tdl_longs a = {table[(uint32_t)first]}, b = {table[first >> 32]};
    tdl_longs c = {table[(uint32_t)last]}, d = {table[last >> 32]};
    tdl_v16 ab = tdl_zip32(a, b), cd = tdl_zip32(c, d), both = tdl_zip64(ab, cd), rewards = ab + cd;
    *to_start = (tdl_v16)((tdl_longs)both & tdl_masks(0xFFFF0000FFFF));
    *to_end = both >> 16;
    return rewards + tdl_swapped(rewards);
}

/* All four moves of a 4x4 board by one of the tables of lines.pxd, `bits` a cell there; `nibble_rows` may be NULL. */
static inline void tdl_moves_of_bytes(const tdl_slide *slides, const uint64_t *nibble_rows, const tdl_board_array *board,
                                      int bits, tdl_board_array *after, int32_t *reward)
{
    tdl_v16 rows = tdl_half(board, 0), cols = tdl_packed_rows(tdl_turned(rows), bits), up, right, down, left, ends, sides;
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
        tdl_bytes upto = tdl_each(0) - (tdl_bytes)((tdl_bytes)tdl_half(board, 0) == tdl_each(0));
        upto += (tdl_bytes)tdl_up(upto, 1);
        upto += (tdl_bytes)tdl_up(upto, 2);
        upto += (tdl_bytes)tdl_up(upto, 4);
        upto += (tdl_bytes)tdl_up(upto, 8);
        return tdl_marked((tdl_v16_bytes)tdl_each(n + 1) > (tdl_v16_bytes)upto);
    }
#endif
    return tdl_nth_bit(marks, draw32);
}

#endif
