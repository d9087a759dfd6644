/* The features of a board that are no tuples: order features and count features (extras.py says what they are,
 * reference.py which numbers; all functions here give the same).
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
#ifndef TDL_EXTRAS_H
#define TDL_EXTRAS_H

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

#ifdef TDL_X86
/* The bytes in which an empty cell is -1. */
static inline __m128i tdl_low(__m128i cells)
{
    return _mm_or_si128(cells, _mm_cmpeq_epi8(cells, _mm_setzero_si128()));
}

/* The order features of a board, N at a time: V is the vector type, MM what its instructions begin with. */
#define TDL_ORDERS_BODY(V, MM, N, BROADCAST, LOAD, STORE)                                                             \
    const int all = 4 * (x->orders + x->added);                                                                       \
    const uint8_t *one = x->one, *other = x->other;                                                                   \
    const V low = BROADCAST(tdl_low(cells)), high = BROADCAST(cells);                                                 \
    const V few = MM##_set1_epi32(0x08040201), more = MM##_set1_epi32((int)0x80402010);                               \
    const V ones = MM##_set1_epi8(1), pairs = MM##_set1_epi16(1);                                                     \
    const V half = MM##_set1_epi32(0x0f), rest = MM##_set1_epi32(0xf0);                                               \
    for (int f = 0; f < 4 * x->orders; f += 4 * N, to += N) {                                                         \
        V smaller[TDL_ROUNDS], larger[TDL_ROUNDS];                                                                    \
        for (int r = 0; r < TDL_ROUNDS; r++) {                                                                        \
            V a = LOAD(one + r * all + f), b = LOAD(other + r * all + f);                                             \
            smaller[r] = MM##_cmpgt_epi8(MM##_shuffle_epi8(high, b), MM##_shuffle_epi8(low, a));                      \
            larger[r] = MM##_cmpgt_epi8(MM##_shuffle_epi8(high, a), MM##_shuffle_epi8(low, b));                       \
        }                                                                                                             \
        V s = (smaller[0] & few) | (smaller[1] & more), l = (larger[0] & few) | (larger[1] & more);                   \
        V both = (smaller[2] & few) | (larger[2] & more);                                                             \
        s = MM##_madd_epi16(MM##_maddubs_epi16(s, ones), pairs);                                                      \
        l = MM##_madd_epi16(MM##_maddubs_epi16(l, ones), pairs);                                                      \
        both = MM##_madd_epi16(MM##_maddubs_epi16(both, ones), pairs);                                                \
        s |= MM##_slli_epi32(both & half, 8);                                                                         \
        l |= MM##_slli_epi32(both & rest, 4);                                                                         \
        l = MM##_madd_epi16(l, LOAD(x->scale + f / 4));                                                               \
        STORE(to, MM##_add_epi32(MM##_add_epi32(s, l), LOAD(x->base + f / 4)));                                       \
    }

__attribute__((target("ssse3")))
static inline void tdl_orders_ssse3(const tdl_extras *x, __m128i cells, uint32_t *to)
{
    TDL_ORDERS_BODY(__m128i, _mm, 4, SAME128, LOAD128, STORE128)
}

__attribute__((target("avx2")))
static inline void tdl_orders_avx2(const tdl_extras *x, __m128i cells, uint32_t *to)
{
    TDL_ORDERS_BODY(__m256i, _mm256, 8, _mm256_broadcastsi128_si256, LOAD256, STORE256)
}

/* Every cell in turn, as often as there are tile indices to compare it with. */
#define TDL_16(c) c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c
static const uint8_t tdl_cell[16][16] __attribute__((aligned(64))) = {
    {TDL_16(0)}, {TDL_16(1)}, {TDL_16(2)}, {TDL_16(3)}, {TDL_16(4)}, {TDL_16(5)}, {TDL_16(6)}, {TDL_16(7)},
    {TDL_16(8)}, {TDL_16(9)}, {TDL_16(10)}, {TDL_16(11)}, {TDL_16(12)}, {TDL_16(13)}, {TDL_16(14)}, {TDL_16(15)}};
static const uint8_t tdl_tile[16] __attribute__((aligned(16))) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* How often each tile index is on the board before a cell is looked at: an unpacked board has 16 cells, and those that
   are not on the board are empty. */
static inline __m128i tdl_uncounted(const tdl_extras *x)
{
    return _mm_cvtsi32_si128((x->cells - 16) & 255);
}

__attribute__((target("ssse3")))
static inline __m128i tdl_count_ssse3(const tdl_extras *x, __m128i cells)
{
    const __m128i tile = LOAD128(tdl_tile);
    __m128i count = tdl_uncounted(x);
    for (int c = 0; c < 16; c++)
        count = _mm_sub_epi8(count, _mm_cmpeq_epi8(_mm_shuffle_epi8(cells, LOAD128(tdl_cell[c])), tile));
    return count;
}

__attribute__((target("avx2")))
static inline __m128i tdl_count_avx2(const tdl_extras *x, __m128i cells)
{
    const __m256i tile = _mm256_broadcastsi128_si256(LOAD128(tdl_tile)), board = _mm256_broadcastsi128_si256(cells);
    __m256i count = _mm256_zextsi128_si256(tdl_uncounted(x));
    for (int c = 0; c < 16; c += 2)
        count = _mm256_sub_epi8(count, _mm256_cmpeq_epi8(_mm256_shuffle_epi8(board, LOAD256(tdl_cell[c])), tile));
    return _mm_add_epi8(_mm256_castsi256_si128(count), _mm256_extracti128_si256(count, 1));
}

/* The count features of a board, from the counts of all tile indices. */
__attribute__((target("ssse3")))
static inline void tdl_counts(const tdl_extras *x, __m128i count, uint32_t *to)
{
    const int r = x->cap + 1;
    const __m128i one = _mm_set1_epi16((short)(r << 8 | 1)), two = _mm_set1_epi32(r * r << 16 | 1);
    const uint32_t four = (uint32_t)(r * r * r * r);
    count = _mm_min_epu8(count, _mm_set1_epi8((char)x->cap));
    for (int f = 0; f < x->counts; f++) {
        __m128i digits = _mm_shuffle_epi8(count, LOAD128(x->tiles + 16 * f));
        digits = _mm_madd_epi16(_mm_maddubs_epi16(digits, one), two);
        uint64_t low = (uint64_t)_mm_cvtsi128_si64(digits);
        uint64_t high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(digits, digits));
        uint32_t upper = (uint32_t)high + (uint32_t)(high >> 32) * four;
        to[f] = (uint32_t)low + ((uint32_t)(low >> 32) + upper * four) * four + x->begin[f];
    }
}

