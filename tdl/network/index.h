/* Which table entries a board activates: the indices of all features of tuples of a board at once.
 *
 * With extras.h, for features of other kinds, the only C of the project, because it is the only place that needs
 * instructions Cython cannot name. There is one
 * function for each layout, `tdl_index_*` for `paired16` and `tdl_digits_*` for `digits`, each once in portable C and
 * once for each instruction set; `tdl_index_of` picks at run time. All give the same numbers (tests force each); the
 * meaning of those numbers is described and doubled in layout.py.
 *
 * A board of 4-bit cells is unpacked to one byte a cell. A feature's index has four bytes. `low` and `high` name, for
 * each byte of each feature, a cell (TDL_SKIP: none), which is just what a byte shuffle takes; four features fill 128
 * bits. At radix 16 byte k holds digit 2k in its low and digit 2k+1 in its high half. At any other radix `low` has the
 * cells of digits 0 to 3 and `high` those of digits 4 to 7, and the bytes are multiplied and added: neighbours, then
 * pairs of neighbours, then the two halves.
 */
#ifndef TDL_INDEX_H
#define TDL_INDEX_H

#include <stdint.h>

#define TDL_SKIP 0x80    /* a byte shuffle writes 0 for it */
#define TDL_FOLD 10      /* how far the fold of layout.py reaches up */

struct tdl_extras;            /* extras.h */

