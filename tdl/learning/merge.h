/* The merge of 16 entries, a cache line of weights, from several replicas; `tdl.learning.merge` says what it computes.
 *
 * Every loop over the 16 does the same to each, without a branch, so that the compiler makes vectors of it. All sums
 * run over the replicas in their order.
 */
#ifndef TDL_MERGE_H
#define TDL_MERGE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define TDL_MERGED 16
#define TDL_MOST 256

/* Where the errors of several replicas have one sign, none of them has come far enough alone. 4x6, TC(.5), one seed,
 * mean of the games up to 10,000: four replicas, rounds of 200, 48.6k without a gain, 49.7k with 0.25, 54.5k with 0.5,
 * 43.1k with 1; eight, rounds of 400, 39.7k without, 43.7k with at most 1.5, 24.9k (another seed) with 0.5 for each. */
#define TDL_GAIN 0.5f
#define TDL_MOST_GAIN 1.5f

static inline uint32_t tdl_bits(float x) { uint32_t bits; memcpy(&bits, &x, 4); return bits; }

/* Whether any bit differs; n is 16 or 32, or less at the end of a table. */
static inline int tdl_differs(const float *a, const float *b, int n)
{
    uint32_t all = 0;
    if (n == TDL_MERGED || n == 2 * TDL_MERGED) {
        for (int j = 0; j < TDL_MERGED; j++) all |= tdl_bits(a[j]) ^ tdl_bits(b[j]);
        if (n == TDL_MERGED || all) return all != 0;
        for (int j = TDL_MERGED; j < 2 * TDL_MERGED; j++) all |= tdl_bits(a[j]) ^ tdl_bits(b[j]);
        return all != 0;
    }
    return memcmp(a, b, sizeof(float) * n) != 0;
}

static inline void tdl_copy(float *to, const float *from, int n)
{
    if (n == TDL_MERGED) memcpy(to, from, sizeof(float) * TDL_MERGED);
    else if (n == 2 * TDL_MERGED) memcpy(to, from, sizeof(float) * 2 * TDL_MERGED);
    else memcpy(to, from, sizeof(float) * n);
}

static inline void tdl_merge16(int n, float *w0, float *s0, const float *const *w, const float *const *s)
{
    float base[TDL_MERGED], weighed[TDL_MERGED] = {0}, sum[TDL_MERGED] = {0}, last[TDL_MERGED];
    float weight[TDL_MERGED] = {0}, signed_sum[TDL_MERGED] = {0}, last_e[TDL_MERGED] = {0}, last_a[TDL_MERGED] = {0};
    int32_t count[TDL_MERGED] = {0};
    for (int j = 0; j < TDL_MERGED; j++) {
        base[j] = w0[j] == w0[j] ? w0[j] : 0;       /* nan: no weight of its own yet */
        last[j] = w0[j];
        if (s0) { last_e[j] = s0[2 * j]; last_a[j] = s0[2 * j + 1]; }
    }
    for (int i = 0; i < n; i++) {
        const float *wi = w[i];
        if (s0) {
            const float *si = s[i];
            for (int j = 0; j < TDL_MERGED; j++) {
                float e = si[2 * j], a = si[2 * j + 1], e0 = s0[2 * j], a0 = s0[2 * j + 1];
                int moved = (tdl_bits(wi[j]) != tdl_bits(w0[j])) | (tdl_bits(e) != tdl_bits(e0))
                    | (tdl_bits(a) != tdl_bits(a0));
                float dw = moved ? wi[j] - base[j] : 0, da = a - a0;
                weighed[j] += da * dw;
                sum[j] += dw;
                weight[j] += da;
                signed_sum[j] += e - e0;
                count[j] += moved;
                last[j] = moved ? wi[j] : last[j];
                last_e[j] = moved ? e : last_e[j];
                last_a[j] = moved ? a : last_a[j];
            }
        } else {
            for (int j = 0; j < TDL_MERGED; j++) {
                int moved = tdl_bits(wi[j]) != tdl_bits(w0[j]);
                sum[j] += moved ? wi[j] - base[j] : 0;
                count[j] += moved;
                last[j] = moved ? wi[j] : last[j];
            }
        }
    }
    for (int j = 0; j < TDL_MERGED; j++) {
        float others = (float)(count[j] - 1);
        float mean = weight[j] > 0 ? weighed[j] / weight[j] : sum[j] / (float)(count[j] ? count[j] : 1);
        float agreed = weight[j] > 0 ? fabsf(signed_sum[j]) / weight[j] : 0;
        float gain = TDL_GAIN * others < TDL_MOST_GAIN ? TDL_GAIN * others : TDL_MOST_GAIN;
        if (w0[j] != w0[j]) gain = 0;               /* it would grow the promoted part, too */
        w0[j] = count[j] > 1 ? base[j] + (1 + gain * agreed) * mean : last[j];
        if (s0) {
            s0[2 * j] = count[j] > 1 ? s0[2 * j] + signed_sum[j] : last_e[j];
            s0[2 * j + 1] = count[j] > 1 ? s0[2 * j + 1] + weight[j] : last_a[j];
        }
    }
}

/* w0, s0: the weights and sums (E, A, E, A, ...) of the last merge, which become the new ones; w, s: those of n
 * replicas, at most TDL_MOST. s0 is NULL where steps are fixed. Fewer than 16 entries are the end of a table. */
static inline void tdl_merge(int n, int entries, float *w0, float *s0, const float *const *w, const float *const *s)
{
    float whole[TDL_MOST + 1][3 * TDL_MERGED];
    const float *ws[TDL_MOST], *ss[TDL_MOST];
    if (entries == TDL_MERGED) {
        tdl_merge16(n, w0, s0, w, s);
        return;
    }
    memset(whole, 0, (n + 1) * sizeof(whole[0]));
    for (int i = 0; i <= n; i++) {
        memcpy(whole[i], i < n ? w[i] : w0, sizeof(float) * entries);
        if (s0) memcpy(whole[i] + TDL_MERGED, i < n ? s[i] : s0, sizeof(float) * 2 * entries);
        if (i < n) { ws[i] = whole[i]; ss[i] = whole[i] + TDL_MERGED; }
    }
    tdl_merge16(n, whole[n], s0 ? whole[n] + TDL_MERGED : 0, ws, ss);
    memcpy(w0, whole[n], sizeof(float) * entries);
    if (s0) memcpy(s0, whole[n] + TDL_MERGED, sizeof(float) * 2 * entries);
}

#endif
