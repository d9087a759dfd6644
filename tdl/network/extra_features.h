/* The features of a board that are no tuples: order features and count features. tuples.py says what they are,
 * reference.py which numbers; all functions here give the same.
 *
 * An order feature compares up to 12 pairs of cells. Like a tuple's index each has four bytes, so that four or eight
 * features are computed together; each byte holds, in three rounds, one pair of cells, picked by byte shuffles. With an
 * empty cell read as -1 where it should be the smaller one, and as 0 where it should be the larger one,
 * `smaller < larger` is true of two empty cells both ways round, which is the sign they are to have, and false of the
 * bytes a shuffle fills with 0. The results become bits by a sum of powers of two.
 *
 * For count features the tiles of the board are counted once, into one byte for each tile index; a shuffle picks those
 * of a feature, which are multiplied and added as the digits of a tuple are.
 */
#ifndef TDL_EXTRA_FEATURES_H
#define TDL_EXTRA_FEATURES_H

#include <string.h>
#include "index.h"

typedef struct tdl_extras tdl_extras;
typedef void (*tdl_extras_fn)(const tdl_extras *x, const void *boards, int n, uint32_t *out);

struct tdl_extras {
    tdl_extras_fn fill[TDL_KINDS];      /* by the type of board, for the instruction set in use */
    int32_t cells;            /* of the board */
    int32_t first;            /* features of tuples, which stand before these in a row */
    int32_t padded;           /* entries of a row: all features, and those added, rounded up to 16 */
    int32_t orders;           /* how many order features, */
    int32_t added;            /* and how many more make them a multiple of 8; they activate entry 0 */
    int32_t counts;           /* how many count features; they stand after the order features */
    int32_t cap;              /* larger counts count as this */
    const uint8_t *one;       /* [3][orders + added][4] the first cell of pairs 4r to 4r + 3 in round r, or TDL_SKIP */
    const uint8_t *other;     /* the same of the second cell */
    const uint32_t *scale;    /* [orders + added] 2 to the number of pairs: what the second bits are multiplied by */
    const uint32_t *base;     /* [orders + added] where the feature's table begins */
    const uint8_t *tiles;     /* [counts][16] tile indices, or TDL_SKIP */
    const uint32_t *begin;    /* [counts] where the feature's table begins */
};

#define TDL_ROUNDS 3

/* Those a row has room for beside its features activate entry 0 and are never read. The empty asm keeps gcc from making
   a call of the loops, which are shorter than one. */
static inline void tdl_extras_pad(const tdl_extras *x, uint32_t *row)
{
    int f = x->first + x->orders + x->counts;
    for (; f & 3; f++) {
        row[f] = 0;
        __asm__ volatile("");
    }
    for (; f < x->padded; f += 4) {
        memset(row + f, 0, 4 * sizeof *row);
        __asm__ volatile("");
    }
}

static inline void tdl_extras_plainly(const tdl_extras *x, int kind, const void *boards, int n, uint32_t *out)
{
    for (int b = 0; b < n; b++, out += x->padded) {
        uint8_t tile[256] = {0}, count[256] = {0};   /* by cell, by tile index; entry TDL_SKIP stays 0 */
        uint32_t *to = out + x->first;
        tdl_tiles(kind, boards, b, x->cells, 31, tile);
        for (int cell = 0; cell < x->cells; cell++)
            count[tile[cell]]++;
        for (int f = 0; f < x->orders; f++) {
            uint32_t smaller = 0, larger = 0;
            for (int p = 0; p < 4 * TDL_ROUNDS; p++) {
                int at = 4 * ((p / 4) * (x->orders + x->added) + f) + p % 4;
                uint32_t a = tile[x->one[at]], b = tile[x->other[at]], empty = !(a | b) & (x->one[at] != TDL_SKIP);
                smaller |= ((a < b) | empty) << p;
                larger |= ((a > b) | empty) << p;
            }
            *to++ = smaller + larger * x->scale[f] + x->base[f];
        }
        for (int f = 0; f < x->counts; f++) {
            uint32_t index = 0;
            for (int k = 15; k >= 0; k--) {
                uint32_t seen = count[x->tiles[16 * f + k]], cap = x->cap;
                index = index * (cap + 1) + (seen < cap ? seen : cap);
            }
            *to++ = index + x->begin[f];
        }
        tdl_extras_pad(x, out);
    }
}

static void tdl_extras_nibbles(const tdl_extras *x, const void *boards, int n, uint32_t *out)
{
    tdl_extras_plainly(x, TDL_NIBBLES, boards, n, out);
}

static void tdl_extras_fives(const tdl_extras *x, const void *boards, int n, uint32_t *out)
{
    tdl_extras_plainly(x, TDL_FIVES, boards, n, out);
}

static void tdl_extras_bytes(const tdl_extras *x, const void *boards, int n, uint32_t *out)
{
    tdl_extras_plainly(x, TDL_BYTES, boards, n, out);
}

#if TDL_VECTORS
#include "extra_features_vectors.h"
#endif

/* The functions of instruction set number `set` of index.h, which must be there. Vectors hold 16 cells and count 16 tile
   indices: they are for boards of 4-bit cells. */
static inline void tdl_extras_choose(tdl_extras *x, int set)
{
    x->fill[TDL_NIBBLES] = tdl_extras_nibbles;
    x->fill[TDL_FIVES] = tdl_extras_fives;
    x->fill[TDL_BYTES] = tdl_extras_bytes;
#ifdef TDL_X86
    if (set != TDL_SET_PORTABLE)
        x->fill[TDL_NIBBLES] = set == TDL_SET_SSSE3 ? tdl_extras_ssse3 : tdl_extras_avx2;
#elif TDL_VECTORS
    if (set == TDL_SET_NEON)
        x->fill[TDL_NIBBLES] = tdl_extras_neon;
#else
    (void)set;
#endif
}

#endif
