/* Boards, and their entries in a network, for a GPU, and, by warps.h, for a test in plain C.
 *
 * kernel_text.py writes the constants that stand before this text: the game and the network.
 */
#ifndef TDL_BOARDS_H
#define TDL_BOARDS_H

#include "warps.h"

/* Boards --------------------------------------------------------------------------------------------------------- */

#if TDL_BITS == 4
typedef uint64_t tdl_board;
#else
typedef unsigned __int128 tdl_board;
#endif

#define TDL_LARGEST ((1 << TDL_BITS) - 1)
#define TDL_AT(cell) (TDL_BITS * (cell))
#define TDL_FOUR(a, b, c, d)                                                                                          \
    ((tdl_board)TDL_LARGEST << TDL_AT(a) | (tdl_board)TDL_LARGEST << TDL_AT(b) | (tdl_board)TDL_LARGEST << TDL_AT(c) |  \
     (tdl_board)TDL_LARGEST << TDL_AT(d))
#define TDL_LOWEST (((((tdl_board)1 << (TDL_AT(16) - 1)) - 1) * 2 + 1) / TDL_LARGEST)  /* the lowest bit of each cell */

TDL_FN tdl_board tdl_loaded(const tdl_words *words)
{
#if TDL_BITS == 4
    return words->low;
#else
    return (tdl_board)words->high << 64 | words->low;
#endif
}

TDL_FN tdl_words tdl_stored(tdl_board board)
{
#if TDL_BITS == 4
    const tdl_words words = {board, 0};
#else
    const tdl_words words = {(uint64_t)board, (uint64_t)(board >> 64)};
#endif
    return words;
}

TDL_FN int tdl_tile(tdl_board board, int cell)
{
    return (int)(board >> TDL_AT(cell)) & TDL_LARGEST;
}

/* Exchange each cell of `cells` with that so many further on. */
TDL_FN tdl_board tdl_exchanged(tdl_board board, tdl_board cells, int apart)
{
    const tdl_board moved = (board >> TDL_AT(apart) ^ board) & cells;
    return board ^ moved ^ moved << TDL_AT(apart);
}

TDL_FN tdl_board tdl_transposed(tdl_board board)
{
    return tdl_exchanged(tdl_exchanged(board, TDL_FOUR(1, 3, 9, 11), 3), TDL_FOUR(2, 3, 6, 7), 6);
}

/* Each row in the order of its cells from the last to the first. */
TDL_FN tdl_board tdl_mirrored(tdl_board board)
{
    board = tdl_exchanged(board, TDL_FOUR(0, 4, 8, 12) | TDL_FOUR(2, 6, 10, 14), 1);
    return tdl_exchanged(board, TDL_FOUR(0, 4, 8, 12) | TDL_FOUR(1, 5, 9, 13), 2);
}

/* The rows from the last to the first. */
TDL_FN tdl_board tdl_flipped(tdl_board board)
{
    board = tdl_exchanged(board, TDL_FOUR(0, 1, 2, 3) | TDL_FOUR(8, 9, 10, 11), 4);
    return tdl_exchanged(board, TDL_FOUR(0, 1, 2, 3) | TDL_FOUR(4, 5, 6, 7), 8);
}

/* Image 0 to 7, in the order of `symmetries` in tuples.py. */
TDL_FN tdl_board tdl_image(tdl_board board, int image)
{
    board = image & 4 ? tdl_transposed(board) : board;
    board = image & 2 ? tdl_flipped(board) : board;
    return image & 1 ? tdl_mirrored(board) : board;
}

/* A board turned so that an action moves its tiles to the first cells of rows, or turned back. */
TDL_FN tdl_board tdl_to_left(tdl_board board, int action, int back)
{
    const int columns = !(action & 1), mirror = action == 1 || action == 2;
    board = columns && !back ? tdl_transposed(board) : board;
    board = mirror ? tdl_mirrored(board) : board;
    return columns && back ? tdl_transposed(board) : board;
}

