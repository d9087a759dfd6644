/* Games without learning, for a GPU, and, by warps.h, for a test in plain C: the records that a CPU's games have.
 *
 * A game draws from a stream of its own, V is added up in the order of weights.pxd and a mean over drops in that of
 * expectimax.pyx, so each choice is the CPU's to the last bit. A thread has a quarter of a board's V: a warp values
 * eight boards at once.
 *
 * With one ply `tdl_greedy` is all: a warp plays many moves of a game. With more plies `tdl_look` values what each
 * game's moves lead to, item by item, and `tdl_move` plays the best ones and lists the next items; these two in turn.
 * A place whose game is over takes the game of the next number.
 *
 * cuda_games.py writes the constants that stand before this text.
 */
#ifndef TDL_JUDGE_KERNELS_H
#define TDL_JUDGE_KERNELS_H

#include "boards.h"

#define TDL_LEAST -3e38f                /* below any value */

enum { TDL_NEW, TDL_GOES_ON, TDL_OVER };        /* a place: without a game; with one; no game is left for it */

typedef struct {
    uint64_t a, b, c, d;
} tdl_stream;                           /* xoshiro256**, as in stream.pxd */

typedef struct {
    tdl_words board;                    /* that is to move */
    tdl_stream stream;
    int64_t number, score;
    int32_t moves, state;
} tdl_game;

/* cuda_games.py has these as types of NumPy. */
typedef struct {
    int64_t episode, score;
    int32_t moves, max_tile;            /* 0: the game is not finished */
} tdl_record;

typedef struct {
    int64_t begun, finished, moves;     /* games, games and moves so far */
    int64_t items[2];                   /* on the list, in turn those that are valued and the next */
    int64_t diverged;
} tdl_judged;

typedef struct {
    const float *weights;
    const TDL_ROW *rows;                /* each row slid to its first cell, and the reward */
    tdl_game *games;                    /* [games_n] places, zero at first */
    tdl_record *records;                /* [episodes] zero at first */
    tdl_judged *progress;               /* zero at first */
    uint32_t *items;                    /* [games_n * 4 * TDL_SPREAD] numbers of what is to be valued */
    float *values;                      /* [games_n * 4 * TDL_SPREAD] of items, by number */
    int64_t episodes;
    uint64_t seed;
    int32_t games_n, lookers;           /* warps of `tdl_move` and of `tdl_look` */
    int32_t moves, turn;                /* of a launch of `tdl_greedy`; which of progress->items are valued */
    float gamma, share;
} tdl_judge;

/* Streams -------------------------------------------------------------------------------------------------------- */

TDL_FN tdl_stream tdl_stream_of(uint64_t seed, uint64_t episode)
{
    uint64_t key = seed;
    key = tdl_splitmix(&key) ^ TDL_ROLE;
    key = tdl_splitmix(&key) ^ episode;
    key = tdl_splitmix(&key);
    tdl_stream stream;
    stream.a = tdl_splitmix(&key);
    stream.b = tdl_splitmix(&key);
    stream.c = tdl_splitmix(&key);
    stream.d = tdl_splitmix(&key);
    return stream;
}

