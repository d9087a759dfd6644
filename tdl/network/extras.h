/* The features of a board that are no tuples: order features and count features (extras.py says what they are,
 * reference.py which numbers; all functions here give the same).
 *
 * An order feature compares up to 12 pairs of cells, with two byte shuffles. With an empty cell read as -1 where it
 * should be the smaller one, and as 0 where it should be the larger one, `smaller < larger` is true of two empty cells
 * both ways round, which is the sign they are to have, and false of the bytes a shuffle fills with 0.
 *
 * For count features the tiles of the board are counted once, into one byte for each tile index; a shuffle picks those
 * of a feature, which are multiplied and added as the digits of a tuple are.
 */
#ifndef TDL_EXTRAS_H
#define TDL_EXTRAS_H

#include <string.h>
#include "index.h"

typedef struct tdl_extras tdl_extras;
typedef void (*tdl_extras_fn)(const tdl_extras *x, const uint64_t *boards, int n, uint32_t *out);

struct tdl_extras {
    tdl_extras_fn fill;       /* for the instruction set in use */
    int32_t cells;            /* of the board */
    int32_t first;            /* features of tuples, which stand before these in a row */
    int32_t padded;           /* entries of a row: all features, rounded up to 16 */
    int32_t orders;           /* how many order features, */
    int32_t counts;           /* and how many count features after them */
    int32_t cap;              /* larger counts count as this */
    const uint8_t *pairs;     /* [orders][4][16] first cells, second cells, second cells, first cells; or TDL_SKIP */
    const uint32_t *length;   /* [orders] pairs */
    const uint8_t *tiles;     /* [counts][16] tile indices, or TDL_SKIP */
    const uint32_t *base;     /* [orders + counts] where the feature's table begins */
};

/* Those a row has room for beside its features activate entry 0 and are never read. */
static inline void tdl_extras_pad(const tdl_extras *x, uint32_t *row)
{
    for (int f = x->first + x->orders + x->counts; f < x->padded; f++)
        row[f] = 0;
}

static void tdl_extras_portable(const tdl_extras *x, const uint64_t *boards, int n, uint32_t *out)
{
    for (int b = 0; b < n; b++, out += x->padded) {
        uint8_t tile[256] = {0}, count[256] = {0};   /* by cell, by tile index; entry TDL_SKIP stays 0 */
        uint32_t *to = out + x->first;
        for (int cell = 0; cell < x->cells; cell++) {
            tile[cell] = (boards[b] >> (4 * cell)) & 15;
            count[tile[cell]]++;
        }
        for (int f = 0; f < x->orders; f++) {
            const uint8_t *first = x->pairs + 64 * f, *second = first + 16;
            uint32_t index = 0, length = x->length[f];
            for (uint32_t p = 0; p < length; p++) {
                uint32_t one = tile[first[p]], other = tile[second[p]], empty = !(one | other);
                index |= ((one < other) | empty) << p | ((one > other) | empty) << (length + p);
            }
            *to++ = index + x->base[f];
        }
        for (int f = 0; f < x->counts; f++) {
            uint32_t index = 0;
            for (int k = 15; k >= 0; k--) {
                uint32_t seen = count[x->tiles[16 * f + k]], cap = x->cap;
                index = index * (cap + 1) + (seen < cap ? seen : cap);
            }
            *to++ = index + x->base[x->orders + f];
        }
        tdl_extras_pad(x, out);
    }
}

#ifdef TDL_X86
/* The bytes in which an empty cell is -1. */
static inline __m128i tdl_low(__m128i cells)
{
    return _mm_or_si128(cells, _mm_cmpeq_epi8(cells, _mm_setzero_si128()));
}

/* How often each tile index is on the board, before a cell is looked at: an unpacked board has 16, and those that are
   not on the board are empty. */
static inline __m128i tdl_uncounted(const tdl_extras *x)
{
    return _mm_cvtsi32_si128((x->cells - 16) & 255);
}

#define TDL_IOTA 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15

__attribute__((target("ssse3")))
static inline __m128i tdl_count_ssse3(const tdl_extras *x, __m128i cells)
{
    const __m128i index = _mm_setr_epi8(TDL_IOTA);
    __m128i count = tdl_uncounted(x);
    for (int cell = 0; cell < 16; cell++)
        count = _mm_sub_epi8(count, _mm_cmpeq_epi8(_mm_shuffle_epi8(cells, _mm_set1_epi8((char)cell)), index));
    return count;
}