/* The afterstate of an action, the board itself where it is not legal; adds to `reward`. */
TDL_FN tdl_board tdl_slid(const TDL_ROW *rows, tdl_board board, int action, int32_t *reward)
{
    const uint32_t all = (1u << TDL_AT(4)) - 1;
    const tdl_board turned = tdl_to_left(board, action, 0);
    tdl_board after = 0;
    TDL_UNROLL for (int row = 0; row < 4; row++) {
        const TDL_ROW slid = rows[(uint32_t)(turned >> TDL_AT(4 * row)) & all];
        after |= (tdl_board)(slid & all) << TDL_AT(4 * row);
        *reward += (int32_t)(slid >> TDL_AT(4)) * TDL_REWARD_UNIT;
    }
    return tdl_to_left(after, action, 1);
}

/* The lowest bit of each empty cell. */
TDL_FN tdl_board tdl_empty(tdl_board board)
{
    tdl_board taken = board;
    TDL_UNROLL for (int bit = 1; bit < TDL_BITS; bit++)
        taken |= board >> bit;
    return ~taken & TDL_LOWEST;
}

TDL_FN int tdl_marks(tdl_board marks)
{
    const tdl_words words = tdl_stored(marks);
    return tdl_ones(words.low) + (TDL_BITS == 4 ? 0 : tdl_ones(words.high));
}

/* How many cells have a tile. */
TDL_FN int tdl_count(tdl_board board, int tile)
{
    return tdl_marks(tdl_empty(board ^ TDL_LOWEST * (tdl_board)tile));
}

/* Put a tile, 0: one by the drop law, on a random empty cell, by 64 random bits. */
TDL_FN tdl_board tdl_dropped(uint64_t bits, tdl_board board, int tile)
{
    const uint64_t low = (uint32_t)bits;
    tdl_board empty = tdl_empty(board);
    for (int k = (int)((bits >> 32) * (uint64_t)tdl_marks(empty) >> 32); k > 0; k--)
        empty &= empty - 1;
    return board | (empty & -empty) * (tdl_board)(tile ? tile : TDL_DROPPED(low));
}

TDL_TABLE int64_t tdl_values[] = TDL_VALUES;        /* by tile index */
TDL_TABLE uint8_t tdl_first[] = TDL_FIRST;          /* tiles that a game begins with; 0: one by the drop law */

TDL_FN int64_t tdl_total(tdl_board board)
{
    int64_t total = 0;
    TDL_UNROLL for (int cell = 0; cell < 16; cell++)
        total += tdl_values[tdl_tile(board, cell)];
    return total;
}

TDL_FN int tdl_largest(tdl_board board)
{
    int largest = 0;
    TDL_UNROLL for (int cell = 0; cell < 16; cell++)
        largest = tdl_tile(board, cell) > largest ? tdl_tile(board, cell) : largest;
    return largest;
}

/* Stages --------------------------------------------------------------------------------------------------------- */

#if TDL_STAGES > 1
TDL_TABLE int64_t tdl_thresholds[] = TDL_THRESHOLDS;

TDL_FN int tdl_stage(tdl_board board)
{
    const int64_t measure = TDL_BY_SUM ? tdl_total(board) : tdl_values[tdl_largest(board)];
    int stage = 0;
    while (stage < TDL_STAGES - 1 && measure >= tdl_thresholds[stage])
        stage++;
    return stage;
}
#else
#define tdl_stage(board) 0
#endif

#if TDL_LOWERED
TDL_TABLE uint32_t tdl_mates[] = TDL_MATES;     /* of each tile index: a bit for each that it merges with */

/* Whether the same tiles merge when all above `gap` lose one index. */
TDL_FN int tdl_merges_stay(uint32_t there, int gap)
{
    const uint32_t high = there & ~1u << gap;
    for (int a = 1; a <= TDL_LARGEST; a++)
        if (there >> a & 1 && (tdl_mates[a] & high) != (tdl_mates[a - (a > gap)] & high >> 1) << 1)
            return 0;
    return 1;
}

