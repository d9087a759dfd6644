/* The steps of the batch learner for a GPU, and, by warps.h, for a test in plain C: the bits of batch_learner.pyx.
 *
 * A step is these kernels, one after the other. `tdl_play`: each lane is a warp, whose threads are four directions times
 * eight images of the board. Errors are added to one number an entry, hits << shift | sum; who finds it zero owns the
 * entry in this step. `tdl_close`: one warp adds up what all lanes told, and says whether the step counts.
 * `tdl_promote`, where there are stages, then `tdl_apply`: owners move their entries. After the last step of a block, or
 * when learning diverged, further kernels do nothing: so the host need not look after each step.
 *
 * batch_text.py writes the constants that stand before this text: the game, the network and the options.
 */
#ifndef TDL_BATCH_KERNELS_H
#define TDL_BATCH_KERNELS_H

#include "batch_step.h"
#include "boards.h"

#define TDL_TALLIES 32                              /* one for each thread of a warp */
#define TDL_QUARTERS ((TDL_ENTRIES + 3) / 4)        /* of these are a thread's when all threads share a board */

/* batch_text.py has these as types of NumPy. */
typedef struct {                                    /* a game on record that ended */
    int64_t step, score;
    int32_t lane, moves, largest, unused;
} tdl_ended;

typedef struct {                                    /* what some lanes did in a step; on lines of its own */
    int64_t moves, updates, abs_error, abs_moved, unused[12];
} tdl_tally;

typedef struct {
    int64_t moves, updates, abs_error, step;        /* so far; errors in parts of a point */
    int64_t ended;                                  /* games in the list, also those that others took the place of */
    int64_t until;                                  /* moves after which no step begins */
    int32_t active;                                 /* lanes of the next step */
    int32_t applies, diverged, unused;
} tdl_progress;

typedef struct __attribute__((aligned(8))) {         /* read and written at once */
    float e, a;
} tdl_sums;

typedef struct {
    float *weights;                                 /* [entries] */
    tdl_sums *sums;                                 /* [entries] not read where steps are fixed */
    uint64_t *hits;                                 /* [entries] zero between steps */
    char *lanes;                                    /* [lanes_n] `lane_size` apart */
    uint32_t *todo;                                 /* [lanes_n][reach][TDL_QUARTERS][32] entries of which a lane is owner */
    int32_t *todo_n;                                /* [lanes_n] boards of these; zero at first */
    const TDL_ROW *rows;                            /* each row slid to its first cell, and the reward */
    tdl_tally *tallies;                             /* [TDL_TALLIES] zero between steps */
    tdl_progress *progress;
    tdl_ended *ended;                               /* [room] game k at k % room */
    int64_t room, moves_per_lane, limit;            /* limit: of the sum of all |errors| of a step */
    int32_t lanes_n, lane_size, shift, unused;
    tdl_batch_law law;
} tdl_batch;

/* The learner's law, with what is constant as a constant. */
TDL_FN tdl_batch_law tdl_law(const tdl_batch *batch)
{
    tdl_batch_law law = batch->law;
    law.reach = TDL_REACH, law.start = TDL_START, law.trail = TDL_START == TDL_RESTART ? TDL_TRAIL : 0;
    return law;
}

TDL_FN int tdl_plays(const tdl_progress *progress)
{
    return !progress->diverged && progress->moves < progress->until;
}

/* Kernels -------------------------------------------------------------------------------------------------------- */

TDL_FN tdl_lane *tdl_lane_of(const tdl_batch *batch, int number)
{
    return (tdl_lane *)(batch->lanes + (int64_t)number * batch->lane_size);
}

TDL_FN uint32_t *tdl_todo(const tdl_batch *batch, int lane, int board)
{
    return batch->todo + ((int64_t)lane * TDL_REACH + board) * (TDL_QUARTERS * 32);
}

/* Add an error to the entries of a board; `todo` becomes those of which this lane is owner. */
TDL_FN void tdl_hit_entries(const tdl_batch *batch, tdl_board board, int64_t error, uint32_t *todo)
{
    const uint64_t more = ((uint64_t)1 << batch->shift) + (uint64_t)error;
    TDL_EACH(t) {
        uint32_t entry[TDL_ENTRIES];
        tdl_entries(board, t & 7, entry);
        TDL_UNROLL for (int q = 0; q < TDL_QUARTERS; q++) {
            uint32_t mine = TDL_NONE;
            TDL_UNROLL for (int k = 4 * q; k < 4 * q + 4 && k < TDL_ENTRIES; k++)
                mine = (k & 3) == t >> 3 ? entry[k] : mine;
            if (mine != TDL_NONE && tdl_add(batch->hits + mine, more))
                mine = TDL_NONE;
            todo[32 * q + t] = mine;
        }
    }
}