__attribute__((target("avx2")))
static inline __m128i tdl_count_avx2(const tdl_extras *x, __m128i cells)
{
    const __m256i index = _mm256_setr_epi8(TDL_IOTA, TDL_IOTA), board = _mm256_broadcastsi128_si256(cells);
    __m256i count = _mm256_zextsi128_si256(tdl_uncounted(x));
    for (int cell = 0; cell < 16; cell += 2) {
        __m256i here = _mm256_setr_m128i(_mm_set1_epi8((char)cell), _mm_set1_epi8((char)(cell + 1)));
        count = _mm256_sub_epi8(count, _mm256_cmpeq_epi8(_mm256_shuffle_epi8(board, here), index));
    }
    return _mm_add_epi8(_mm256_castsi256_si128(count), _mm256_extracti128_si256(count, 1));
}

/* The count features, from the counts of all tile indices. */
__attribute__((target("ssse3")))
static inline void tdl_counts(const tdl_extras *x, __m128i count, uint32_t *to)
{
    const int r = x->cap + 1;
    const __m128i cap = _mm_set1_epi8((char)x->cap), one = _mm_set1_epi16((short)(r << 8 | 1));
    const __m128i two = _mm_set1_epi32(r * r << 16 | 1);
    const uint32_t four = (uint32_t)(r * r * r * r);
    count = _mm_min_epu8(count, cap);
    for (int f = 0; f < x->counts; f++) {
        __m128i digits = _mm_shuffle_epi8(count, _mm_loadu_si128((const __m128i *)(x->tiles + 16 * f)));
        uint32_t part[4];
        _mm_storeu_si128((__m128i *)part, _mm_madd_epi16(_mm_maddubs_epi16(digits, one), two));
        to[f] = ((part[3] * four + part[2]) * four + part[1]) * four + part[0] + x->base[x->orders + f];
    }
}

__attribute__((target("ssse3")))
static void tdl_extras_ssse3(const tdl_extras *x, const uint64_t *boards, int n, uint32_t *out)
{
    for (int b = 0; b < n; b++, out += x->padded) {
        __m128i cells = tdl_cells(boards[b]), low = tdl_low(cells);
        uint32_t *to = out + x->first;
        for (int f = 0; f < x->orders; f++) {
            const __m128i *pairs = (const __m128i *)(x->pairs + 64 * f);
            __m128i first = _mm_load_si128(pairs), second = _mm_load_si128(pairs + 1);
            __m128i smaller = _mm_cmpgt_epi8(_mm_shuffle_epi8(cells, second), _mm_shuffle_epi8(low, first));
            __m128i larger = _mm_cmpgt_epi8(_mm_shuffle_epi8(cells, first), _mm_shuffle_epi8(low, second));
            uint32_t high = (uint32_t)_mm_movemask_epi8(larger) << x->length[f];
            to[f] = ((uint32_t)_mm_movemask_epi8(smaller) | high) + x->base[f];
        }
        if (x->counts)
            tdl_counts(x, tdl_count_ssse3(x, cells), to + x->orders);
        tdl_extras_pad(x, out);
    }
}

/* Both comparisons at once: in the lower half of a register whether the first is smaller, in the upper half whether the
   second is. */
__attribute__((target("avx2")))
static void tdl_extras_avx2(const tdl_extras *x, const uint64_t *boards, int n, uint32_t *out)
{
    for (int b = 0; b < n; b++, out += x->padded) {
        __m128i cells = tdl_cells(boards[b]);
        __m256i low = _mm256_broadcastsi128_si256(tdl_low(cells)), high = _mm256_broadcastsi128_si256(cells);
        uint32_t *to = out + x->first;
        for (int f = 0; f < x->orders; f++) {
            const __m256i *pairs = (const __m256i *)(x->pairs + 64 * f);
            __m256i less = _mm256_shuffle_epi8(low, _mm256_load_si256(pairs));
            __m256i more = _mm256_shuffle_epi8(high, _mm256_load_si256(pairs + 1));
            uint32_t bits = (uint32_t)_mm256_movemask_epi8(_mm256_cmpgt_epi8(more, less));
            to[f] = ((bits & 0xffff) | (bits >> 16) << x->length[f]) + x->base[f];
        }
        if (x->counts)
            tdl_counts(x, tdl_count_avx2(x, cells), to + x->orders);
        tdl_extras_pad(x, out);
    }
}
#endif

/* The function of instruction set number `set` of index.h, which must be there. */
static inline tdl_extras_fn tdl_extras_of(int set)
{
#ifdef TDL_X86
    if (set)
        return set == 1 ? tdl_extras_ssse3 : tdl_extras_avx2;
#endif
    return tdl_extras_portable;
}

#endif