/* A copy of the plan tells the compiler that what is written to `out` does not change it. */
#define TDL_EXTRAS_BODY(SET)                                                                                          \
    const tdl_extras copy = *plan, *x = &copy;                                                                        \
    for (int b = 0; b < n; b++, out += x->padded) {                                                                   \
        __m128i cells = tdl_nibbles(((const uint64_t *)boards)[b]);                                                   \
        tdl_orders_##SET(x, cells, out + x->first);                                                                   \
        if (x->counts)                                                                                                \
            tdl_counts(x, tdl_count_##SET(x, cells), out + x->first + x->orders);                                     \
        tdl_extras_pad(x, out);                                                                                       \
    }

__attribute__((target("ssse3")))
static void tdl_extras_ssse3(const tdl_extras *plan, const void *boards, int n, uint32_t *out)
{
    TDL_EXTRAS_BODY(ssse3)
}

__attribute__((target("avx2")))
static void tdl_extras_avx2(const tdl_extras *plan, const void *boards, int n, uint32_t *out)
{
    TDL_EXTRAS_BODY(avx2)
}
#endif

/* The functions of instruction set number `set` of index.h, which must be there. Vectors hold 16 cells and count 16 tile
   indices: they are for boards of 4-bit cells. */
static inline void tdl_extras_choose(tdl_extras *x, int set)
{
    x->fill[TDL_NIBBLES] = tdl_extras_nibbles;
    x->fill[TDL_FIVES] = tdl_extras_fives;
    x->fill[TDL_BYTES] = tdl_extras_bytes;
#ifdef TDL_X86
    if (set)
        x->fill[TDL_NIBBLES] = set == 1 ? tdl_extras_ssse3 : tdl_extras_avx2;
#else
    (void)set;
#endif
}

#endif
