/* What is done with weights in C: prefetches, loads, and sums of those of half precision, which only play. */
#ifndef TDL_WEIGHTS_H
#define TDL_WEIGHTS_H

#include <stdint.h>
#include <string.h>

/* Into the second-level cache only: the first holds the entries of one lane, not of all (training 8x6: 1.3 times the
   speed of a prefetch into the first, 4x6: 1.05). The empty asm is for gcc, which takes a function that only prefetches
   for one without effect, and drops it. */
#define tdl_prefetch(p) do { __builtin_prefetch((p), 0, 2); __asm__ volatile(""); } while (0)

/* Two neighbouring entries in one load, the first in the lower half: loads are what the loop has most of (training 4x6:
   +7%; weights of half precision, 8x6 with one ply: 1.1 times the speed). */
static inline uint64_t tdl_two(const uint32_t *entry) { uint64_t x; memcpy(&x, entry, 8); return x; }

/* Vectors of the compiler, which has them for every CPU: four partial sums are one. 8x6 plays at 0.94 of the speed of
   weights of 32 bits with one ply, at 0.9 with two, so no instructions are needed that convert, as F16C. */
typedef int16_t tdl_four_halves __attribute__((vector_size(8)));
typedef int32_t tdl_four_numbers __attribute__((vector_size(16)));
typedef uint32_t tdl_four_bits __attribute__((vector_size(16)));
typedef float tdl_four_floats __attribute__((vector_size(16)));

#define TDL_NONE 0x8000     /* -0, which changes no sum */

/* Four finite numbers times 2**-112: exponents and fractions in their place, the bias as it was. */
static inline tdl_four_floats tdl_scaled(uint16_t a, uint16_t b, uint16_t c, uint16_t d)
{
    const tdl_four_halves half = {(int16_t)a, (int16_t)b, (int16_t)c, (int16_t)d};
    const tdl_four_bits bits = (tdl_four_bits)__builtin_convertvector(half, tdl_four_numbers) << 13;
    return (tdl_four_floats)(bits & 0x8fffffffu);
}

/* `total`, to the last bit, added up at 2**-112 of the size: a number of half precision is a multiple of 2**-24, and so
 * are the sums, so none of them loses a bit there. */
static inline float tdl_total_of_halves(const uint16_t *weights, const uint32_t *entry, int m)
{
    const float nothing = m < 4 ? 0.0f : -0.0f;     /* `total` begins with the first numbers where there are four */
    tdl_four_floats sum = {nothing, nothing, nothing, nothing};
    int f = 0;
    for (; f + 4 <= m; f += 4) {
        const uint64_t low = tdl_two(entry + f), high = tdl_two(entry + f + 2);
        sum += tdl_scaled(weights[(uint32_t)low], weights[low >> 32], weights[(uint32_t)high], weights[high >> 32]);
    }
    if (f < m)
        sum += tdl_scaled(weights[entry[f]], f + 1 < m ? weights[entry[f + 1]] : TDL_NONE,
                          f + 2 < m ? weights[entry[f + 2]] : TDL_NONE, TDL_NONE);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) * 0x1p112f;
}

#endif