/* Tell a lane's error, and add it to what is to move; false: it diverged. */
TDL_FN int tdl_learn(const tdl_batch *batch, const tdl_batch_law *law, int number, float error, int over)
{
    tdl_lane *lane = tdl_lane_of(batch, number);
    tdl_tally *tally = batch->tallies + number % TDL_TALLIES;
    int64_t moved = 0;
    int count = 0;
    if (!(fabsf(error) < TDL_BOUND))        /* true of nan, too */
        return 0;
    TDL_ONE
        tdl_observe(law, lane, error);
    TDL_SYNC();
    tdl_due due = {lane->moves, 0};
    while (tdl_next_due(law, lane, over, &due)) {
        const int64_t parts = (int64_t)rintf(due.error * TDL_UNIT), size = parts < 0 ? -parts : parts;
        moved += size > batch->limit ? batch->limit + 1 : size;     /* their sum has room */
        tdl_hit_entries(batch, tdl_loaded(tdl_path(lane) + due.t % TDL_REACH), parts, tdl_todo(batch, number, count++));
    }
    TDL_ONE {
        batch->todo_n[number] = count;
        tdl_add(&tally->updates, 1);
        tdl_add(&tally->abs_error, (uint64_t)(int64_t)rintf(fabsf(error) * TDL_UNIT));
        tdl_add(&tally->abs_moved, (uint64_t)moved);
    }
    return 1;
}

/* Put a lane's game on record, if it is the first of its episode, and begin the next; one thread's work. */
TDL_FN void tdl_end_game(const tdl_batch *batch, const tdl_batch_law *law, int number)
{
    tdl_lane *lane = tdl_lane_of(batch, number);
    if (lane->game == 0) {
        const tdl_ended ended = {batch->progress->step, lane->score, number, lane->moves,
                                 tdl_largest(tdl_loaded(&lane->board)), 0};
        const int64_t at = (int64_t)tdl_add(&batch->progress->ended, 1);
        batch->ended[at % batch->room] = ended;
    }
    const tdl_words *start = tdl_next_start(law, lane);
    tdl_board board = 0;
    if (start)
        board = tdl_dropped(tdl_draw(lane), tdl_loaded(start), 0);
    else
        for (int i = 0; i < (int)sizeof tdl_first; i++)
            board = tdl_dropped(tdl_draw(lane), board, tdl_first[i]);
    lane->board = tdl_stored(board);
    tdl_begin(lane, !start);
}

TDL_FN void tdl_play_of(const tdl_batch *batch, int number)
{
    const tdl_batch_law law = tdl_law(batch);
    if (!tdl_plays(batch->progress) || number >= batch->progress->active)
        return;
    tdl_lane *lane = tdl_lane_of(batch, number);
    const tdl_board board = tdl_loaded(&lane->board);
    const int begun = lane->moves > 0;
    const tdl_board last = begun ? tdl_loaded(tdl_path(lane) + (lane->moves - 1) % TDL_REACH) : 0;
    TDL_OF_EACH(float, value);
    TDL_OF_EACH(float, before);
    TDL_OF_EACH(int, legal);
    TDL_OF_EACH(int32_t, reward);
    TDL_OF_EACH(uint64_t, low);
    TDL_OF_EACH(uint64_t, high);
    TDL_EACH(t) {
        TDL_MY(reward) = 0;
        const tdl_board after = tdl_slid(batch->rows, board, t >> 3, &TDL_MY(reward));
        const tdl_words words = tdl_stored(after);
        TDL_MY(low) = words.low, TDL_MY(high) = words.high;
        TDL_MY(legal) = after != board;
        TDL_MY(value) = TDL_MY(legal) ? tdl_part(batch->weights, law.share, after, t & 7) : 0;
        TDL_MY(before) = begun ? tdl_part(batch->weights, law.share, last, t & 7) : 0;
    }
    TDL_SUM_OF_EIGHT(value);
    TDL_SUM_OF_EIGHT(before);
    float most = -TDL_BOUND;
    int best = -1, n = 0;
    TDL_UNROLL for (int action = 0; action < 4; action++) {
        const float q = (float)TDL_FROM(reward, 8 * action) + law.gamma * TDL_FROM(value, 8 * action);
        const int counts = TDL_FROM(legal, 8 * action);
        n += counts;
        if (counts && q > most)     /* never true of nan */
            best = action, most = q;
    }
    const float error = (n ? most : 0) - TDL_FROM(before, 0);
    if ((n && (best < 0 || most > TDL_BOUND)) || (begun && !tdl_learn(batch, &law, number, error, n == 0))) {
        TDL_ONE
            batch->progress->diverged = 1;
        return;
    }
    const int from = best < 0 ? 0 : 8 * best;
    const tdl_words after = {TDL_FROM(low, from), TDL_FROM(high, from)};
    const int32_t gained = TDL_FROM(reward, from);
    TDL_SYNC();
    TDL_ONE {
        if (!begun)
            batch->todo_n[number] = 0;
        if (n) {
            tdl_add(&batch->tallies[number % TDL_TALLIES].moves, 1);
            tdl_moved(&law, lane, after, gained, TDL_START == TDL_MILESTONE ? tdl_total(tdl_loaded(&after)) : 0);
            lane->board = tdl_stored(tdl_dropped(tdl_draw(lane), tdl_loaded(&after), 0));
        } else
            tdl_end_game(batch, &law, number);
    }
}

