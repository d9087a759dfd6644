/* The operations of vectors.h for 64-bit ARM, every CPU of which has NEON. */
#ifndef TDL_VECTORS_NEON_H
#define TDL_VECTORS_NEON_H

#include <arm_neon.h>

#define TDL_FOR_V16

/* A look-up gives 0 for every byte beyond its table. */
#define tdl_v16_shuffle(a, at) ((tdl_v16)vqtbl1q_u8((uint8x16_t)(a), (uint8x16_t)(at)))

TDL_INLINE tdl_v16 tdl_v16_pick(tdl_v16 near, tdl_v16 rest, tdl_v16 at)
{
    uint8x16x2_t both = {{(uint8x16_t)near, (uint8x16_t)rest}};
    return (tdl_v16)vqtbl2q_u8(both, (uint8x16_t)at);
}

/* From a + 2^8 b the b is taken away 2^8 - w times: a shift and a product, where there is no sum of two products. */
TDL_INLINE tdl_v16 tdl_v16_join8(tdl_v16 v, int w)
{
    return (tdl_v16)((tdl_shorts)v - ((tdl_shorts)v >> 8) * (uint16_t)(256 - w));
}

TDL_INLINE tdl_v16 tdl_v16_join16(tdl_v16 v, int w)
{
    return v - (v >> 16) * (uint32_t)(65536 - w);
}

#define tdl_v16_scale(v, w) ((v) * (w))

#define tdl_zip8(a, b) ((tdl_v16)vzip1q_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#define tdl_zip32(a, b) ((tdl_v16)vzip1q_u32((uint32x4_t)(a), (uint32x4_t)(b)))
#define tdl_zip64(a, b) ((tdl_v16)vzip1q_u64((uint64x2_t)(a), (uint64x2_t)(b)))
#define tdl_zip32_high(a, b) ((tdl_v16)vzip2q_u32((uint32x4_t)(a), (uint32x4_t)(b)))
#define tdl_zip64_high(a, b) ((tdl_v16)vzip2q_u64((uint64x2_t)(a), (uint64x2_t)(b)))
#define tdl_up(v, n) ((tdl_v16)vextq_u8(vdupq_n_u8(0), (uint8x16_t)(v), 16 - (n)))
#define tdl_down(v, n) ((tdl_v16)vextq_u8((uint8x16_t)(v), vdupq_n_u8(0), n))
#define tdl_swapped(v) ((tdl_v16)vrev64q_u32((uint32x4_t)(v)))
#define tdl_without(v, bits) ((tdl_v16)vbicq_u8((uint8x16_t)(v), (uint8x16_t)(bits)))
#define tdl_narrow(a, b) ((tdl_v16)vuzp1q_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#define tdl_least(a, b) ((tdl_bytes)vminq_u8((uint8x16_t)(a), (uint8x16_t)(b)))
#define tdl_marked(v) ((int)(uint8_t)-vaddvq_s8((int8x16_t)(v)))
#define tdl_all(v) (vminvq_u8((uint8x16_t)(v)) == 0xFF)
#define tdl_couple(a, b) vcombine_f32(vld1_f32(a), vld1_f32(b))
#define tdl_even(a, b) ((tdl_floats)vuzp1q_f32((float32x4_t)(a), (float32x4_t)(b)))
#define tdl_odd(a, b) ((tdl_floats)vuzp2q_f32((float32x4_t)(a), (float32x4_t)(b)))
#define tdl_row8 tdl_v16_join8
#define tdl_row16 tdl_v16_join16

TDL_INLINE uint32_t tdl_marks(tdl_bytes v)
{
    const tdl_bytes bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits = (uint8x16_t)(v & bit);
    return vaddvq_u16((uint16x8_t)vzip1q_u8(bits, vextq_u8(bits, bits, 8)));
}

TDL_INLINE tdl_v16 tdl_turned(tdl_v16 v)
{
    const tdl_bytes at = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    return tdl_v16_shuffle(v, at);
}

/* Not vminq_f32, which is another one for what is no number. */
TDL_INLINE tdl_floats tdl_least_float(tdl_floats a, tdl_floats b)
{
    return (tdl_floats)vbslq_f32(vcltq_f32((float32x4_t)a, (float32x4_t)b), (float32x4_t)a, (float32x4_t)b);
}

#endif
