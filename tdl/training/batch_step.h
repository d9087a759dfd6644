/* What the batch learner computes: of a lane, and of an entry that was hit. Plain C that is CUDA C++, too.
 *
 * A lane is a game that goes on. In a step all lanes play by the same weights: each chooses a move, reads V of its last
 * afterstate once more, and tells which of its last afterstates are to move, and by how much (`tdl_next_due`). Then each
 * entry that was hit moves once, by the number of hits and the sum of their errors (`tdl_step`). Sums are whole numbers,
 * so they have no order, and the bits depend neither on threads nor on the machine. `batch_reference.py` is the same in
 * Python. How a CPU shares the work is in batch_lanes.h and batch_learner.pyx, and how a GPU does in batch_kernels.h.
 */
#ifndef TDL_BATCH_STEP_H
#define TDL_BATCH_STEP_H

#include "warps.h"

#define TDL_UNIT 256                    /* errors are summed up in parts of a point */
#define TDL_SMALL 1e-30f                /* makes 0 / 0 the 1 that the rate of a new entry is, as in coherence.h */
#define TDL_TRAIL 32                    /* afterstates of the whole game that a lane keeps for a restart */
#define TDL_FEWEST 64                   /* lanes that play from the first step on */

/* Where a lane's next game begins, as in starts.pxd. */
enum { TDL_EMPTY, TDL_RESTART, TDL_MILESTONE };

/* The head of a lane; after it stand the last `reach` afterstates of its game, afterstate t of the game as number
   t % reach, then where games are restarted its trail, then the errors of the former. `lane_type` in lane_state.py is the
   same for NumPy. */
typedef struct {
    tdl_words board;                    /* that is to move */
    tdl_words saved;                    /* the afterstate that came to the last milestone of this game */
    uint64_t random;                    /* what was drawn so far */
    int64_t score;                      /* of this game */
    int64_t reached;                    /* how many milestones this game came to */
    int32_t moves;                      /* of this game */
    int32_t game;                       /* of the episode: 0 is the one on record */
    int32_t attempts;                   /* games of the episode in a row from the same milestone */
    int32_t rose;                       /* whether this game came to its last milestone after its first move */
} tdl_lane;

typedef struct {
    int64_t milestone;                  /* sum of tiles from one milestone to the next */
    int32_t start;                      /* TDL_EMPTY, TDL_RESTART or TDL_MILESTONE */
    int32_t attempts;                   /* games from one milestone */
    int32_t restart_moves;              /* fewest of a game that is restarted, */
    float restart_at;                   /* and at which share of it */
    int32_t reach;                      /* afterstates that learn of an error */
    int32_t trail;                      /* TDL_TRAIL where games are restarted, else 0 */
    float gamma;
    float decay;                        /* of an error, for each afterstate further back */
    float alpha;                        /* the total step size, */
    float rate;                         /* and that of one entry */
    float kept;                         /* of E and A, before an error is added */
    float cap;                          /* most that hits * share * alpha may be */
    /* stages.pxd has the laws of stages. */
    uint32_t stride;                    /* entries from one stage to the next; 0: there is one */
    float share;
} tdl_batch_law;

/* Which afterstate of a lane's game is to move, and by how much. */
typedef struct {
    int32_t t;
    float error;
} tdl_due;

TDL_FN tdl_words *tdl_path(tdl_lane *lane)
{
    return (tdl_words *)(lane + 1);
}

TDL_FN float *tdl_errors(const tdl_batch_law *law, tdl_lane *lane)
{
    return (float *)(tdl_path(lane) + law->reach + law->trail);
}

/* A trail has every s-th afterstate of a game, s the least power of two with which its first n + 1 have room. */
TDL_FN int32_t tdl_spacing(int32_t n)
{
    int32_t s = 1;
    while (n / s >= TDL_TRAIL)
        s *= 2;
    return s;
}

/* Note that `after` is afterstate n of a lane's game. */
TDL_FN void tdl_follow(const tdl_batch_law *law, tdl_lane *lane, int32_t n, tdl_words after)
{
    tdl_words *trail = tdl_path(lane) + law->reach;
    const int32_t spacing = tdl_spacing(n);
    if (n % spacing)
        return;
    if (n && spacing != tdl_spacing(n - 1))
        for (int i = 1; i < TDL_TRAIL / 2; i++)
            trail[i] = trail[2 * i];
    trail[n / spacing] = after;
}