/* A board with smaller tiles, as downgrade.pxd makes it. */
TDL_FN tdl_board tdl_lowered(tdl_board board)
{
    for (;;) {
        uint32_t there = 0;
        for (int cell = 0; cell < 16; cell++)
            there |= 1u << tdl_tile(board, cell);
        if (there >> 1 >> TDL_LOWERED == 0)
            return board;
        int gap = TDL_LARGEST;
        while (there >> 1 >> gap == 0)
            gap--;
        while (gap && (there >> gap & 1 || !tdl_merges_stay(there, gap)))
            gap--;
        if (gap == 0)
            return board;
        for (int cell = 0; cell < 16; cell++)
            if (tdl_tile(board, cell) > gap)
                board -= (tdl_board)1 << TDL_AT(cell);
    }
}
#else
#define tdl_lowered(board) (board)
#endif

/* Entries -------------------------------------------------------------------------------------------------------- */

#define TDL_NONE 0xFFFFFFFFu                        /* no entry */
#define TDL_ENTRIES (TDL_IMAGED + (TDL_COUNTED + 7) / 8)      /* of one image, at most: a count feature is one image's */

/* A digit of an index: tiles that a radix has no symbol for share the last one. */
TDL_FN uint32_t tdl_digit(tdl_board board, int cell)
{
    const uint32_t tile = (uint32_t)tdl_tile(board, cell);
    return tile < TDL_RADIX - 1 ? tile : TDL_RADIX - 1;
}

/* The steps of the layout `paired16`, by their names in layout.py. */
TDL_FN uint32_t tdl_paired(uint32_t index)
{
    return index + (index & ~7u);
}

TDL_FN uint32_t tdl_packed(uint32_t index)
{
    const uint32_t moved = (index >> 1 ^ index) & 8;
    return index ^ moved ^ moved << 1;
}

TDL_FN uint32_t tdl_folded(uint32_t index)
{
    return index ^ (index >> 10 & ~15u);
}

/* The two bits of pair p of P of an order feature. */
TDL_FN uint32_t tdl_pair(tdl_board board, int one, int other, int p, int P)
{
    const int a = tdl_tile(board, one), b = tdl_tile(board, other), empty = !(a | b);
    return (uint32_t)(a < b || empty) << p | (uint32_t)(a > b || empty) << (P + p);
}

/* A digit of a count feature. */
TDL_FN uint32_t tdl_counted(tdl_board board, int tile)
{
    const int count = tdl_count(board, tile);
    return (uint32_t)(count < TDL_COUNT_CAP ? count : TDL_COUNT_CAP);
}

/* The entries of one image of a board: those of tuples and order features, then of the count features whose number has
   the image's as its last digit of base 8, or TDL_NONE. */
TDL_FN void tdl_entries(tdl_board board, int image, uint32_t *entry)
{
    const int stage = tdl_stage(board);
    const uint32_t rise = (uint32_t)stage * TDL_STRIDE;
    board = stage ? tdl_lowered(board) : board;
    const tdl_board seen = tdl_image(board, image), turned = tdl_flipped(tdl_mirrored(seen));
    (void)turned;
#define TDL_PUT(k, index) entry[k] = (index) + rise;
    TDL_IMAGED_ENTRIES(TDL_PUT, seen, turned)
#undef TDL_PUT
#if TDL_COUNTED
    TDL_UNROLL for (int k = TDL_IMAGED; k < TDL_ENTRIES; k++)
        entry[k] = TDL_NONE;
#define TDL_PUT(c, index)                                                                                             \
    if (((c) & 7) == image)                                                                                           \
        entry[TDL_IMAGED + (c) / 8] = (index) + rise;
    TDL_COUNTED_ENTRIES(TDL_PUT, board)
#undef TDL_PUT
#endif
}

/* An entry's weight, by promotion where there are stages. `share`: as in stages.pxd. */
TDL_FN float tdl_weight(const float *weights, uint32_t entry, float share)
{
    (void)share;
    return TDL_STAGES > 1 ? tdl_promoted(weights, entry, TDL_STRIDE, share) : weights[entry];
}

/* An image's part of V of a board, whose sum of eight is V. */
TDL_FN float tdl_part(const float *weights, float share, tdl_board board, int image)
{
    uint32_t entry[TDL_ENTRIES];
    float value = 0;
    tdl_entries(board, image, entry);
    TDL_UNROLL for (int k = 0; k < TDL_ENTRIES; k++)
        if (k < TDL_IMAGED || entry[k] != TDL_NONE)
            value += tdl_weight(weights, entry[k], share);
    return value;
}

#endif