typedef struct {
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
    const struct tdl_extras *extras;    /* the features beyond tuples; NULL: there are none */
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

/* out[b * padded + f] becomes the entry that feature f of boards[b], one of a tuple, activates. */
typedef void (*tdl_index_fn)(const tdl_index_plan *plan, const uint64_t *boards, int n, uint32_t *out);

static void tdl_index_portable(const tdl_index_plan *plan, const uint64_t *boards, int n, uint32_t *out)
{
    uint32_t tile[256] = {0};   /* by cell; entry TDL_SKIP stays 0 */
    for (int b = 0; b < n; b++) {
        for (int cell = 0; cell < 16; cell++)
            tile[cell] = (boards[b] >> (4 * cell)) & 15;
        for (int f = 0; f < plan->tuples; f++) {
            const uint8_t *p = plan->low + 4 * f, *q = plan->high + 4 * f;
            uint32_t x = (tile[p[0]] | tile[q[0]] << 4) | (tile[p[1]] | tile[q[1]] << 4) << 8
                       | (tile[p[2]] | tile[q[2]] << 4) << 16 | (tile[p[3]] | tile[q[3]] << 4) << 24;
            x += x & plan->rise[f];
            uint32_t moved = ((x >> 1) ^ x) & plan->pack[f];
            x ^= moved ^ moved << 1;
            x ^= (x >> TDL_FOLD) & ~15u;
            out[f] = x + plan->base[f];
        }
        out += plan->padded;
    }
}

static void tdl_digits_portable(const tdl_index_plan *plan, const uint64_t *boards, int n, uint32_t *out)
{
    uint32_t tile[256] = {0}, largest = plan->radix - 1;
    for (int b = 0; b < n; b++) {
        for (int cell = 0; cell < 16; cell++) {
            tile[cell] = (boards[b] >> (4 * cell)) & 15;
            tile[cell] = tile[cell] < largest ? tile[cell] : largest;
        }
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

#if defined(__x86_64__) && !defined(TDL_PORTABLE)
#define TDL_X86 1
#include <immintrin.h>

/* The cells of a board, a byte each. */
static inline __m128i tdl_cells(uint64_t packed)
{
    const __m128i half = _mm_set1_epi8(15);
    __m128i board = _mm_cvtsi64_si128((long long)packed);
    return _mm_unpacklo_epi8(_mm_and_si128(board, half), _mm_and_si128(_mm_srli_epi64(board, 4), half));
}

/* One body, instantiated for each width: V is the vector type, N the features it holds. */
#define TDL_INDEX_BODY(V, N, BROADCAST, LOAD, STORE, SHUFFLE, OR, AND, XOR, SHR, SHL, ADD, SET1)                      \
    const V line = SET1(~15);                                                                                         \
    for (int b = 0; b < n; b++) {                                                                                     \
        __m128i cells = tdl_cells(boards[b]);                                                                         \
        V a = BROADCAST(cells), c = BROADCAST(_mm_slli_epi16(cells, 4));                                              \
        for (int f = 0; f < plan->tuples; f += N) {                                                                   \
            V x = OR(SHUFFLE(a, LOAD(plan->low + 4 * f)), SHUFFLE(c, LOAD(plan->high + 4 * f)));                      \
            x = ADD(x, AND(x, LOAD(plan->rise + f)));                                                                 \
            if (plan->packs) {                                                                                        \
                V moved = AND(XOR(SHR(x, 1), x), LOAD(plan->pack + f));                                               \
                x = XOR(x, XOR(moved, SHL(moved, 1)));                                                                \
            }                                                                                                         \
            x = XOR(x, AND(SHR(x, TDL_FOLD), line));                                                                  \
            STORE(out + f, ADD(x, LOAD(plan->base + f)));                                                             \
        }                                                                                                             \
        out += plan->padded;                                                                                          \
    }

#define TDL_DIGITS_BODY(V, N, BROADCAST, LOAD, STORE, SHUFFLE, MADDUBS, MADD, MULLO, ADD, SET1)                       \
    const int r = plan->radix;                                                                                        \
    const V one = SET1(r << 24 | 1 << 16 | r << 8 | 1), two = SET1(r * r << 16 | 1), four = SET1(r * r * r * r);      \
    for (int b = 0; b < n; b++) {                                                                                     \
        const V cells = BROADCAST(_mm_min_epu8(tdl_cells(boards[b]), _mm_set1_epi8((char)(r - 1))));                  \
        for (int f = 0; f < plan->tuples; f += N) {                                                                   \
            V x = MADD(MADDUBS(SHUFFLE(cells, LOAD(plan->low + 4 * f)), one), two);                                   \
            V y = MADD(MADDUBS(SHUFFLE(cells, LOAD(plan->high + 4 * f)), one), two);                                  \
            STORE(out + f, ADD(ADD(x, MULLO(y, four)), LOAD(plan->base + f)));                                        \
        }                                                                                                             \
        out += plan->padded;                                                                                          \
    }

#define LOAD128(p) _mm_loadu_si128((const __m128i *)(p))
#define STORE128(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define SAME128(v) (v)
__attribute__((target("ssse3")))
static void tdl_index_ssse3(const tdl_index_plan *plan, const uint64_t *boards, int n, uint32_t *out)
{
    TDL_INDEX_BODY(__m128i, 4, SAME128, LOAD128, STORE128, _mm_shuffle_epi8, _mm_or_si128, _mm_and_si128,
                   _mm_xor_si128, _mm_srli_epi32, _mm_slli_epi32, _mm_add_epi32, _mm_set1_epi32)
}

#define LOAD256(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE256(p, v) _mm256_storeu_si256((__m256i *)(p), v)
__attribute__((target("avx2")))
static void tdl_index_avx2(const tdl_index_plan *plan, const uint64_t *boards, int n, uint32_t *out)
{
    TDL_INDEX_BODY(__m256i, 8, _mm256_broadcastsi128_si256, LOAD256, STORE256, _mm256_shuffle_epi8, _mm256_or_si256,
                   _mm256_and_si256, _mm256_xor_si256, _mm256_srli_epi32, _mm256_slli_epi32, _mm256_add_epi32,
                   _mm256_set1_epi32)
}

__attribute__((target("avx2")))
static void tdl_digits_avx2(const tdl_index_plan *plan, const uint64_t *boards, int n, uint32_t *out)
{
    TDL_DIGITS_BODY(__m256i, 8, _mm256_broadcastsi128_si256, LOAD256, STORE256, _mm256_shuffle_epi8,
                    _mm256_maddubs_epi16, _mm256_madd_epi16, _mm256_mullo_epi32, _mm256_add_epi32, _mm256_set1_epi32)
}

#define LOAD512(p) _mm512_loadu_si512((const void *)(p))
#define STORE512(p, v) _mm512_storeu_si512((void *)(p), v)
__attribute__((target("avx512f,avx512bw")))
static void tdl_index_avx512(const tdl_index_plan *plan, const uint64_t *boards, int n, uint32_t *out)
{
    TDL_INDEX_BODY(__m512i, 16, _mm512_broadcast_i32x4, LOAD512, STORE512, _mm512_shuffle_epi8, _mm512_or_si512,
                   _mm512_and_si512, _mm512_xor_si512, _mm512_srli_epi32, _mm512_slli_epi32, _mm512_add_epi32,
                   _mm512_set1_epi32)
}

__attribute__((target("avx512f,avx512bw")))
static void tdl_digits_avx512(const tdl_index_plan *plan, const uint64_t *boards, int n, uint32_t *out)
{
    TDL_DIGITS_BODY(__m512i, 16, _mm512_broadcast_i32x4, LOAD512, STORE512, _mm512_shuffle_epi8,
                    _mm512_maddubs_epi16, _mm512_madd_epi16, _mm512_mullo_epi32, _mm512_add_epi32, _mm512_set1_epi32)
}
#endif

/* The instruction sets by number, slowest first; NULL where this build or this CPU does not have it. */
#define TDL_INDEX_SETS 4
static const char *const tdl_index_names[TDL_INDEX_SETS] = {"portable", "ssse3", "avx2", "avx512"};

/* The function of a plan. SSSE3 lacks the product that digits need; its digits are the portable ones. */
static inline tdl_index_fn tdl_index_of(int set, int digits)
{
    if (set == 0)
        return digits ? tdl_digits_portable : tdl_index_portable;
#ifdef TDL_X86
    __builtin_cpu_init();
    if (set == 1 && __builtin_cpu_supports("ssse3"))
        return digits ? tdl_digits_portable : tdl_index_ssse3;
    if (set == 2 && __builtin_cpu_supports("avx2"))
        return digits ? tdl_digits_avx2 : tdl_index_avx2;
    if (set == 3 && __builtin_cpu_supports("avx512bw"))
        return digits ? tdl_digits_avx512 : tdl_index_avx512;
#endif
    return 0;
}

#endif
