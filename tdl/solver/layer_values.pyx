"""The values of one layer of boards from those of the layers that follow it: means over drops, choices over moves."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from tdl.errors import ConfigError
from tdl.game.lines cimport LineTables
from tdl.solver.layers cimport (
    MAX_CELLS, Index, Layers, empty_shifts, find_board, find_layer, legal_moves, max_tile, tile_sum
)

cdef enum:
    MAX_LAW = 33          # tiles of a drop law

cdef struct Drop:
    # A tile that may drop, and the layer of the boards on which it has dropped.
    uint64_t tile
    double probability
    int64_t layer

cdef enum Choice:
    BEST                   # the largest move value
    RANDOM                 # every legal move equally often
    GREEDY                 # the move with the largest reward + gamma * own value, the first of equals

cdef struct Policy:
    # How move values become the value of a state.
    Choice choice
    int64_t reach          # 0: values are scores; else they are probabilities of a tile of this value
    const float *own       # GREEDY: the player's own value of each afterstate
    float gamma


def value_afterstates(Layers boards not None, int64_t layer, Layers following not None, const double[::1] values, law,
                      double[::1] out, int64_t reach=0):
    """Write the values of a layer of afterstates: means over the drops.

    Parameters
    ----------
    boards, layer : the afterstates, and which of their layers.
    following, values : the boards that a drop makes of them, float64 value of each.
    law : pairs (tile index, probability).
    out : float64, a place for each of `boards`; those of the layer are written.
    reach : 0, or a tile value: a board that has such a tile has the value 1.
    """
    cdef Drop drops[MAX_LAW]
    cdef int shift[MAX_CELLS]
    cdef int n = _drops_from(drops, law, boards, layer, following)
    cdef LineTables tables = boards.tables
    cdef uint64_t board
    cdef int64_t i, place, lost = 0
    cdef double total, of_tile
    cdef int empty, j, k
    with nogil:
        for i in range(boards.index.first[layer], boards.index.first[layer + 1]):
            board = boards.index.boards[i]
            if reach and max_tile(tables, board) >= reach:
                out[i] = 1
                continue
            empty, total = empty_shifts(tables, board, shift), 0
            for k in range(n):
                of_tile = 0
                for j in range(empty):
                    place = find_board(&following.index, drops[k].layer, board | drops[k].tile << shift[j])
                    if place < 0:
                        lost += 1
                    else:
                        of_tile += values[place]
                total += drops[k].probability * of_tile
            out[i] = total / empty
    if lost:
        raise AssertionError(f"{lost} boards after a drop are not among those known")


def value_states(Layers boards not None, int64_t layer, Layers afterstates not None, const double[::1] values,
                 double[::1] out, policy="best", int64_t reach=0, const float[::1] own=None, float gamma=1,
                 int64_t[::1] choices=None):
    """Write the values of a layer of states: what a player makes of the values of the afterstates.

    Parameters
    ----------
    boards, layer : the states, and which of their layers.
    afterstates, values : the boards after a move, float64 value of each.
    out : float64, a place for each of `boards`; those of the layer are written.
    policy : "best" the largest of reward + value; "random" the mean over the legal moves; "greedy" that of the move
        with the largest reward + gamma * own value (in float32), the first of equals.
    reach : 0, or a tile value: then rewards do not count, and a board that has such a tile has the value 1.
    own : of "greedy": float32, the player's own value of each of `afterstates`.
    choices : of "greedy", where wanted: the index of the chosen afterstate of each state, -1 where the game is over.
    """
    cdef Policy player = Policy({"best": BEST, "random": RANDOM, "greedy": GREEDY}[policy], reach, NULL, gamma)
    cdef LineTables tables = boards.tables
    cdef uint64_t after[4]
    cdef int32_t reward[4]
    cdef int64_t[4] place
    cdef int64_t i, chosen, lost = 0
    cdef int a, moves
    cdef int64_t *choice = NULL
    if player.choice == GREEDY:
        player.own = &own[0]
        if choices is not None:
            choice = &choices[0]
    with nogil:
        for i in range(boards.index.first[layer], boards.index.first[layer + 1]):
            moves = legal_moves(tables, boards.index.boards[i], after, reward)
            for a in range(moves):     # merges that keep the sum leave the afterstate in the layer's own sum
                place[a] = _find(tables, &afterstates.index, after[a])
                lost += place[a] < 0
            if lost:
                continue
            out[i] = _value_of_choice(&player, reward, place, moves, &values[0], &chosen)
            if choice != NULL:
                choice[i] = chosen
            if reach and max_tile(tables, boards.index.boards[i]) >= reach:
                out[i] = 1
    if lost:
        raise AssertionError(f"{lost} afterstates are not among those known")


def mark_drops(Layers boards not None, int64_t layer, Layers following not None, law,
               const unsigned char[::1] marked, unsigned char[::1] reached):
    """Mark in `reached` (of `following`) what drops make of the `marked` boards of a layer; the rest stays."""
    cdef Drop drops[MAX_LAW]
    cdef int shift[MAX_CELLS]
    cdef int n = _drops_from(drops, law, boards, layer, following)
    cdef int64_t i, place
    cdef int j, k
    with nogil:
        for i in range(boards.index.first[layer], boards.index.first[layer + 1]):
            if not marked[i]:
                continue
            for j in range(empty_shifts(boards.tables, boards.index.boards[i], shift)):
                for k in range(n):
                    place = find_board(
                        &following.index, drops[k].layer, boards.index.boards[i] | drops[k].tile << shift[j]
                    )
                    if place >= 0:
                        reached[place] = 1


def share_drops(Layers boards not None, int64_t layer, Layers following not None, law,
                const double[::1] shares, double[::1] out):
    """Add to `out` (of `following`) the shares that drops make of those of the boards of a layer."""
    cdef Drop drops[MAX_LAW]
    cdef int shift[MAX_CELLS]
    cdef int n = _drops_from(drops, law, boards, layer, following)
    cdef int64_t i, place
    cdef int empty, j, k
    with nogil:
        for i in range(boards.index.first[layer], boards.index.first[layer + 1]):
            if shares[i] == 0:
                continue
            empty = empty_shifts(boards.tables, boards.index.boards[i], shift)
            for j in range(empty):
                for k in range(n):
                    place = find_board(
                        &following.index, drops[k].layer, boards.index.boards[i] | drops[k].tile << shift[j]
                    )
                    if place >= 0:
                        out[place] += shares[i] * drops[k].probability / empty


cdef int _drops_from(Drop *drops, object law, Layers boards, int64_t layer, Layers following) except -1:
    """The drop law with the layer of `following` that each tile leads to from a layer of `boards`."""
    cdef int n = 0
    if len(law) > MAX_LAW:
        raise ConfigError(f"tiles.drop: {len(law)} tiles; the exact solver takes at most {MAX_LAW}")
    for tile, probability in law:
        total = boards.sums[layer] + boards.tables.rules.value(tile)
        drops[n] = Drop(tile, probability, find_layer(&following.index, total))
        n += 1
    return n


cdef inline int64_t _find(LineTables tables, const Index *index, uint64_t board) noexcept nogil:
    """Where a board stands, or -1."""
    return find_board(index, find_layer(index, tile_sum(tables, board)), board)


cdef inline double _value_of_choice(const Policy *player, const int32_t *reward, const int64_t *place, int moves,
                                    const double *values, int64_t *chosen) noexcept nogil:
    """What a player expects on a state, given its moves; 0 where there are none. `chosen` gets the afterstate, or -1.
    """
    cdef double best = 0, total = 0, value
    cdef float own, highest = 0
    cdef int a, selected = -1
    for a in range(moves):
        value = values[place[a]]
        if player.reach == 0:
            value += reward[a]
        total += value
        if player.choice == GREEDY:
            own = <float> reward[a] + player.gamma * player.own[place[a]]
            if selected < 0 or own > highest:
                selected, highest, best = a, own, value
        elif selected < 0 or value > best:
            selected, best = a, value
    chosen[0] = place[selected] if moves else -1
    if player.choice == RANDOM:
        return total / moves if moves else 0
    return best