TDL_FN void tdl_close_of(const tdl_batch *batch, int warp)
{
    tdl_progress *progress = batch->progress;
    TDL_OF_EACH(int64_t, moves);
    TDL_OF_EACH(int64_t, updates);
    TDL_OF_EACH(int64_t, error);
    TDL_OF_EACH(int64_t, moved);
    (void)warp;
    TDL_EACH(t) {
        tdl_tally *tally = batch->tallies + t;
        TDL_MY(moves) = tally->moves, TDL_MY(updates) = tally->updates;
        TDL_MY(error) = tally->abs_error, TDL_MY(moved) = tally->abs_moved;
        tally->moves = tally->updates = tally->abs_error = tally->abs_moved = 0;
    }
    const int64_t moves_of_all = tdl_sum(moves), updates_of_all = tdl_sum(updates);
    const int64_t error_of_all = tdl_sum(error), moved_of_all = tdl_sum(moved);
    TDL_ONE {
        const int played = tdl_plays(progress);
        progress->step += played;
        progress->moves += moves_of_all;
        progress->updates += updates_of_all;
        progress->abs_error += error_of_all;
        progress->diverged |= moved_of_all > batch->limit;
        progress->applies = played && !progress->diverged;
        progress->active = (int32_t)tdl_active(batch->lanes_n, batch->moves_per_lane, progress->moves);
    }
}

/* Move an entry. */
TDL_FN void tdl_move_entry(const tdl_batch *batch, const tdl_batch_law *law, uint32_t entry)
{
    const uint64_t hits = batch->hits[entry], half = (uint64_t)1 << (batch->shift - 1);
    const uint64_t n = (hits + half) >> batch->shift;
    const int64_t sum = (int64_t)(hits - (n << batch->shift));
    tdl_sums sums = {0, 0};
    if (TDL_COHERENT)
        sums = batch->sums[entry];
    batch->weights[entry] +=
        tdl_step(law, TDL_COHERENT, TDL_CAPPED, (float)n, (float)sum * (1.0f / TDL_UNIT), &sums.e, &sums.a);
    if (TDL_COHERENT)
        batch->sums[entry] = sums;
    batch->hits[entry] = 0;
}

/* What a lane's warp does with the entries of which it is owner. */
TDL_FN void tdl_settle(const tdl_batch *batch, int number, int promotes)
{
    const tdl_batch_law law = tdl_law(batch);
    const uint32_t *todo = tdl_todo(batch, number, 0);
    for (int i = 0; batch->progress->applies && i < batch->todo_n[number] * TDL_QUARTERS; i++)
        TDL_EACH(t) {
            const uint32_t entry = todo[32 * i + t];
            if (entry != TDL_NONE && !promotes)
                tdl_move_entry(batch, &law, entry);
            else if (entry != TDL_NONE && batch->weights[entry] != batch->weights[entry])
                batch->weights[entry] = tdl_promoted(batch->weights, entry, TDL_STRIDE, law.share);
        }
}

TDL_FN void tdl_promote_of(const tdl_batch *batch, int number)
{
    tdl_settle(batch, number, 1);
}

TDL_FN void tdl_apply_of(const tdl_batch *batch, int number)
{
    tdl_settle(batch, number, 0);
}

TDL_KERNEL(tdl_batch, tdl_play, call->lanes_n, 128, 8)
TDL_KERNEL(tdl_batch, tdl_close, 1, 32, 1)
TDL_KERNEL(tdl_batch, tdl_promote, call->lanes_n, 256, 4)
TDL_KERNEL(tdl_batch, tdl_apply, call->lanes_n, 256, 4)

#endif
