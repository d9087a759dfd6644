/* What weights.pxd does with weights, for those of half precision, which only play.
 *
 * Vectors are those of the compiler, which has them for every CPU; four partial sums are one (one ply of 8x6, one number
 * at a time: 0.93 of the speed). Instructions that convert (F16C, which not every CPU has) would save two of each
 * eight.
 */
#ifndef TDL_HALVES_H
#define TDL_HALVES_H

#include <stdint.h>

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
    for (; f + 4 <= m; f += 4)
        sum += tdl_scaled(weights[entry[f]], weights[entry[f + 1]], weights[entry[f + 2]], weights[entry[f + 3]]);
    if (f < m)
        sum += tdl_scaled(weights[entry[f]], f + 1 < m ? weights[entry[f + 1]] : TDL_NONE,
                          f + 2 < m ? weights[entry[f + 2]] : TDL_NONE, TDL_NONE);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) * 0x1p112f;
}

#endif
