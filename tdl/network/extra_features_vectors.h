/* The functions of extra_features.h in vectors; included by it. */
#ifndef TDL_EXTRA_FEATURES_VECTORS_H
#define TDL_EXTRA_FEATURES_VECTORS_H

/* The bytes in which an empty cell is -1. */
static inline tdl_v16 tdl_low(tdl_v16 cells)
{
    return cells | (tdl_v16)((tdl_bytes)cells == tdl_each(0));
}

/* The order features of a board, as many at a time as the vector V has numbers. */
#define TDL_ORDERS_BODY(V)                                                                                            \
    const int all = 4 * (x->orders + x->added);                                                                       \
    const uint8_t *one = x->one, *other = x->other;                                                                   \
    const V low = V##_spread(tdl_low(cells)), high = V##_spread(cells);                                               \
    for (int f = 0; f < 4 * x->orders; f += (int)sizeof(V), to += sizeof(V) / 4) {                                    \
        V smaller[TDL_ROUNDS], larger[TDL_ROUNDS];                                                                    \
        for (int r = 0; r < TDL_ROUNDS; r++) {                                                                        \
            V a = TDL_LOAD(V, one + r * all + f), b = TDL_LOAD(V, other + r * all + f);                               \
            smaller[r] = (V)((V##_bytes)V##_shuffle(high, b) > (V##_bytes)V##_shuffle(low, a));                       \
            larger[r] = (V)((V##_bytes)V##_shuffle(high, a) > (V##_bytes)V##_shuffle(low, b));                        \
        }                                                                                                             \
        V s = (smaller[0] & 0x08040201) | (smaller[1] & 0x80402010u);                                                 \
        V l = (larger[0] & 0x08040201) | (larger[1] & 0x80402010u);                                                   \
        V both = (smaller[2] & 0x08040201) | (larger[2] & 0x80402010u);                                               \
        s = V##_join16(V##_join8(s, 1), 1);                                                                           \
        l = V##_join16(V##_join8(l, 1), 1);                                                                           \
        both = V##_join16(V##_join8(both, 1), 1);                                                                     \
        s |= (both & 0x0f) << 8;                                                                                      \
        l |= (both & 0xf0) << 4;                                                                                      \
        l = V##_scale(l, TDL_LOAD(V, x->scale + f / 4));                                                              \
        TDL_STORE(V, to, s + l + TDL_LOAD(V, x->base + f / 4));                                                       \
    }

/* Every cell in turn, as often as there are tile indices to compare it with. */
#define TDL_16(c) c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c
static const uint8_t tdl_cell[16][16] __attribute__((aligned(64))) = {
    {TDL_16(0)}, {TDL_16(1)}, {TDL_16(2)}, {TDL_16(3)}, {TDL_16(4)}, {TDL_16(5)}, {TDL_16(6)}, {TDL_16(7)},
    {TDL_16(8)}, {TDL_16(9)}, {TDL_16(10)}, {TDL_16(11)}, {TDL_16(12)}, {TDL_16(13)}, {TDL_16(14)}, {TDL_16(15)}};
static const uint8_t tdl_tile[16] __attribute__((aligned(16))) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* How often each tile index is on the board. An unpacked board has 16 cells, and those that are not on the board are
   empty: they are taken away before a cell is looked at. */
#define TDL_COUNT_BODY(V)                                                                                             \
    const V##_bytes tile = (V##_bytes)V##_spread(TDL_LOAD(tdl_v16, tdl_tile));                                        \
    const V board = V##_spread(cells);                                                                                \
    V##_bytes count = (V##_bytes)(V){(uint32_t)(x->cells - 16) & 255};                                                \
    for (int c = 0; c < 16; c += (int)sizeof(V) / 16)                                                                 \
        count -= (V##_bytes)((V##_bytes)V##_shuffle(board, TDL_LOAD(V, tdl_cell[c])) == tile);                        \
    return V##_fold((V)count);

/* The count features of a board, from the counts of all tile indices. */
TDL_FOR_V16 static inline void tdl_counts(const tdl_extras *x, tdl_v16 count, uint32_t *to)
{
    const int r = x->cap + 1;
    const uint32_t four = (uint32_t)(r * r * r * r);
    count = (tdl_v16)tdl_least(count, tdl_each(x->cap));
    for (int f = 0; f < x->counts; f++) {
        tdl_v16 digits = tdl_v16_shuffle(count, TDL_LOAD(tdl_v16, x->tiles + 16 * f));
        digits = tdl_v16_join16(tdl_v16_join8(digits, r), r * r);
        uint64_t low = ((tdl_longs)digits)[0], high = ((tdl_longs)digits)[1];
        uint32_t upper = (uint32_t)high + (uint32_t)(high >> 32) * four;
        to[f] = (uint32_t)low + ((uint32_t)(low >> 32) + upper * four) * four + x->begin[f];
    }
}

/* The functions of an instruction set. A copy of the plan tells the compiler that what is written to `out` does not
   change it. */
#define TDL_EXTRAS_FUNCTIONS(SET, TARGET, V)                                                                          \
    TARGET static inline void tdl_orders_##SET(const tdl_extras *x, tdl_v16 cells, uint32_t *to)                      \
    {                                                                                                                 \
        TDL_ORDERS_BODY(V)                                                                                            \
    }                                                                                                                 \
    TARGET static inline tdl_v16 tdl_count_##SET(const tdl_extras *x, tdl_v16 cells)                                  \
    {                                                                                                                 \
        TDL_COUNT_BODY(V)                                                                                             \
    }                                                                                                                 \
    TARGET static void tdl_extras_##SET(const tdl_extras *plan, const void *boards, int n, uint32_t *out)             \
    {                                                                                                                 \
        const tdl_extras copy = *plan, *x = &copy;                                                                    \
        for (int b = 0; b < n; b++, out += x->padded) {                                                               \
            tdl_v16 cells = tdl_nibbles(((const uint64_t *)boards)[b]);                                               \
            tdl_orders_##SET(x, cells, out + x->first);                                                               \
            if (x->counts)                                                                                            \
                tdl_counts(x, tdl_count_##SET(x, cells), out + x->first + x->orders);                                 \
            tdl_extras_pad(x, out);                                                                                   \
        }                                                                                                             \
    }
#ifdef TDL_X86
TDL_EXTRAS_FUNCTIONS(ssse3, TDL_FOR("ssse3"), tdl_v16)
TDL_EXTRAS_FUNCTIONS(avx2, TDL_FOR("avx2"), tdl_v32)
#else
TDL_EXTRAS_FUNCTIONS(neon, , tdl_v16)
#endif

#endif
