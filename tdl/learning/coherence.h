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
#include "vectors.h"

#define TDL_TINY 1e-30f   /* makes 0 / 0 the 1 that the share of a new entry is */

static inline void tdl_shares(const float *sums, const uint32_t *entry, int m, float delta, float *moved)
{
    int f = 0;
#if TDL_VECTORS
#define TDL_SUMS(f) tdl_couple(sums + 2 * (uint64_t)entry[f], sums + 2 * (uint64_t)entry[f + 1])     /* E, A, E, A */
    const tdl_floats one = {1, 1, 1, 1};
    for (; f + 4 <= m; f += 4) {
        tdl_floats a = (tdl_floats)TDL_SUMS(f), b = (tdl_floats)TDL_SUMS(f + 2);
        tdl_floats size = (tdl_floats)((tdl_v16)tdl_even(a, b) & 0x7FFFFFFF) + TDL_TINY;
        tdl_floats share = tdl_least_float(size / (tdl_odd(a, b) + TDL_TINY), one);
        TDL_STORE(tdl_v16, moved + f, share * delta);
    }
#undef TDL_SUMS
#endif
    for (; f < m; f++) {
        const float *sum = sums + 2 * (uint64_t)entry[f];
        float share = (fabsf(sum[0]) + TDL_TINY) / (sum[1] + TDL_TINY);
        moved[f] = (share < 1 ? share : 1) * delta;
    }
}

#endif