TDL_FN uint64_t tdl_rotated(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

TDL_FN uint64_t tdl_drawn(tdl_stream *s)
{
    const uint64_t drawn = tdl_rotated(s->b * 5, 7) * 9, t = s->b << 17;
    s->c ^= s->a;
    s->d ^= s->b;
    s->b ^= s->c;
    s->a ^= s->d;
    s->c ^= t;
    s->d = tdl_rotated(s->d, 45);
    return drawn;
}

/* Values --------------------------------------------------------------------------------------------------------- */

#if defined(__CUDACC__) && TDL_BITS > 4
TDL_FN tdl_board tdl_board_from(tdl_board board, int t)
{
    const tdl_words words = tdl_stored(board);
    return (tdl_board)TDL_FROM(words.high, t) << 64 | TDL_FROM(words.low, t);
}
#define TDL_BOARD_FROM(name, t) tdl_board_from(name, t)
#else
#define TDL_BOARD_FROM(name, t) TDL_FROM(name, t)
#endif

/* The partial sum of V that is the features' whose number leaves this remainder by 4: images `quarter` and 4 more, in
   turn. V is (sum 0 + sum 1) + (sum 2 + sum 3). */
TDL_FN float tdl_quarter(const tdl_judge *call, tdl_board board, int quarter)
{
    uint32_t entry[2][TDL_ENTRIES];
    float sum = 0;
    tdl_entries(board, quarter, entry[0]);
    tdl_entries(board, quarter + 4, entry[1]);
    TDL_UNROLL for (int k = 0; k < TDL_ENTRIES; k++)
        TDL_UNROLL for (int half = 0; half < 2; half++)
            if (k < TDL_IMAGED || entry[half][k] != TDL_NONE)
                sum += tdl_weight(call->weights, entry[half][k], call->share);
    return sum;
}

/* In each of four neighbours the sum of theirs, in the order of V; within TDL_EACH. */
#define TDL_VALUE(part, t)                                                                                            \
    ((TDL_FROM(part, t) + TDL_FROM(part, (t) ^ 1)) + (TDL_FROM(part, (t) ^ 2) + TDL_FROM(part, (t) ^ 3)))

/* The moves of a board by action; q of those that are not legal does not count. */
typedef struct {
    tdl_board after[4];
    int32_t reward[4];
    int legal[4];
    float q[4];
} tdl_moves;

/* Find the moves of a board, and q of each with one ply if that is asked for; returns how many there are. */
TDL_FN int tdl_find_moves(const tdl_judge *call, tdl_board board, int valued, tdl_moves *moves)
{
    TDL_OF_EACH(tdl_board, after);
    TDL_OF_EACH(int32_t, reward);
    TDL_OF_EACH(float, part);
    TDL_OF_EACH(float, value);
    int n = 0;
    TDL_EACH(t) {
        TDL_MY(reward) = 0;
        TDL_MY(after) = tdl_slid(call->rows, board, t >> 2 & 3, &TDL_MY(reward));
        TDL_MY(part) = valued && t < 16 && TDL_MY(after) != board ? tdl_quarter(call, TDL_MY(after), t & 3) : 0;
    }
    TDL_EACH(t)
        TDL_MY(value) = TDL_VALUE(part, t);
    TDL_UNROLL for (int action = 0; action < 4; action++) {
        moves->after[action] = TDL_BOARD_FROM(after, 4 * action);
        moves->reward[action] = TDL_FROM(reward, 4 * action);
        moves->legal[action] = moves->after[action] != board;
        moves->q[action] = (float)moves->reward[action] + call->gamma * TDL_FROM(value, 4 * action);
        n += moves->legal[action];
    }
    return n;
}

/* Looking ahead -------------------------------------------------------------------------------------------------- */

#if TDL_PLIES > 1
TDL_TABLE double tdl_shares[] = TDL_SHARES;     /* the probability of each tile of the drop law, */
TDL_TABLE uint8_t tdl_tiles[] = TDL_TILES;      /* and its index */

/* The mean over drops, tile by tile, cell by cell. */
typedef struct {
    double total, of_tile;
    int tile, cell;
} tdl_mean;

TDL_FN void tdl_weigh(tdl_mean *mean, int cells, float value)
{
    mean->of_tile += value;
    if (++mean->cell == cells) {
        mean->total += tdl_shares[mean->tile++] * (mean->of_tile / cells);
        mean->of_tile = mean->cell = 0;
    }
}

/* The board after a drop, by its number in a mean. */
TDL_FN tdl_board tdl_after_drop(tdl_board after, int cells, int drop)
{
    tdl_board empty = tdl_empty(after);
    for (int k = drop % cells; k > 0; k--)
        empty &= empty - 1;
    return after | (empty & -empty) * (tdl_board)tdl_tiles[drop / cells];
}

/* The number of bit n of those that are set; 0 where there are not so many. */
TDL_FN int tdl_nth(uint32_t bits, int n)
{
    for (; n > 0; n--)
        bits &= bits - 1;
    return tdl_ones((bits & -bits) - 1) & 31;
}

/* W of an afterstate, one ply further. A thread has a move after a drop, eight neighbours the same move: afterstates
   that are valued at once then have more entries in common. Equal ones are valued once. */
TDL_FN float tdl_chance(const tdl_judge *call, tdl_board after)
{
    const int cells = tdl_marks(tdl_empty(after)), drops = cells * (int)sizeof tdl_tiles;
    tdl_mean mean = {0, 0, 0, 0};
    for (int first = 0; first < drops; first += 8) {
        TDL_OF_EACH(tdl_board, next);
        TDL_OF_EACH(int32_t, reward);
        TDL_OF_EACH(int, leader);
        TDL_OF_EACH(int, fresh);
        TDL_OF_EACH(float, value);
        TDL_OF_EACH(float, part);
        TDL_OF_EACH(float, sum);
        TDL_OF_EACH(float, q);
        TDL_OF_EACH(float, best);
        TDL_EACH(t) {
            const int drop = first + (t & 7);
            const tdl_board board = drop < drops ? tdl_after_drop(after, cells, drop) : 0;
            TDL_MY(reward) = 0;
            TDL_MY(next) = tdl_slid(call->rows, board, t >> 3, &TDL_MY(reward));
            if (TDL_MY(next) == board)
                TDL_MY(next) = 0;           /* no move, as of the board without tiles */
            TDL_MY(value) = 0;
        }
        TDL_EACH(t) {
            TDL_MY(leader) = t;
            TDL_UNROLL for (int back = 1; back < 8; back++) {
                const int equal = TDL_BOARD_FROM(next, (t - back) & 31) == TDL_MY(next);
                TDL_MY(leader) = equal && (t & 7) >= back ? t - back : TDL_MY(leader);
            }
            TDL_MY(fresh) = TDL_MY(next) && TDL_MY(leader) == t;
        }
        const uint32_t all_fresh = TDL_BALLOT(fresh);
        for (int done = 0; done < tdl_ones(all_fresh); done += 8) {
            TDL_EACH(t) {
                const int k = done + (t >> 2);
                const tdl_board board = TDL_BOARD_FROM(next, tdl_nth(all_fresh, k));
                TDL_MY(part) = k < tdl_ones(all_fresh) ? tdl_quarter(call, board, t & 3) : 0;
            }
            TDL_EACH(t) {
                TDL_MY(sum) = TDL_VALUE(part, t);
                if (!(fabsf(TDL_MY(sum)) < TDL_BOUND))      /* true of nan, too */
                    call->progress->diverged = 1;
            }
            TDL_EACH(t) {
                const int k = tdl_ones(all_fresh & ((1u << TDL_MY(leader)) - 1)) - done;
                const float of_leader = TDL_FROM(sum, 4 * k & 31);
                TDL_MY(value) = k >= 0 && k < 8 ? of_leader : TDL_MY(value);
            }
        }
        TDL_EACH(t)
            TDL_MY(q) = TDL_MY(next) ? (float)TDL_MY(reward) + call->gamma * TDL_MY(value) : TDL_LEAST;
        TDL_EACH(t) {
            float most = TDL_FROM(q, t);
            TDL_UNROLL for (int other = 8; other < 32; other += 8)
                most = fmaxf(most, TDL_FROM(q, t ^ other));
            TDL_MY(best) = most == TDL_LEAST ? 0 : most;
        }
        for (int k = 0; k < 8 && first + k < drops; k++)
            tdl_weigh(&mean, cells, TDL_FROM(best, k));
    }
    return (float)mean.total;
}

/* What an item is worth: W of an afterstate with two plies, with three the best move after one of its drops. */
TDL_FN float tdl_item_value(const tdl_judge *call, tdl_board after, int drop)
{
#if TDL_PLIES == 2
    (void)drop;
    return tdl_chance(call, after);
#else
    const tdl_board board = tdl_after_drop(after, tdl_marks(tdl_empty(after)), drop);
    float most = TDL_LEAST;
    for (int action = 0; action < 4; action++) {
        int32_t reward = 0;
        const tdl_board next = tdl_slid(call->rows, board, action, &reward);
        const float q = next == board ? TDL_LEAST : (float)reward + call->gamma * tdl_chance(call, next);
        most = q > most ? q : most;
    }
    return most == TDL_LEAST ? 0 : most;
#endif
}

TDL_FN void tdl_look_of(const tdl_judge *call, int warp)
{
    if (warp == 0)
        TDL_ONE
            call->progress->items[!call->turn] = 0;
    for (int64_t i = warp; i < call->progress->items[call->turn]; i += call->lookers) {
        const uint32_t item = call->items[i];
        const tdl_board board = tdl_loaded(&call->games[item / (4 * TDL_SPREAD)].board);
        int32_t reward = 0;
        const tdl_board after = tdl_slid(call->rows, board, (int)(item / TDL_SPREAD & 3), &reward);
        const float value = tdl_item_value(call, after, (int)(item % TDL_SPREAD));
        TDL_ONE
            call->values[item] = value;
    }
}

/* W of an afterstate, by the values of its items. */
TDL_FN float tdl_looked(tdl_board after, const float *values)
{
#if TDL_PLIES == 2
    (void)after;
    return values[0];
#else
    const int cells = tdl_marks(tdl_empty(after)), drops = cells * (int)sizeof tdl_tiles;
    tdl_mean mean = {0, 0, 0, 0};
    for (int drop = 0; drop < drops; drop++)
        tdl_weigh(&mean, cells, values[drop]);
    return (float)mean.total;
#endif
}

/* List the items of a game's moves. */
TDL_FN void tdl_add_items(const tdl_judge *call, int place, const tdl_moves *moves)
{
    TDL_UNROLL for (int action = 0; action < 4; action++)
        if (moves->legal[action]) {
            const int drops = tdl_marks(tdl_empty(moves->after[action])) * (int)sizeof tdl_tiles;
            const int n = TDL_PLIES == 2 ? 1 : drops;
            const uint32_t item = ((uint32_t)place * 4 + (uint32_t)action) * TDL_SPREAD;
            TDL_OF_EACH(uint64_t, at);
            TDL_EACH(t)
                TDL_MY(at) = t == 0 ? tdl_add(call->progress->items + !call->turn, (uint64_t)n) : 0;
            uint32_t *list = call->items + TDL_FROM(at, 0);
            TDL_EACH(t)
                for (int k = t; k < n; k += 32)
                    list[k] = item + (uint32_t)k;
        }
}
#endif

/* Games ---------------------------------------------------------------------------------------------------------- */

/* Begin the next game in a place; false: there is none. */
TDL_FN int tdl_next_game(const tdl_judge *call, tdl_game *game)
{
    TDL_OF_EACH(int64_t, number);
    TDL_EACH(t)
        TDL_MY(number) = t == 0 ? (int64_t)tdl_add(&call->progress->begun, 1) : 0;
    game->number = TDL_FROM(number, 0);
    game->state = game->number < call->episodes ? TDL_GOES_ON : TDL_OVER;
    game->stream = tdl_stream_of(call->seed, (uint64_t)game->number);
    game->score = game->moves = 0;
    tdl_board board = 0;
    for (int i = 0; i < (int)sizeof tdl_first; i++)
        board = tdl_dropped(tdl_drawn(&game->stream), board, tdl_first[i]);
    game->board = tdl_stored(board);
    return game->state == TDL_GOES_ON;
}

/* Put a game that is over on record. */
TDL_FN void tdl_end_game(const tdl_judge *call, tdl_game *game)
{
    const int32_t max_tile = (int32_t)tdl_values[tdl_largest(tdl_loaded(&game->board))];
    const tdl_record record = {game->number, game->score, game->moves, max_tile};
    TDL_ONE {
        call->records[game->number] = record;
        tdl_add(&call->progress->finished, 1);
    }
    game->state = TDL_NEW;
}

/* Play the move of the largest q, the first of equals; false: learning diverged. */
TDL_FN int tdl_play(const tdl_judge *call, tdl_game *game, const tdl_moves *moves)
{
    tdl_board after = 0;
    int32_t reward = 0;
    float most = -TDL_BOUND;
    TDL_UNROLL for (int action = 0; action < 4; action++)
        if (moves->legal[action] && moves->q[action] > most)        /* never true of nan */
            most = moves->q[action], after = moves->after[action], reward = moves->reward[action];
    if (after == 0 || most > TDL_BOUND) {
        TDL_ONE
            call->progress->diverged = 1;
        return 0;
    }
    game->score += reward;
    game->moves++;
    game->board = tdl_stored(tdl_dropped(tdl_drawn(&game->stream), after, 0));
    return 1;
}

#if TDL_PLIES == 1
TDL_FN void tdl_greedy_of(const tdl_judge *call, int place)
{
    tdl_game game = call->games[place];
    tdl_moves moves;
    int played = 0;
    if (call->progress->diverged || game.state == TDL_OVER)
        return;
    while (played < call->moves && (game.state == TDL_GOES_ON || tdl_next_game(call, &game)))
        if (!tdl_find_moves(call, tdl_loaded(&game.board), 1, &moves))
            tdl_end_game(call, &game);
        else if (tdl_play(call, &game, &moves))
            played++;
        else
            return;
    TDL_ONE {
        tdl_add(&call->progress->moves, (uint64_t)played);
        call->games[place] = game;
    }
}

TDL_KERNEL(tdl_judge, tdl_greedy, call->games_n, 128, 8)
#else
TDL_FN void tdl_move_of(const tdl_judge *call, int place)
{
    tdl_game game = call->games[place];
    tdl_moves moves;
    int going;
    if (call->progress->diverged || game.state == TDL_OVER)
        return;
    if (game.state == TDL_GOES_ON) {
        tdl_find_moves(call, tdl_loaded(&game.board), 0, &moves);
        TDL_UNROLL for (int action = 0; action < 4; action++)
            if (moves.legal[action]) {
                const float *values = call->values + ((int64_t)place * 4 + action) * TDL_SPREAD;
                moves.q[action] =
                    (float)moves.reward[action] + call->gamma * tdl_looked(moves.after[action], values);
            }
        if (!tdl_play(call, &game, &moves))
            return;
        TDL_ONE
            tdl_add(&call->progress->moves, 1);
    }
    do {
        going = game.state == TDL_GOES_ON && tdl_find_moves(call, tdl_loaded(&game.board), 0, &moves);
        if (game.state == TDL_GOES_ON && !going)
            tdl_end_game(call, &game);
    } while (!going && tdl_next_game(call, &game));
    if (going)
        tdl_add_items(call, place, &moves);
    TDL_SYNC();
    TDL_ONE
        call->games[place] = game;
}

TDL_KERNEL(tdl_judge, tdl_look, call->lookers, 128, 8)
TDL_KERNEL(tdl_judge, tdl_move, call->games_n, 128, 4)
#endif

#endif
