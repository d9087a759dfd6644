/* The index functions of index.h in vectors, for SSSE3, AVX2 and AVX-512; included by it. */
#ifndef TDL_INDEX_X86_H
#define TDL_INDEX_X86_H

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
