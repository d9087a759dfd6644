/* The operations of vectors.h for x86: SSE2, which every such CPU has, where no other set is named. */
#ifndef TDL_VECTORS_X86_H
#define TDL_VECTORS_X86_H

#include <immintrin.h>

#define TDL_X86 1

TDL_WIDTH(tdl_v32, 32)
TDL_WIDTH(tdl_v64, 64)

/* The least that V_shuffle and its like ask for, which the functions that use them have to name. */
#define TDL_FOR(SET) __attribute__((target(SET)))
#define TDL_FOR_V16 TDL_FOR("ssse3")

/* A shuffle takes the lower four bits of its control, or gives 0 where its top bit is set. Cells from 16 on get that bit
   by a sum that stops at 255, those below 16 by a difference that wraps round. */
#define TDL_OPERATIONS(V, M, MM, SET)                                                                                 \
    TDL_FOR(SET) TDL_INLINE V V##_shuffle(V a, V at) { return (V)MM##_shuffle_epi8((M)a, (M)at); }                    \
    TDL_FOR(SET) TDL_INLINE V V##_pick(V near, V rest, V at)                                                          \
    {                                                                                                                 \
        return V##_shuffle(near, (V)MM##_adds_epu8((M)at, MM##_set1_epi8(0x70)))                                      \
             | V##_shuffle(rest, (V)MM##_sub_epi8((M)at, MM##_set1_epi8(16)));                                        \
    }                                                                                                                 \
    TDL_FOR(SET) TDL_INLINE V V##_join8(V v, int w)                                                                   \
    {                                                                                                                 \
        return (V)MM##_maddubs_epi16((M)v, MM##_set1_epi32(w << 24 | 1 << 16 | w << 8 | 1));                          \
    }                                                                                                                 \
    TDL_FOR(SET) TDL_INLINE V V##_join16(V v, int w)                                                                  \
    {                                                                                                                 \
        return (V)MM##_madd_epi16((M)v, MM##_set1_epi32(w << 16 | 1));                                                \
    }                                                                                                                 \
    TDL_FOR(SET) TDL_INLINE V V##_scale(V v, V w) { return (V)MM##_madd_epi16((M)v, (M)w); }
TDL_OPERATIONS(tdl_v16, __m128i, _mm, "ssse3")
TDL_OPERATIONS(tdl_v32, __m256i, _mm256, "avx2")
TDL_OPERATIONS(tdl_v64, __m512i, _mm512, "avx512f,avx512bw")

#define tdl_v32_spread(v) ((tdl_v32)_mm256_broadcastsi128_si256((__m128i)(v)))
#define tdl_v64_spread(v) ((tdl_v64)_mm512_broadcast_i32x4((__m128i)(v)))
#define tdl_v32_fold(v) \
    ((tdl_v16)_mm_add_epi8(_mm256_castsi256_si128((__m256i)(v)), _mm256_extracti128_si256((__m256i)(v), 1)))

#define tdl_zip8(a, b) ((tdl_v16)_mm_unpacklo_epi8((__m128i)(a), (__m128i)(b)))
#define tdl_zip32(a, b) ((tdl_v16)_mm_unpacklo_epi32((__m128i)(a), (__m128i)(b)))
#define tdl_zip64(a, b) ((tdl_v16)_mm_unpacklo_epi64((__m128i)(a), (__m128i)(b)))
#define tdl_zip32_high(a, b) ((tdl_v16)_mm_unpackhi_epi32((__m128i)(a), (__m128i)(b)))
#define tdl_zip64_high(a, b) ((tdl_v16)_mm_unpackhi_epi64((__m128i)(a), (__m128i)(b)))
#define tdl_up(v, n) ((tdl_v16)_mm_slli_si128((__m128i)(v), n))
#define tdl_down(v, n) ((tdl_v16)_mm_srli_si128((__m128i)(v), n))
#define tdl_swapped(v) ((tdl_v16)_mm_shuffle_epi32((__m128i)(v), _MM_SHUFFLE(2, 3, 0, 1)))
#define tdl_without(v, bits) ((tdl_v16)_mm_andnot_si128((__m128i)(bits), (__m128i)(v)))
#define tdl_narrow(a, b) ((tdl_v16)_mm_packus_epi16((__m128i)(a), (__m128i)(b)))
#define tdl_least(a, b) ((tdl_bytes)_mm_min_epu8((__m128i)(a), (__m128i)(b)))
#define tdl_marks(v) ((uint32_t)_mm_movemask_epi8((__m128i)(v)))
#define tdl_marked(v) __builtin_popcount(tdl_marks(v))
#define tdl_all(v) (tdl_marks(v) == 0xFFFF)
#define tdl_couple(a, b) _mm_loadh_pd(_mm_load_sd((const double *)(a)), (const double *)(b))
#define tdl_even(a, b) ((tdl_floats)_mm_shuffle_ps((__m128)(a), (__m128)(b), 0x88))
#define tdl_odd(a, b) ((tdl_floats)_mm_shuffle_ps((__m128)(a), (__m128)(b), 0xDD))
#define tdl_least_float(a, b) ((tdl_floats)_mm_min_ps((__m128)(a), (__m128)(b)))
#define tdl_row16(v, w) ((tdl_v16)_mm_madd_epi16((__m128i)(v), _mm_set1_epi32((w) << 16 | 1)))
#ifdef __SSSE3__     /* the build for AVX2 */
#define tdl_row8 tdl_v16_join8
#define tdl_turned(v) \
    ((tdl_v16)_mm_shuffle_epi8((__m128i)(v), _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15)))
#else
#define tdl_row8(v, w) ((tdl_v16)(((tdl_shorts)(v) & 0xFF) | ((tdl_shorts)(v) >> 8) * (uint16_t)(w)))
TDL_INLINE tdl_v16 tdl_turned(tdl_v16 v)
{
    tdl_v16 pairs = tdl_zip8(v, tdl_down(v, 8));
    return tdl_zip8(pairs, tdl_down(pairs, 8));
}
#endif

#endif
