/* Which table entries a board activates: the indices of all features of tuples of a board at once.
 *
 * With extras.h, for features of other kinds, and the boards' types (game/board.h) the only C of the project, because it
 * is the only place that needs instructions Cython cannot name. There is one function for each layout, `tdl_index_*` for
 * `paired16` and `tdl_digits_*` for `digits`, of each type of board, each once in portable C and once for each
 * instruction set; `tdl_index_of` picks at run time. All give the same numbers (tests force each); the meaning of those
 * numbers is described and doubled in layout.py.
 *
 * A board is unpacked to one byte a cell (cells.h). A feature's index has four bytes. `low` and `high` name, for each
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

struct tdl_extras;            /* extras.h */
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

#ifdef TDL_X86
/* One body, instantiated for each width and type of board: V is the vector type, MM what its instructions begin with, N
   the features it holds. FAR says whether the board has more than 16 cells: `near` then are the first 16. */
#define TDL_NEAR(MM, at, FAR) (FAR ? MM##_adds_epu8(at, MM##_set1_epi8(0x70)) : at)
#define TDL_REST(MM, at) MM##_sub_epi8(at, MM##_set1_epi8(16))

#define TDL_INDEX_BODY(V, MM, N, BROADCAST, LOAD, STORE, KIND, FAR)                                                   \
    const V line = MM##_set1_epi32(~15);                                                                              \
    for (int b = 0; b < n; b++) {                                                                                     \
        const __m128i near = tdl_near(KIND, boards, b, 15), rest = FAR ? tdl_rest(KIND, boards, b, 15) : near;        \
        const V a = BROADCAST(near), c = BROADCAST(_mm_slli_epi16(near, 4));                                          \
        const V d = BROADCAST(rest), e = BROADCAST(_mm_slli_epi16(rest, 4));                                          \
        for (int f = 0; f < plan->tuples; f += N) {                                                                   \
            const V low = LOAD(plan->low + 4 * f), high = LOAD(plan->high + 4 * f);                                   \
            V x = MM##_shuffle_epi8(a, TDL_NEAR(MM, low, FAR)) | MM##_shuffle_epi8(c, TDL_NEAR(MM, high, FAR));       \
            if (FAR)                                                                                                  \
                x |= MM##_shuffle_epi8(d, TDL_REST(MM, low)) | MM##_shuffle_epi8(e, TDL_REST(MM, high));              \
            x = MM##_add_epi32(x, x & LOAD(plan->rise + f));                                                          \
            if (plan->packs) {                                                                                        \
                V moved = (MM##_srli_epi32(x, 1) ^ x) & LOAD(plan->pack + f);                                         \
                x ^= moved ^ MM##_slli_epi32(moved, 1);                                                               \
            }                                                                                                         \
            x ^= MM##_srli_epi32(x, TDL_FOLD) & line;                                                                 \
            STORE(out + f, MM##_add_epi32(x, LOAD(plan->base + f)));                                                  \
        }                                                                                                             \
        out += plan->padded;                                                                                          \
    }

#define TDL_DIGITS_BODY(V, MM, N, BROADCAST, LOAD, STORE, KIND, FAR)                                                  \
    const int r = plan->radix;                                                                                        \
    const V one = MM##_set1_epi32(r << 24 | 1 << 16 | r << 8 | 1), two = MM##_set1_epi32(r * r << 16 | 1);            \
    const V four = MM##_set1_epi32(r * r * r * r);                                                                    \
    for (int b = 0; b < n; b++) {                                                                                     \
        const V a = BROADCAST(tdl_near(KIND, boards, b, r - 1));                                                      \
        const V d = FAR ? BROADCAST(tdl_rest(KIND, boards, b, r - 1)) : a;                                            \
        for (int f = 0; f < plan->tuples; f += N) {                                                                   \
            const V low = LOAD(plan->low + 4 * f), high = LOAD(plan->high + 4 * f);                                   \
            V x = MM##_shuffle_epi8(a, TDL_NEAR(MM, low, FAR)), y = MM##_shuffle_epi8(a, TDL_NEAR(MM, high, FAR));    \
            if (FAR) {                                                                                                \
                x |= MM##_shuffle_epi8(d, TDL_REST(MM, low));                                                         \
                y |= MM##_shuffle_epi8(d, TDL_REST(MM, high));                                                        \
            }                                                                                                         \
            x = MM##_madd_epi16(MM##_maddubs_epi16(x, one), two);                                                     \
            y = MM##_madd_epi16(MM##_maddubs_epi16(y, one), two);                                                     \
            x = MM##_add_epi32(x, MM##_mullo_epi32(y, four));                                                         \
            STORE(out + f, MM##_add_epi32(x, LOAD(plan->base + f)));                                                  \
        }                                                                                                             \
        out += plan->padded;                                                                                          \
    }

#define LOAD128(p) _mm_loadu_si128((const __m128i *)(p))
#define STORE128(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define SAME128(v) (v)
#define LOAD256(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE256(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define LOAD512(p) _mm512_loadu_si512((const void *)(p))
#define STORE512(p, v) _mm512_storeu_si512((void *)(p), v)

#define TDL_BODY128(BODY, KIND, FAR) BODY(__m128i, _mm, 4, SAME128, LOAD128, STORE128, KIND, FAR)
#define TDL_BODY256(BODY, KIND, FAR)                                                                                  \
    BODY(__m256i, _mm256, 8, _mm256_broadcastsi128_si256, LOAD256, STORE256, KIND, FAR)
#define TDL_BODY512(BODY, KIND, FAR) BODY(__m512i, _mm512, 16, _mm512_broadcast_i32x4, LOAD512, STORE512, KIND, FAR)

/* The functions of a type of board, NAME in their names. SSSE3 lacks the product that digits need. */
#define TDL_X86_FUNCTIONS(NAME, KIND, FAR)                                                                            \
    __attribute__((target("ssse3")))                                                                                  \
    static void tdl_index_##NAME##_ssse3(TDL_ARGS) { TDL_BODY128(TDL_INDEX_BODY, KIND, FAR) }                         \
    __attribute__((target("avx2")))                                                                                   \
    static void tdl_index_##NAME##_avx2(TDL_ARGS) { TDL_BODY256(TDL_INDEX_BODY, KIND, FAR) }                          \
    __attribute__((target("avx512f,avx512bw")))                                                                       \
    static void tdl_index_##NAME##_avx512(TDL_ARGS) { TDL_BODY512(TDL_INDEX_BODY, KIND, FAR) }                        \
    __attribute__((target("avx2")))                                                                                   \
    static void tdl_digits_##NAME##_avx2(TDL_ARGS) { TDL_BODY256(TDL_DIGITS_BODY, KIND, FAR) }                        \
    __attribute__((target("avx512f,avx512bw")))                                                                       \
    static void tdl_digits_##NAME##_avx512(TDL_ARGS) { TDL_BODY512(TDL_DIGITS_BODY, KIND, FAR) }
TDL_X86_FUNCTIONS(NIBBLES, TDL_NIBBLES, 0)
TDL_X86_FUNCTIONS(FIVES, TDL_FIVES, 0)
TDL_X86_FUNCTIONS(FAR_FIVES, TDL_FIVES, 1)
TDL_X86_FUNCTIONS(BYTES, TDL_BYTES, 0)
TDL_X86_FUNCTIONS(FAR_BYTES, TDL_BYTES, 1)
#endif

/* The instruction sets by number, slowest first; NULL where this build or this CPU does not have it. */
#define TDL_INDEX_SETS 4
static const char *const tdl_index_names[TDL_INDEX_SETS] = {"portable", "ssse3", "avx2", "avx512"};

/* Whether instruction set number `set` is there. */
static inline int tdl_index_has(int set)
{
#ifdef TDL_X86
    __builtin_cpu_init();
    if (set == 1)
        return __builtin_cpu_supports("ssse3");
    if (set == 2)
        return __builtin_cpu_supports("avx2");
    if (set == 3)
        return __builtin_cpu_supports("avx512bw");
#endif
    return set == 0;
}

/* The functions of instruction set number `set`, which must be there, of all types of boards of so many cells. */
static inline void tdl_index_choose(tdl_index_plan *plan, int set, int digits)
{
#define TDL_CHOOSE(LAYOUT, SET, FAR)                                                                                  \
    plan->activate[TDL_NIBBLES] = tdl_##LAYOUT##_NIBBLES_##SET;                                                       \
    plan->activate[TDL_FIVES] = tdl_##LAYOUT##_##FAR##FIVES_##SET;                                                    \
    plan->activate[TDL_BYTES] = tdl_##LAYOUT##_##FAR##BYTES_##SET;
#define TDL_CHOOSE_BY_CELLS(LAYOUT, SET)                                                                              \
    if (plan->cells > 16) { TDL_CHOOSE(LAYOUT, SET, FAR_) } else { TDL_CHOOSE(LAYOUT, SET, ) }
    if (digits) { TDL_CHOOSE(digits, portable, ) } else { TDL_CHOOSE(index, portable, ) }
#ifdef TDL_X86
    if (set == 1 && !digits) { TDL_CHOOSE_BY_CELLS(index, ssse3) }
    if (set == 2 && digits) { TDL_CHOOSE_BY_CELLS(digits, avx2) }
    if (set == 2 && !digits) { TDL_CHOOSE_BY_CELLS(index, avx2) }
    if (set == 3 && digits) { TDL_CHOOSE_BY_CELLS(digits, avx512) }
    if (set == 3 && !digits) { TDL_CHOOSE_BY_CELLS(index, avx512) }
#endif
}

#endif