/* The afterstate of a trail at a share of a lane's game, or the last one before it that is there; NULL: it is the first,
   from which it could go on for ever. */
TDL_FN const tdl_words *tdl_at_share(const tdl_batch_law *law, tdl_lane *lane, float share)
{
    const int32_t last = lane->moves - 1, at = (int32_t)((float)last * share) / tdl_spacing(last);
    return at > 0 ? tdl_path(lane) + law->reach + at : 0;
}

TDL_FN uint64_t tdl_draw(tdl_lane *lane)
{
    return tdl_splitmix(&lane->random);
}

/* Note the error of the last afterstate, against its target. */
TDL_FN void tdl_observe(const tdl_batch_law *law, tdl_lane *lane, float error)
{
    tdl_errors(law, lane)[(lane->moves - 1) % law->reach] = error;
}

/* Go back, from the lane's moves and no error, to the next afterstate that is to move by the errors so far: the one that
   has no more to come, or, where the game is `over`, all of them. False: there is none. */
TDL_FN int tdl_next_due(const tdl_batch_law *law, tdl_lane *lane, int over, tdl_due *due)
{
    const int n = lane->moves, reach = law->reach, oldest = n > reach ? n - reach : 0;
    while (due->t > oldest) {
        due->t--;
        due->error = tdl_errors(law, lane)[due->t % reach] + law->decay * due->error;
        if (over || due->t == n - reach)
            return 1;
    }
    return 0;
}

/* Note a move. `total`: the sum of the afterstate's tiles, where milestones count. */
TDL_FN void tdl_moved(const tdl_batch_law *law, tdl_lane *lane, tdl_words after, int32_t reward, int64_t total)
{
    tdl_path(lane)[lane->moves % law->reach] = after;
    if (law->trail)
        tdl_follow(law, lane, lane->moves, after);
    if (law->start == TDL_MILESTONE && total / law->milestone > lane->reached) {
        lane->reached = total / law->milestone;
        lane->rose = lane->moves > 0;
        lane->saved = after;
    }
    lane->score += reward;
    lane->moves++;
}

/* Where the next game of a lane's episode begins; NULL: there is none. starts.pxd has the rules; a restart begins with
   the last afterstate before its share of the game that the trail has. */
TDL_FN const tdl_words *tdl_next_start(const tdl_batch_law *law, tdl_lane *lane)
{
    if (law->start == TDL_RESTART && lane->moves >= law->restart_moves)
        return tdl_at_share(law, lane, law->restart_at);
    if (law->start == TDL_MILESTONE && lane->reached) {
        lane->attempts = lane->rose ? 1 : lane->attempts + 1;
        if (lane->attempts <= law->attempts)
            return &lane->saved;
    }
    return 0;
}

/* Begin a game: the next of the episode, or the first of another one. */
TDL_FN void tdl_begin(tdl_lane *lane, int first)
{
    lane->score = lane->reached = 0;
    lane->moves = lane->rose = 0;
    lane->game = first ? 0 : lane->game + 1;
    if (first)
        lane->attempts = 0;
}

/* How many lanes play in a step before which so many moves were made. `moves_per_lane`: 0: all. */
TDL_FN int64_t tdl_active(int64_t lanes, int64_t moves_per_lane, int64_t moves)
{
    int64_t active = moves_per_lane ? moves / moves_per_lane : lanes;
    active = active > TDL_FEWEST ? active : TDL_FEWEST;
    return active < lanes ? active : lanes;
}

/* How far an entry moves that was hit n times, by errors that add up to `sum`. E and A, where step sizes are coherent,
   receive the mean of the errors. */
TDL_FN float tdl_step(const tdl_batch_law *law, int coherent, int capped, float n, float sum, float *e, float *a)
{
    const float mean = sum / n;
    float share = 1;
    if (coherent) {
        const float agreed = (fabsf(*e) + TDL_SMALL) / (*a + TDL_SMALL);
        share = agreed < 1 ? agreed : 1;
        *e = law->kept * *e + mean;
        *a = law->kept * *a + fabsf(mean);
    }
    if (!capped)
        return share * (law->rate * mean);
    const float gain = n * share * law->alpha;
    return share * (law->rate * sum) * (gain > law->cap ? law->cap / gain : 1);
}

#endif
