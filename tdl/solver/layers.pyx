"""Whole layers of boards at once: the kernels of the exact solver.

A layer is all boards of one kind (states, or afterstates) whose tiles have the same sum. Rules come from
`tdl.game.board` alone; boards are the unsigned 64-bit numbers that a packed board of at most 64 bits is.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint64_t

from tdl.errors import ConfigError
from tdl.game.board cimport board64, board128, cell_at, empty_cells, legal_afterstates, max_tile, put
from tdl.game.lines cimport LineTables

ctypedef fused packed_t:
    board64
    board128

cdef enum:
    MAX_LAW = 33          # tiles of a drop law
    MAX_IMAGES = 7        # of a board, beside itself
    MAX_SHIFTS = 112      # of all images: one for each cell at most

cdef struct Shift:
    # Cells that move by as many bits: to the left, or to the right where that is 0.
    uint64_t cells
    int left, right

cdef struct Fold:
    # The symmetric images of a board, each as shifts of its cells; `images` is 0 where boards are not folded.
    int images
    int first[MAX_IMAGES + 1]
    Shift shifts[MAX_SHIFTS]

cdef struct Index:
    # Where boards stand, for code without the GIL.
    const uint64_t *boards
    const int64_t *sums       # of each layer, ascending
    const int64_t *first      # where each layer begins in `boards`, and after the last where it ends
    int64_t layers
    const Fold *fold

cdef struct Drops:
    # A tile that may drop, and the layer of the boards on which it has dropped.
    int tile
    double probability
    int64_t layer

cdef struct Player:
    # How move values become the value of a state.
    int how                # one of the constants below
    int64_t reach          # 0: values are scores; else they are probabilities of a tile of this value
    const float *judged    # JUDGED: the player's own value of each afterstate
    float gamma

cdef enum:
    BEST                   # the largest move value
    RANDOM                 # every legal move equally often
    JUDGED                 # the move with the largest reward + gamma * judged, the first of equals


cdef class Folding:
    """Which boards count as one: each alone, or with its symmetric images the smallest of them as a number.

    Parameters
    ----------
    tables : of the game's rules; a board has at most 64 bits.
    images : for each symmetry of the board but the identity, which cell each cell goes to; empty: no folding.
    """
    cdef readonly LineTables tables
    cdef Fold fold

    def __init__(self, LineTables tables not None, images=()):
        cdef int n = 0
        self.tables = tables
        self.fold.images = len(images)
        for image, targets in enumerate(images):
            moves = {}
            for cell, target in enumerate(targets):
                by = (target - cell) * tables.bits
                moves[by] = moves.get(by, 0) | tables.rules.cell_mask << tables.bits * cell
            self.fold.first[image] = n
            for by, cells in moves.items():
                self.fold.shifts[n] = Shift(cells, max(by, 0), max(-by, 0))
                n += 1
            self.fold.first[image + 1] = n

    def apply(self, uint64_t[::1] boards):
        """Put the board that stands for it in the place of each."""
        cdef int64_t i
        if self.fold.images:
            for i in range(len(boards)):
                boards[i] = _smallest(&self.fold, boards[i])

    def count(self, const uint64_t[::1] boards):
        """How many boards those stand for that stand for others."""
        cdef int64_t i, total = 0
        for i in range(len(boards)):
            total += _images_of(&self.fold, boards[i])
        return total


cdef class Layers:
    """Boards in ascending order of the sum of their tile values, within a sum of their packed number.

    Parameters
    ----------
    folding : which boards count as one, and the tables of the game's rules.
    boards : uint64 array, in that order, without repetitions, each standing for those it is folded with.
    sums : int64 array: the sum of the tile values of each layer.
    first : int64 array: the index in `boards` at which each layer begins, and at its end the number of boards.
    """
    cdef readonly Folding folding
    cdef readonly LineTables tables
    cdef readonly object boards, sums, first
    cdef Index index

    def __init__(self, Folding folding not None, const uint64_t[::1] boards, const int64_t[::1] sums,
                 const int64_t[::1] first):
        if not len(boards) or len(first) != len(sums) + 1 or first[0] != 0 or first[len(sums)] != len(boards):
            raise ConfigError(f"layers: {len(sums)} layers of {len(boards)} boards do not fit together")
        if np.any(np.diff(np.asarray(first)) <= 0) or np.any(np.diff(np.asarray(sums)) <= 0):
            raise ConfigError("layers: their sums and beginnings must ascend")
        self.folding, self.tables = folding, folding.tables
        self.boards, self.sums, self.first = np.asarray(boards), np.asarray(sums), np.asarray(first)
        self.index = Index(&boards[0], &sums[0], &first[0], len(sums), &folding.fold)

    def __len__(self):
        return len(self.boards)

    def slice_of(self, layer):
        """The slice of `boards` that is a layer."""
        return slice(int(self.first[layer]), int(self.first[layer + 1]))

    def find(self, const uint64_t[::1] boards):
        """Where boards stand: int64 array of the shape of `boards`, -1 where one is not among them.

        A number with bits beyond the board is never among them.
        """
        found = np.empty(len(boards), np.int64)
        cdef int64_t[::1] out = found
        if len(boards) == 0:
            return found
        if self.tables.bits == 4:
            _find(self.tables, &self.index, &boards[0], len(boards), &out[0], <board64 *> NULL)
        else:
            _find(self.tables, &self.index, &boards[0], len(boards), &out[0], <board128 *> NULL)
        return found


def tile_sums(LineTables tables not None, const uint64_t[::1] boards):
    """The sum of the tile values of each board: int64 array."""
    sums = np.empty(len(boards), np.int64)
    cdef int64_t[::1] out = sums
    cdef int64_t i
    if tables.bits == 4:
        for i in range(len(boards)):
            out[i] = _sum_of(tables, boards[i], <board64 *> NULL)
    else:
        for i in range(len(boards)):
            out[i] = _sum_of(tables, boards[i], <board128 *> NULL)
    return sums


def largest_tile(LineTables tables not None, const uint64_t[::1] boards):
    """The value of the largest tile on any of the boards."""
    cdef int64_t i, largest = 0
    cdef board64 narrow
    cdef board128 wide
    for i in range(len(boards)):
        if tables.bits == 4:
            narrow = boards[i]
            largest = max(largest, max_tile(tables, &narrow))
        else:
            wide = boards[i]
            largest = max(largest, max_tile(tables, &wide))
    return largest


def moved(LineTables tables not None, const uint64_t[::1] boards):
    """The afterstates of all legal moves of all boards: uint64 array, in no order, with repetitions.

    Raises
    ------
    ConfigError : a move makes a tile larger than a cell can hold.
    """
    out = np.empty(4 * len(boards), np.uint64)
    cdef uint64_t[::1] view = out
    cdef int64_t count
    if len(boards) == 0:
        return out
    with nogil:
        if tables.bits == 4:
            count = _moved(tables, &boards[0], len(boards), &view[0], <board64 *> NULL)
        else:
            count = _moved(tables, &boards[0], len(boards), &view[0], <board128 *> NULL)
    if count < 0:
        rules = tables.rules
        raise ConfigError(
            f"size: a cell holds tiles up to {rules.value(rules.largest)}, and with these rules games come to larger "
            "ones; the exact solver cannot value such boards"
        )
    return out[:count]


def dropped(LineTables tables not None, const uint64_t[::1] boards, int tile):
    """Every board with `tile` on each of its empty cells in turn: uint64 array, in no order, with repetitions."""
    out = np.empty(tables.cells * len(boards), np.uint64)
    cdef uint64_t[::1] view = out
    cdef int64_t count
    if len(boards) == 0:
        return out
    with nogil:
        if tables.bits == 4:
            count = _dropped(tables, &boards[0], len(boards), tile, &view[0], <board64 *> NULL)
        else:
            count = _dropped(tables, &boards[0], len(boards), tile, &view[0], <board128 *> NULL)
    return out[:count]


def expected(Layers boards not None, int64_t layer, Layers following not None, const double[::1] worth, law,
             double[::1] out, int64_t reach=0):
    """Write the values of a layer of afterstates: means over the drops.

    Parameters
    ----------
    boards, layer : the afterstates, and which of their layers.
    following, worth : the boards that a drop makes of them, float64 value of each.
    law : pairs (tile index, probability).
    out : float64, a place for each of `boards`; those of the layer are written.
    reach : 0, or a tile value: a board that has such a tile is worth 1.
    """
    cdef Drops drops[MAX_LAW]
    cdef int n = _aimed(drops, law, boards, layer, following)
    cdef int64_t lost
    with nogil:
        if boards.tables.bits == 4:
            lost = _expected(boards.tables, &boards.index, layer, &following.index, &worth[0], drops, n, reach,
                             &out[0], <board64 *> NULL)
        else:
            lost = _expected(boards.tables, &boards.index, layer, &following.index, &worth[0], drops, n, reach,
                             &out[0], <board128 *> NULL)
    if lost:
        raise AssertionError(f"{lost} boards after a drop are not among those known")


def chosen(Layers boards not None, int64_t layer, Layers after not None, const double[::1] worth, double[::1] out,
           how="best", int64_t reach=0, const float[::1] judged=None, float gamma=1, int64_t[::1] choices=None):
    """Write the values of a layer of states: what a player makes of the values of the afterstates.

    Parameters
    ----------
    boards, layer : the states, and which of their layers.
    after, worth : the afterstates, float64 value of each.
    out : float64, a place for each of `boards`; those of the layer are written.
    how : "best" the largest of reward + value; "random" the mean over the legal moves; "judged" that of the move with
        the largest reward + gamma * judged (in float32), the first of equals.
    reach : 0, or a tile value: then rewards do not count, and a board that has such a tile is worth 1.
    judged : of "judged": float32, the player's own value of each of `after`.
    choices : of "judged", where wanted: the index of the chosen afterstate of each state, -1 where the game is over.
    """
    cdef Player player = Player({"best": BEST, "random": RANDOM, "judged": JUDGED}[how], reach, NULL, gamma)
    cdef int64_t *choice = NULL
    cdef int64_t lost
    if player.how == JUDGED:
        player.judged = &judged[0]
        if choices is not None:
            choice = &choices[0]
    with nogil:
        if boards.tables.bits == 4:
            lost = _chosen(boards.tables, &boards.index, layer, &after.index, &worth[0], &player, &out[0], choice,
                           <board64 *> NULL)
        else:
            lost = _chosen(boards.tables, &boards.index, layer, &after.index, &worth[0], &player, &out[0], choice,
                           <board128 *> NULL)
    if lost:
        raise AssertionError(f"{lost} afterstates are not among those known")


def mark_drops(Layers boards not None, int64_t layer, Layers following not None, law,
               const unsigned char[::1] marked, unsigned char[::1] reached):
    """Mark in `reached` (of `following`) what drops make of the `marked` boards of a layer; the rest stays."""
    cdef Drops drops[MAX_LAW]
    cdef int n = _aimed(drops, law, boards, layer, following)
    with nogil:
        if boards.tables.bits == 4:
            _mark_drops(boards.tables, &boards.index, layer, &following.index, drops, n, &marked[0], &reached[0],
                        <board64 *> NULL)
        else:
            _mark_drops(boards.tables, &boards.index, layer, &following.index, drops, n, &marked[0], &reached[0],
                        <board128 *> NULL)


cdef int _aimed(Drops *drops, object law, Layers boards, int64_t layer, Layers following) except -1:
    """The drop law with the layer of `following` that each tile leads to from a layer of `boards`."""
    cdef int n = 0
    if len(law) > MAX_LAW:
        raise ConfigError(f"tiles.drop: {len(law)} tiles; the exact solver takes at most {MAX_LAW}")
    for tile, probability in law:
        total = boards.sums[layer] + boards.tables.rules.value(tile)
        drops[n] = Drops(tile, probability, _layer_of(&following.index, total))
        n += 1
    return n


cdef inline uint64_t _image(const Fold *fold, int image, uint64_t board) noexcept nogil:
    """One of the symmetric images of a board."""
    cdef uint64_t out = 0
    cdef int i
    for i in range(fold.first[image], fold.first[image + 1]):
        out |= ((board & fold.shifts[i].cells) << fold.shifts[i].left) >> fold.shifts[i].right
    return out


cdef inline uint64_t _smallest(const Fold *fold, uint64_t board) noexcept nogil:
    """The board that stands for this one."""
    cdef uint64_t smallest = board
    cdef int image
    for image in range(fold.images):
        smallest = min(smallest, _image(fold, image, board))
    return smallest


cdef inline int _images_of(const Fold *fold, uint64_t board) noexcept nogil:
    """How many different images a board has, itself included: all, divided by how many are equal to it."""
    cdef int image, equal = 1
    for image in range(fold.images):
        equal += _image(fold, image, board) == board
    return (fold.images + 1) // equal


cdef inline int64_t _layer_of(const Index *index, int64_t total) noexcept nogil:
    """The layer whose sum is `total`, or -1."""
    cdef int64_t low = 0, high = index.layers, middle
    while low < high:
        middle = (low + high) >> 1
        if index.sums[middle] < total:
            low = middle + 1
        else:
            high = middle
    return low if low < index.layers and index.sums[low] == total else -1


cdef inline int64_t _place_of(const Index *index, int64_t layer, uint64_t board) noexcept nogil:
    """Where a board stands, given its layer (-1: nowhere), or -1."""
    cdef const uint64_t *base
    cdef int64_t n, half
    if layer < 0:
        return -1
    board = _smallest(index.fold, board)
    base = index.boards + index.first[layer]
    n = index.first[layer + 1] - index.first[layer]
    while n > 1:     # a step without a branch: which way it goes cannot be predicted
        half = n >> 1
        base += half * (base[half] <= board)
        n -= half
    return base - index.boards if base[0] == board else -1


cdef inline int64_t _sum_of(LineTables tables, uint64_t key, const packed_t *kind) noexcept nogil:
    """The sum of the tile values of a board."""
    cdef packed_t board = <packed_t> key
    cdef int64_t total = 0
    cdef int cell
    for cell in range(tables.cells):
        total += tables.values[cell_at(&board, cell)]
    return total


cdef void _find(LineTables tables, const Index *index, const uint64_t *boards, int64_t n, int64_t *out,
                const packed_t *kind) noexcept nogil:
    cdef int used = tables.cells * tables.bits
    cdef uint64_t beyond = ~((<uint64_t> 1 << used) - 1) if used < 64 else 0
    cdef int64_t i
    for i in range(n):
        out[i] = -1
        if not boards[i] & beyond:
            out[i] = _place_of(index, _layer_of(index, _sum_of(tables, boards[i], kind)), boards[i])


cdef int64_t _moved(LineTables tables, const uint64_t *boards, int64_t n, uint64_t *out,
                    const packed_t *kind) noexcept nogil:
    """How many afterstates were written; -1 when a move earns as much as a tile above the largest is worth.

    Only merges of the largest tiles do: the sum of the board would no longer tell its layer.
    """
    cdef packed_t board
    cdef packed_t after[4]
    cdef int32_t reward[4]
    cdef int action[4]
    cdef int a, moves
    cdef int64_t i, count = 0, too_much = tables.values[tables.law.largest + 1]
    for i in range(n):
        board = <packed_t> boards[i]
        moves = legal_afterstates(tables, &board, after, reward, action)
        for a in range(moves):
            if reward[a] >= too_much:
                return -1
            out[count] = <uint64_t> after[a]
            count += 1
    return count


cdef int64_t _dropped(LineTables tables, const uint64_t *boards, int64_t n, int tile, uint64_t *out,
                      const packed_t *kind) noexcept nogil:
    cdef packed_t board, following
    cdef int64_t i, count = 0
    cdef int cell
    for i in range(n):
        board = <packed_t> boards[i]
        for cell in range(tables.cells):
            if cell_at(&board, cell) == 0:
                following = board
                put(&following, cell, tile)
                out[count] = <uint64_t> following
                count += 1
    return count


cdef int64_t _expected(LineTables tables, const Index *index, int64_t layer, const Index *following,
                       const double *worth, const Drops *drops, int n, int64_t reach, double *out,
                       const packed_t *kind) noexcept nogil:
    """The number of boards that were looked for in vain."""
    cdef packed_t board, after_drop
    cdef int64_t i, place, lost = 0
    cdef double total, of_tile
    cdef int cell, k
    for i in range(index.first[layer], index.first[layer + 1]):
        board = <packed_t> index.boards[i]
        if reach and max_tile(tables, &board) >= reach:
            out[i] = 1
            continue
        total = 0
        for k in range(n):
            of_tile = 0
            for cell in range(tables.cells):
                if cell_at(&board, cell) == 0:
                    after_drop = board
                    put(&after_drop, cell, drops[k].tile)
                    place = _place_of(following, drops[k].layer, <uint64_t> after_drop)
                    if place < 0:
                        lost += 1
                    else:
                        of_tile += worth[place]
            total += drops[k].probability * of_tile
        out[i] = total / empty_cells(tables, &board)
    return lost


cdef int64_t _chosen(LineTables tables, const Index *index, int64_t layer, const Index *after_index,
                     const double *worth, const Player *player, double *out, int64_t *choice,
                     const packed_t *kind) noexcept nogil:
    """The number of afterstates that were looked for in vain."""
    cdef packed_t board
    cdef packed_t after[4]
    cdef int32_t reward[4]
    cdef int action[4]
    cdef int64_t[4] place
    cdef int64_t i, total, lost = 0
    cdef int a, moves
    for i in range(index.first[layer], index.first[layer + 1]):
        board = <packed_t> index.boards[i]
        moves = legal_afterstates(tables, &board, after, reward, action)
        for a in range(moves):     # merges that keep the sum leave the afterstate in the layer's own sum
            total = _sum_of(tables, <uint64_t> after[a], kind)
            place[a] = _place_of(after_index, _layer_of(after_index, total), <uint64_t> after[a])
            lost += place[a] < 0
        if lost:
            continue
        out[i] = _value_of_choice(player, reward, place, moves, worth, NULL if choice == NULL else &choice[i])
        if player.reach and max_tile(tables, &board) >= player.reach:
            out[i] = 1
    return lost


cdef inline double _value_of_choice(const Player *player, const int32_t *reward, const int64_t *place, int moves,
                                    const double *worth, int64_t *choice) noexcept nogil:
    """What a player expects on a state, given its moves; 0 where there are none."""
    cdef double best = 0, total = 0, value
    cdef float judgement, highest = 0
    cdef int a, selected = -1
    for a in range(moves):
        value = worth[place[a]]
        if player.reach == 0:
            value += reward[a]
        total += value
        if player.how == JUDGED:
            judgement = <float> reward[a] + player.gamma * player.judged[place[a]]
            if selected < 0 or judgement > highest:
                selected, highest, best = a, judgement, value
        elif selected < 0 or value > best:
            selected, best = a, value
    if choice != NULL:
        choice[0] = place[selected] if moves else -1
    if player.how == RANDOM:
        return total / moves if moves else 0
    return best


cdef void _mark_drops(LineTables tables, const Index *index, int64_t layer, const Index *following,
                      const Drops *drops, int n, const unsigned char *marked, unsigned char *reached,
                      const packed_t *kind) noexcept nogil:
    cdef packed_t board, after_drop
    cdef int64_t i, place
    cdef int cell, k
    for i in range(index.first[layer], index.first[layer + 1]):
        if not marked[i]:
            continue
        board = <packed_t> index.boards[i]
        for cell in range(tables.cells):
            if cell_at(&board, cell) == 0:
                for k in range(n):
                    after_drop = board
                    put(&after_drop, cell, drops[k].tile)
                    place = _place_of(following, drops[k].layer, <uint64_t> after_drop)
                    if place >= 0:
                        reached[place] = 1
