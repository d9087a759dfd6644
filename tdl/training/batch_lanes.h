/* How a CPU does what batch_step.h says: threads that keep step, values of boards, and errors collected by entries.
 *
 * A step has two phases. In the first, threads share the lanes, and each writes down rows: the entries of an afterstate,
 * and its error. In the second they share the tables: a thread collects all errors of the entries of one table, and moves
 * these. So nothing is written by two threads, and weights are as before the step until all lanes have played.
 */
#ifndef TDL_BATCH_LANES_H
#define TDL_BATCH_LANES_H

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "batch_step.h"
#include "weights.h"

/* Threads ------------------------------------------------------------------------------------------------------- */

typedef struct {
    int size;               /* threads; 0: not all have begun, -1: nothing is to do */
    int waiting;
    int round;
    pthread_mutex_t lock;   /* of those that sleep */
    pthread_cond_t changed;
} tdl_team;

static inline void tdl_form(tdl_team *team)
{
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);
}

/* Wait while a number of the team is `old`: awake for a short time, then asleep: others need the cores. */
static inline void tdl_await(tdl_team *team, const int *number, int old)
{
    for (int tries = 0; tries < 2000; tries++) {
        if (__atomic_load_n(number, __ATOMIC_ACQUIRE) != old)
            return;
        if (tries > 1000)
            sched_yield();
    }
    pthread_mutex_lock(&team->lock);
    while (__atomic_load_n(number, __ATOMIC_ACQUIRE) == old)
        pthread_cond_wait(&team->changed, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static inline void tdl_change(tdl_team *team, int *number, int now)
{
    pthread_mutex_lock(&team->lock);
    __atomic_store_n(number, now, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&team->lock);
    pthread_cond_broadcast(&team->changed);
}

/* Wait until the team is complete; false when nothing is to do. */
static inline int tdl_gather(tdl_team *team)
{
    tdl_await(team, &team->size, 0);
    return team->size > 0;
}

static inline void tdl_complete(tdl_team *team, int size)
{
    tdl_change(team, &team->size, size);
}

/* Wait until all threads of the team are here. */
static inline void tdl_meet(tdl_team *team)
{
    const int round = __atomic_load_n(&team->round, __ATOMIC_ACQUIRE);
    if (team->size == 1)
        return;
    if (__atomic_add_fetch(&team->waiting, 1, __ATOMIC_ACQ_REL) == team->size) {
        __atomic_store_n(&team->waiting, 0, __ATOMIC_RELAXED);
        tdl_change(team, &team->round, round + 1);
    } else
        tdl_await(team, &team->round, round);
}

#define tdl_take_many(next, many) __atomic_fetch_add((next), (many), __ATOMIC_RELAXED)

/* Values -------------------------------------------------------------------------------------------------------- */

/* V of a board: eight partial sums (feature f goes to sum f % 8), added in pairs. On a GPU each image of the board, of
   which a square has eight, is one thread's. Two entries in one load: lanes of 8x6 play in about 0.8 of the
   time. */
static inline float tdl_value(const float *weights, const uint32_t *entry, int m)
{
    float part[8] = {0};
    int f = 0;
    for (; f + 8 <= m; f += 8)
        for (int k = 0; k < 8; k += 2) {
            const uint64_t two = tdl_two(entry + f + k);
            part[k] += weights[(uint32_t)two];
            part[k + 1] += weights[two >> 32];
        }
    for (; f < m; f++)
        part[f & 7] += weights[entry[f]];
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/* The same of a board in a later stage. */
static inline float tdl_value_promoted(const tdl_batch_law *law, const float *weights, const uint32_t *entry, int m)
{
    float part[8] = {0};
    for (int f = 0; f < m; f++)
        part[f & 7] += tdl_promoted(weights, entry[f], law->stride, law->share);
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/* Rows ---------------------------------------------------------------------------------------------------------- */

/* Afterstates that are to move, of one thread. */
typedef struct {
    int64_t n, room;
    uint32_t *entry;        /* [room][padded] */
    int64_t *error;         /* [room], in parts of a point */
} tdl_rows;

/* Memory for one more row; false where there is none. */
static inline int tdl_grow_rows(tdl_rows *rows, int padded)
{
    if (rows->n < rows->room)
        return 1;
    const int64_t room = rows->room ? 2 * rows->room : 1024;
    uint32_t *entry = (uint32_t *)aligned_alloc(128, (size_t)room * padded * sizeof *entry);
    int64_t *error = (int64_t *)realloc(rows->error, (size_t)room * sizeof *error);
    if (error)
        rows->error = error;
    if (!entry || !error) {
        free(entry);
        return 0;
    }
    if (rows->n)
        memcpy(entry, rows->entry, (size_t)rows->n * padded * sizeof *entry);
    free(rows->entry);
    rows->entry = entry, rows->room = room;
    return 1;
}

/* Entries that were hit ----------------------------------------------------------------------------------------- */

typedef struct {
    uint32_t entry;
    uint32_t hits;          /* 0: a free place */
    int64_t sum;
} tdl_hit;

/* Those of one table in one step, by a hash of the entry. Three quarters of the places are taken at most; half of them:
   1.15 of the time. Few entries are hit: a sixth of 131,072 hits of a table of 8x6 in a step of 16,384 lanes. A number
   for each entry of the table in place of the hash, as on a GPU, takes 8 bytes an entry and was no faster; nor were rows
   that stand together table by table. */
typedef struct {
    tdl_hit *place;         /* [places], a power of two */
    uint32_t *filled;       /* [places] which places are taken */
    uint32_t n, places;
    int shift;
} tdl_hits;

#define tdl_hash(entry) ((uint32_t)(entry) * 0x9E3779B1u)

static inline tdl_hit *tdl_place_of(const tdl_hits *hits, uint32_t entry)
{
    uint32_t at = tdl_hash(entry) >> hits->shift;
    while (hits->place[at].hits && hits->place[at].entry != entry)
        at = (at + 1) & (hits->places - 1);
    return hits->place + at;
}

/* Make room for twice as many; false where there is none. */
static inline int tdl_grow_hits(tdl_hits *hits)
{
    tdl_hits more = {0};
    more.places = hits->places ? 2 * hits->places : 4096;
    more.shift = 32 - __builtin_ctz(more.places);
    more.place = (tdl_hit *)calloc(more.places, sizeof *more.place);
    more.filled = (uint32_t *)malloc(more.places * sizeof *more.filled);
    if (!more.place || !more.filled) {
        free(more.place);
        free(more.filled);
        return 0;
    }
    for (; more.n < hits->n; more.n++) {
        const tdl_hit *hit = hits->place + hits->filled[more.n];
        tdl_hit *to = tdl_place_of(&more, hit->entry);
        *to = *hit;
        more.filled[more.n] = (uint32_t)(to - more.place);
    }
    free(hits->place);
    free(hits->filled);
    *hits = more;
    return 1;
}

#define TDL_ROWS_AHEAD 6

/* Add the errors of features `first` to `end` of all rows, of one part of several of the entries; false where there is
   no memory. */
static inline int tdl_collect(tdl_hits *hits, const tdl_rows *rows, int padded, int first, int end, uint32_t part,
                              uint32_t parts)
{
    for (int64_t i = 0; i < rows->n; i++) {
        const uint32_t *entry = rows->entry + i * padded, *later = entry + TDL_ROWS_AHEAD * padded;
        const int64_t error = rows->error[i];
        if (i + TDL_ROWS_AHEAD < rows->n)
            for (int f = first; f < end; f++)
                __builtin_prefetch(hits->place + (tdl_hash(later[f]) >> hits->shift), 1);
        while (hits->places / 4 * 3 < hits->n + (uint32_t)(end - first))
            if (!tdl_grow_hits(hits))
                return 0;
        for (int f = first; f < end; f++) {
            if (parts > 1 && (tdl_hash(entry[f]) >> 4) % parts != part)
                continue;
            tdl_hit *hit = tdl_place_of(hits, entry[f]);
            if (!hit->hits) {
                hit->entry = entry[f];
                hits->filled[hits->n++] = (uint32_t)(hit - hits->place);
            }
            hit->hits++;
            hit->sum += error;
        }
    }
    return 1;
}

#define TDL_BLOCK 16        /* entries moved together, in vectors; a last block that is not full moves old numbers, too */

static inline __attribute__((always_inline)) void tdl_move_entries(const tdl_batch_law *law, int coherent, int capped,
                                                                   tdl_hits *hits, float *weights, float *sums)
{
    uint32_t entry[TDL_BLOCK];
    float n[TDL_BLOCK] = {0}, sum[TDL_BLOCK] = {0}, e[TDL_BLOCK] = {0}, a[TDL_BLOCK] = {0}, moved[TDL_BLOCK];
    for (uint32_t first = 0; first < hits->n; first += TDL_BLOCK) {
        const int count = hits->n - first < TDL_BLOCK ? (int)(hits->n - first) : TDL_BLOCK;
        for (int i = 0; i < count; i++) {
            if (first + 2 * TDL_BLOCK + i < hits->n) {
                const uint64_t later = hits->place[hits->filled[first + 2 * TDL_BLOCK + i]].entry;
                tdl_prefetch(weights + later);
                if (coherent)
                    tdl_prefetch(sums + 2 * later);
            }
            tdl_hit *hit = hits->place + hits->filled[first + i];
            entry[i] = hit->entry, n[i] = (float)hit->hits, sum[i] = (float)hit->sum * (1.0f / TDL_UNIT);
            if (coherent)
                e[i] = sums[2 * (uint64_t)entry[i]], a[i] = sums[2 * (uint64_t)entry[i] + 1];
            hit->hits = 0, hit->sum = 0;
        }
        for (int i = 0; i < TDL_BLOCK; i++)
            moved[i] = tdl_step(law, coherent, capped, n[i], sum[i], e + i, a + i);
        for (int i = 0; i < count; i++) {
            weights[entry[i]] += moved[i];
            if (coherent)
                sums[2 * (uint64_t)entry[i]] = e[i], sums[2 * (uint64_t)entry[i] + 1] = a[i];
        }
    }
    hits->n = 0;
}

/* Give entries that were hit a weight of their own, where they have none, by those of the stages before, which are in the
   same table and have not moved yet. */
static inline void tdl_promote(const tdl_batch_law *law, const tdl_hits *hits, float *weights)
{
    for (uint32_t i = 0; i < hits->n; i++) {
        const uint32_t entry = hits->place[hits->filled[i]].entry;
        if (weights[entry] != weights[entry])
            weights[entry] = tdl_promoted(weights, entry, law->stride, law->share);
    }
}

/* Move the entries that were hit; all places are free again. `sums`: E and A, NULL where the step is fixed. */
static inline void tdl_move_hits(const tdl_batch_law *law, int capped, tdl_hits *hits, float *weights, float *sums)
{
    if (law->stride)
        tdl_promote(law, hits, weights);
    if (sums && capped)
        tdl_move_entries(law, 1, 1, hits, weights, sums);
    else if (sums)
        tdl_move_entries(law, 1, 0, hits, weights, sums);
    else if (capped)
        tdl_move_entries(law, 0, 1, hits, weights, sums);
    else
        tdl_move_entries(law, 0, 0, hits, weights, sums);
}

#endif
