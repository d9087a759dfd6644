/* Random loads from a table, to measure how many a device can do in a second.
 *
 * The text has no constants, and NumPy's type of `tdl_loads` is in tdl/benchmarks/device.py.
 */
#ifndef TDL_RANDOM_LOADS_H
#define TDL_RANDOM_LOADS_H

#include "warps.h"

typedef struct {
    const float *table;                 /* [entries] zero */
    float *sum;                         /* one number, which is never written: what is loaded is zero */
    uint32_t entries;
    int32_t warps, loads;               /* of each thread */
} tdl_loads;

/* The number k of a sequence without order: the last steps of MurmurHash3 (Appleby, public domain). */
TDL_FN uint32_t tdl_mixed(uint32_t k)
{
    k = (k ^ k >> 16) * 0x85EBCA6Bu;
    k = (k ^ k >> 13) * 0xC2B2AE35u;
    return k ^ k >> 16;
}

TDL_FN void tdl_load_of(const tdl_loads *call, int warp)
{
    TDL_EACH(t) {
        const uint32_t first = (uint32_t)(32 * warp + t) * (uint32_t)call->loads;
        float sum = 0;
        TDL_UNROLL for (int i = 0; i < call->loads; i++)
            sum += call->table[(uint64_t)tdl_mixed(first + (uint32_t)i) * call->entries >> 32];
        if (sum != 0)
            *call->sum = sum;
    }
}

TDL_KERNEL(tdl_loads, tdl_load, call->warps, 256, 8)

#endif
