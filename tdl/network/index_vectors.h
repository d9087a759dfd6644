/* The index functions of index.h in vectors; included by it. */
#ifndef TDL_INDEX_VECTORS_H
#define TDL_INDEX_VECTORS_H

/* One body, instantiated for each type of vector V and type of board. FAR says whether the board has more than 16 cells:
   `near` then are the first 16. */
#define TDL_INDEX_BODY(V, KIND, FAR)                                                                                  \
    for (int b = 0; b < n; b++) {                                                                                     \
        const tdl_v16 near = tdl_near(KIND, boards, b, 15), rest = FAR ? tdl_rest(KIND, boards, b, 15) : near;        \
        const V a = V##_spread(near), c = V##_spread(near << 4);                                                      \
        const V d = V##_spread(rest), e = V##_spread(rest << 4);                                                      \
        for (int f = 0; f < plan->tuples; f += (int)sizeof(V) / 4) {                                                  \
            const V low = TDL_LOAD(V, plan->low + 4 * f), high = TDL_LOAD(V, plan->high + 4 * f);                     \
            V x = FAR ? V##_pick(a, d, low) | V##_pick(c, e, high) : V##_shuffle(a, low) | V##_shuffle(c, high);      \
            x += x & TDL_LOAD(V, plan->rise + f);                                                                     \
            if (plan->packs) {                                                                                        \
                V moved = (x >> 1 ^ x) & TDL_LOAD(V, plan->pack + f);                                                 \
                x ^= moved ^ moved << 1;                                                                              \
            }                                                                                                         \
            x ^= (x >> TDL_FOLD) & ~15u;                                                                              \
            TDL_STORE(V, out + f, x + TDL_LOAD(V, plan->base + f));                                                   \
        }                                                                                                             \
        out += plan->padded;                                                                                          \
    }

#define TDL_DIGITS_BODY(V, KIND, FAR)                                                                                 \
    const int r = plan->radix;                                                                                        \
    for (int b = 0; b < n; b++) {                                                                                     \
        const V a = V##_spread(tdl_near(KIND, boards, b, r - 1));                                                     \
        const V d = FAR ? V##_spread(tdl_rest(KIND, boards, b, r - 1)) : a;                                           \
        for (int f = 0; f < plan->tuples; f += (int)sizeof(V) / 4) {                                                  \
            const V low = TDL_LOAD(V, plan->low + 4 * f), high = TDL_LOAD(V, plan->high + 4 * f);                     \
            V x = FAR ? V##_pick(a, d, low) : V##_shuffle(a, low);                                                    \
            V y = FAR ? V##_pick(a, d, high) : V##_shuffle(a, high);                                                  \
            x = V##_join16(V##_join8(x, r), r * r);                                                                   \
            y = V##_join16(V##_join8(y, r), r * r);                                                                   \
            x += y * (uint32_t)(r * r * r * r);                                                                       \
            TDL_STORE(V, out + f, x + TDL_LOAD(V, plan->base + f));                                                   \
        }                                                                                                             \
        out += plan->padded;                                                                                          \
    }

/* The functions of an instruction set, SET in their names: of each type of board, those of `paired16` and of `digits`. */
#define TDL_INDEX_OF(SET, TARGET, V, NAME, KIND, FAR)                                                                 \
    TARGET static void tdl_index_##NAME##_##SET(TDL_ARGS) { TDL_INDEX_BODY(V, KIND, FAR) }
#define TDL_DIGITS_OF(SET, TARGET, V, NAME, KIND, FAR)                                                                \
    TARGET static void tdl_digits_##NAME##_##SET(TDL_ARGS) { TDL_DIGITS_BODY(V, KIND, FAR) }
#define TDL_OF_BOARDS(OF, SET, TARGET, V)                                                                             \
    OF(SET, TARGET, V, NIBBLES, TDL_NIBBLES, 0)                                                                       \
    OF(SET, TARGET, V, FIVES, TDL_FIVES, 0)                                                                           \
    OF(SET, TARGET, V, FAR_FIVES, TDL_FIVES, 1)                                                                       \
    OF(SET, TARGET, V, BYTES, TDL_BYTES, 0)                                                                           \
    OF(SET, TARGET, V, FAR_BYTES, TDL_BYTES, 1)
#ifdef TDL_X86
TDL_OF_BOARDS(TDL_INDEX_OF, ssse3, TDL_FOR("ssse3"), tdl_v16)     /* which lacks the product that digits need */
TDL_OF_BOARDS(TDL_INDEX_OF, avx2, TDL_FOR("avx2"), tdl_v32)
TDL_OF_BOARDS(TDL_DIGITS_OF, avx2, TDL_FOR("avx2"), tdl_v32)
TDL_OF_BOARDS(TDL_INDEX_OF, avx512, TDL_FOR("avx512f,avx512bw"), tdl_v64)
TDL_OF_BOARDS(TDL_DIGITS_OF, avx512, TDL_FOR("avx512f,avx512bw"), tdl_v64)
#else
TDL_OF_BOARDS(TDL_INDEX_OF, neon, , tdl_v16)
TDL_OF_BOARDS(TDL_DIGITS_OF, neon, , tdl_v16)
#endif

#endif
