/* How far each active entry moves by temporal coherence: delta times its share |E| / A, at most 1.
 *
 * E and A of an entry stand side by side, so four entries are four loads of 8 bytes and two shuffles. The compiler loads
 * E and A apart, and computes the limit to 1 one by one, with a branch (training 4x6: 0.9 of the speed). Divisions and
 * comparisons of a vector give the bits of those of single numbers.
 */
#ifndef TDL_COHERENCE_H
#define TDL_COHERENCE_H

#include <math.h>
#include <stdint.h>

#define TDL_TINY 1e-30f   /* makes 0 / 0 the 1 that the share of a new entry is */

#if defined(__SSE2__) && !defined(TDL_PORTABLE)
#include <emmintrin.h>

/* E, A, E, A of two entries. */
static inline __m128 tdl_two_sums(const float *sums, const uint32_t *entry)
{
    __m128d first = _mm_load_sd((const double *)(sums + 2 * (uint64_t)entry[0]));
    return _mm_castpd_ps(_mm_loadh_pd(first, (const double *)(sums + 2 * (uint64_t)entry[1])));
}
#endif

static inline void tdl_shares(const float *sums, const uint32_t *entry, int m, float delta, float *moved)
{
    int f = 0;
#if defined(__SSE2__) && !defined(TDL_PORTABLE)
    const __m128 tiny = _mm_set1_ps(TDL_TINY), one = _mm_set1_ps(1), sign = _mm_set1_ps(-0.0f);
    for (; f + 4 <= m; f += 4) {
        __m128 a = tdl_two_sums(sums, entry + f), b = tdl_two_sums(sums, entry + f + 2);
        __m128 size = _mm_add_ps(_mm_andnot_ps(sign, _mm_shuffle_ps(a, b, 0x88)), tiny);
        __m128 share = _mm_min_ps(_mm_div_ps(size, _mm_add_ps(_mm_shuffle_ps(a, b, 0xDD), tiny)), one);
        _mm_storeu_ps(moved + f, _mm_mul_ps(share, _mm_set1_ps(delta)));
    }
#endif
    for (; f < m; f++) {
        const float *sum = sums + 2 * (uint64_t)entry[f];
        float share = (fabsf(sum[0]) + TDL_TINY) / (sum[1] + TDL_TINY);
        moved[f] = (share < 1 ? share : 1) * delta;
    }
}

#endif
