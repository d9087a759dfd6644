/* Which table entries a board activates: the indices of all features of tuples of a board at once.
 *
 * C, because it needs instructions that Cython cannot name. There is one function for each layout, `tdl_index_*` for
 * `paired16` and `tdl_digits_*` for `digits`, of each type of board: in portable C here, and for each instruction set
 * in index_vectors.h; `tdl_index_choose` picks at run time. All give the same numbers (tests force each), whose
 * meaning layout.py describes.
 *
 * A board is unpacked to one byte a cell (unpack.h). A feature's index has four bytes. `low` and `high` name, for each
 * byte of each feature, a cell (TDL_SKIP: none), which is just what a byte shuffle takes; four features fill 128 bits.
 * At radix 16 byte k holds digit 2k in its low and digit 2k+1 in its high half. At any other radix `low` has the cells
 * of digits 0 to 3 and `high` those of digits 4 to 7, and the bytes are multiplied and added: neighbours, then pairs of
 * neighbours, then the two halves. A shuffle picks among 16 cells; boards of more take two.
 */
#ifndef TDL_INDEX_H
#define TDL_INDEX_H

#include <stdint.h>
#include "unpack.h"

#define TDL_SKIP 0xFF    /* a byte shuffle writes 0 for it */
#define TDL_FOLD 10      /* how far the fold of layout.py reaches up */

struct tdl_extras;            /* extra_features.h */
struct tdl_index_plan;

/* out[b * padded + f] becomes the entry that feature f of the b-th board, one of a tuple, activates. */
typedef void (*tdl_index_fn)(const struct tdl_index_plan *plan, const void *boards, int n, uint32_t *out);

typedef struct tdl_index_plan {
    int32_t padded;           /* features, rounded up to 16; those added activate entry 0 and are never read */
    int32_t tuples;           /* the same of the tuples' features alone */
    int32_t packs;            /* whether some feature is packed */
    const uint8_t *low;       /* [tuples][4] */
    const uint8_t *high;      /* [tuples][4] */
    const uint32_t *rise;     /* [tuples] bits of the index that move up by one: ~7 in a pair, else 0 */
    const uint32_t *pack;     /* [tuples] 8 where bits 3 and 4 are exchanged, else 0 */
    const uint32_t *base;     /* [tuples] where the feature's table begins */
    uint64_t entries;         /* of all tables: what an index must stay below */
    int32_t radix;            /* at most 32, so that the products fit */
    int32_t cells;            /* of the board */
    const struct tdl_extras *extras;    /* the features beyond tuples; NULL: there are none */
    tdl_index_fn activate[TDL_KINDS];   /* by the type of board, for the instruction set in use */
} tdl_index_plan;

#ifdef TDL_CHECKED
#include <stdio.h>
#include <stdlib.h>
static inline void tdl_check(const tdl_index_plan *plan, const uint32_t *out, int boards)
{
    for (int i = 0; i < boards * plan->padded; i++)
        if (out[i] >= plan->entries) {
            fprintf(stderr, "tdl: entry %u of %llu\n", out[i], (unsigned long long)plan->entries);
            abort();
        }
}
#else
#define tdl_check(plan, out, boards) ((void)0)
#endif

static inline void tdl_index_plainly(const tdl_index_plan *plan, int kind, const void *boards, int n, uint32_t *out)
{
    uint8_t tile[256] = {0};   /* by cell; entry TDL_SKIP stays 0 */
    for (int b = 0; b < n; b++) {
        tdl_tiles(kind, boards, b, plan->cells, 15, tile);
        for (int f = 0; f < plan->tuples; f++) {
            const uint8_t *p = plan->low + 4 * f, *q = plan->high + 4 * f;
            uint32_t x = 0;
            for (int k = 3; k >= 0; k--)
                x = x << 8 | tile[q[k]] << 4 | tile[p[k]];
            x += x & plan->rise[f];
            uint32_t moved = ((x >> 1) ^ x) & plan->pack[f];
            x ^= moved ^ moved << 1;
            x ^= (x >> TDL_FOLD) & ~15u;
            out[f] = x + plan->base[f];
        }
        out += plan->padded;
    }
}

