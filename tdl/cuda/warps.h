/* One text for two machines. A warp is 32 threads that do the same at once: on a GPU they are there, in plain C they
 * are a loop, and what each has of its own is an array.
 *
 * What a thread has of its own is declared by TDL_OF_EACH, used within TDL_EACH as TDL_MY, and read by all threads as
 * TDL_FROM. TDL_FROM, TDL_BALLOT, TDL_SUM_OF_EIGHT, tdl_sum and TDL_SYNC are for the whole warp, never where threads
 * disagree. TDL_FROM alone may stand within TDL_EACH, if nothing there changes what it reads. All else is what all
 * threads do alike; what must happen once stands in TDL_ONE.
 */
#ifndef TDL_WARPS_H
#define TDL_WARPS_H

#ifdef __CUDACC_RTC__      /* which has no headers of the system */
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <math.h>
#include <stdint.h>
#endif

typedef struct {
    uint64_t low, high;
} tdl_words;                            /* a board of 64 or of 128 bits */

#ifdef __CUDACC__

#pragma nv_diag_suppress 177            /* functions and thread numbers that one text has no use for */
#define TDL_FN static __device__ __forceinline__
#define TDL_TABLE static __device__ const
#define TDL_UNROLL _Pragma("unroll")
#define TDL_OF_EACH(type, name) type name
#define TDL_EACH(t) if (const int t = threadIdx.x & 31; true)
#define TDL_MY(name) name
#define TDL_ONE if ((threadIdx.x & 31) == 0)
#define TDL_FROM(name, t) __shfl_sync(~0u, name, t)
#define TDL_BALLOT(name) __ballot_sync(~0u, name)
#define TDL_SYNC() __syncwarp()

/* In each of eight neighbours the sum of theirs. */
#define TDL_SUM_OF_EIGHT(name)                                                                                        \
    name += __shfl_xor_sync(~0u, name, 1);                                                                            \
    name += __shfl_xor_sync(~0u, name, 2);                                                                            \
    name += __shfl_xor_sync(~0u, name, 4)

/* The sum of all threads' numbers. */
TDL_FN int64_t tdl_sum(int64_t number)
{
    for (int apart = 1; apart < 32; apart *= 2)
        number += __shfl_xor_sync(~0u, number, apart);
    return number;
}

/* Add to a number that others add to as well; returns what it was. */
TDL_FN uint64_t tdl_add(void *number, uint64_t more)
{
    return atomicAdd((unsigned long long *)number, more);
}

TDL_FN int tdl_ones(uint64_t bits)
{
    return __popcll(bits);
}

/* A kernel is a function `NAME_of(call, warp)` for each of so many warps; `call` is what it is called with, of one type.
   `blocks`: of so many threads, as many as a processor has to have room for. In plain C a call is one warp's. */
#define TDL_KERNEL(type, name, warps, threads, blocks)                                                                \
    extern "C" __global__ void __launch_bounds__(threads, blocks) name(const __grid_constant__ type by_value)         \
    {                                                                                                                 \
        const type *call = &by_value;                                                                                 \
        const int warp = (int)((blockIdx.x * blockDim.x + threadIdx.x) / 32);                                         \
        if (warp < (warps))                                                                                           \
            name##_of(call, warp);                                                                                    \
    }

#else

#define TDL_FN static inline
#define TDL_TABLE static const
#define TDL_UNROLL
#define TDL_OF_EACH(type, name) type name[32]
#define TDL_EACH(t) for (int t = 0; t < 32; t++)
#define TDL_MY(name) name[t]
#define TDL_ONE
#define TDL_FROM(name, t) name[t]
#define TDL_BALLOT(name) tdl_ballot(name)
#define TDL_SYNC() ((void)0)
#define TDL_SUM_OF_EIGHT(name) tdl_sum_of_eight(name)

static inline void tdl_sum_of_eight(float *value)
{
    for (int apart = 1; apart < 8; apart *= 2) {
        float sum[32];
        for (int t = 0; t < 32; t++)
            sum[t] = value[t] + value[t ^ apart];
        for (int t = 0; t < 32; t++)
            value[t] = sum[t];
    }
}

static inline uint32_t tdl_ballot(const int *flag)
{
    uint32_t bits = 0;
    for (int t = 0; t < 32; t++)
        bits |= (uint32_t)(flag[t] != 0) << t;
    return bits;
}

static inline int64_t tdl_sum(const int64_t *number)
{
    int64_t sum = 0;
    for (int t = 0; t < 32; t++)
        sum += number[t];
    return sum;
}

static inline uint64_t tdl_add(void *number, uint64_t more)
{
    const uint64_t before = *(uint64_t *)number;
    *(uint64_t *)number = before + more;
    return before;
}

static inline int tdl_ones(uint64_t bits)
{
    return __builtin_popcountll(bits);
}

#define TDL_KERNEL(type, name, warps, threads, blocks)                                                                \
    void name(const type *call, int warp)                                                                             \
    {                                                                                                                 \
        if (warp < (warps))                                                                                           \
            name##_of(call, warp);                                                                                    \
    }

#endif

/* An entry's weight; by promotion a share of the stage before's where it has none of its own, as in stages.pxd. */
TDL_FN float tdl_promoted(const float *weights, uint32_t entry, uint32_t stride, float share)
{
    float weight = weights[entry];
    int steps = 0;
    for (; weight != weight && entry >= stride; steps++)
        weight = weights[entry -= stride];
    for (; steps; steps--)
        weight = share * weight;
    return weight;
}

#define TDL_BOUND 1e9f                  /* points; a value beyond it is one of a diverging network */

/* The next random number of a state. Source: Steele, Lea and Flood (2014), Fast splittable pseudorandom number
 * generators. */
TDL_FN uint64_t tdl_splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

#endif
