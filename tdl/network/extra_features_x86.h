/* The functions of extra_features.h in vectors, for SSSE3 and AVX2; included by it. */
#ifndef TDL_EXTRA_FEATURES_X86_H
#define TDL_EXTRA_FEATURES_X86_H

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