static inline void tdl_digits_plainly(const tdl_index_plan *plan, int kind, const void *boards, int n, uint32_t *out)
{
    uint8_t tile[256] = {0};
    for (int b = 0; b < n; b++) {
        tdl_tiles(kind, boards, b, plan->cells, plan->radix - 1, tile);
        for (int f = 0; f < plan->tuples; f++) {
            uint32_t x = 0;
            for (int k = 3; k >= 0; k--)
                x = x * plan->radix + tile[plan->high[4 * f + k]];
            for (int k = 3; k >= 0; k--)
                x = x * plan->radix + tile[plan->low[4 * f + k]];
            out[f] = x + plan->base[f];
        }
        out += plan->padded;
    }
}

#define TDL_ARGS const tdl_index_plan *plan, const void *boards, int n, uint32_t *out

#define TDL_PORTABLE_FUNCTIONS(KIND)                                                                                  \
    static void tdl_index_##KIND##_portable(TDL_ARGS) { tdl_index_plainly(plan, TDL_##KIND, boards, n, out); }        \
    static void tdl_digits_##KIND##_portable(TDL_ARGS) { tdl_digits_plainly(plan, TDL_##KIND, boards, n, out); }
TDL_PORTABLE_FUNCTIONS(NIBBLES)
TDL_PORTABLE_FUNCTIONS(FIVES)
TDL_PORTABLE_FUNCTIONS(BYTES)

#if TDL_VECTORS
#include "index_vectors.h"
#endif

/* The instruction sets by number, slowest first. */
enum { TDL_SET_PORTABLE, TDL_SET_SSSE3, TDL_SET_AVX2, TDL_SET_AVX512, TDL_SET_NEON, TDL_INDEX_SETS };
static const char *const tdl_index_names[TDL_INDEX_SETS] = {"portable", "ssse3", "avx2", "avx512", "neon"};

/* Whether this build and this CPU have instruction set number `set`. */
static inline int tdl_index_has(int set)
{
#ifdef TDL_X86
    __builtin_cpu_init();
    if (set == TDL_SET_SSSE3)
        return __builtin_cpu_supports("ssse3");
    if (set == TDL_SET_AVX2)
        return __builtin_cpu_supports("avx2");
    if (set == TDL_SET_AVX512)
        return __builtin_cpu_supports("avx512bw");
#elif TDL_VECTORS
    if (set == TDL_SET_NEON)
        return 1;
#endif
    return set == TDL_SET_PORTABLE;
}

/* The functions of instruction set number `set`, which must be there, for the types and the size of boards of `plan`. */
static inline void tdl_index_choose(tdl_index_plan *plan, int set, int digits)
{
#define TDL_CHOOSE(LAYOUT, SET, FAR)                                                                                  \
    plan->activate[TDL_NIBBLES] = tdl_##LAYOUT##_NIBBLES_##SET;                                                       \
    plan->activate[TDL_FIVES] = tdl_##LAYOUT##_##FAR##FIVES_##SET;                                                    \
    plan->activate[TDL_BYTES] = tdl_##LAYOUT##_##FAR##BYTES_##SET;
#define TDL_CHOOSE_BY_CELLS(LAYOUT, SET)                                                                              \
    if (plan->cells > 16) { TDL_CHOOSE(LAYOUT, SET, FAR_) } else { TDL_CHOOSE(LAYOUT, SET, ) }
#define TDL_CHOOSE_BY_LAYOUT(SET)                                                                                     \
    if (digits) { TDL_CHOOSE_BY_CELLS(digits, SET) } else { TDL_CHOOSE_BY_CELLS(index, SET) }
    if (digits) { TDL_CHOOSE(digits, portable, ) } else { TDL_CHOOSE(index, portable, ) }
#ifdef TDL_X86
    if (set == TDL_SET_SSSE3 && !digits) { TDL_CHOOSE_BY_CELLS(index, ssse3) }
    if (set == TDL_SET_AVX2) { TDL_CHOOSE_BY_LAYOUT(avx2) }
    if (set == TDL_SET_AVX512) { TDL_CHOOSE_BY_LAYOUT(avx512) }
#elif TDL_VECTORS
    if (set == TDL_SET_NEON) { TDL_CHOOSE_BY_LAYOUT(neon) }
#else
    (void)set;
#endif
}

#endif
