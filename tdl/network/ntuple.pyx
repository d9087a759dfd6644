"""The n-tuple network for Python: building it, asking for values, reading its tables."""

import copy
import os
from functools import partial

import numpy as np

from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t

from tdl.base.checks import check_instance, check_value, check_whole, without_numpy
from tdl.errors import refuse
from tdl.game.board cimport board64, board128, board_array, board_t
from tdl.game.boards import read_board, packed_boards
from tdl.game.downgrade cimport merging_of
from tdl.game.rules import checked_rules
from tdl.base.machine import allocate, require_memory
from tdl.network.index cimport (TDL_INDEX_SETS, activate_all, plan_extras, plan_tuples, tdl_check, tdl_extras_choose,
                                tdl_index_choose, tdl_index_has, tdl_index_names)
from tdl.network.layout import Paired16, layout_for, next_region
from tdl.network.stages import Stages
from tdl.network.stages cimport is_later, stage_indices, total_promoted
from tdl.network.texts import network_text
from tdl.network.tuples import count_features, order_features, tuple_set
from tdl.network.tuples import features as features_of_set
from tdl.network.weights cimport total, total_of_halves

DTYPES = (np.float32, np.float16)
"""Types of weights."""


cdef class NTupleNetwork:
    """V(board) = sum over the features of one table entry each: of tuples, then of orders, then of counts.

    Parameters
    ----------
    rules : `Rules`; None: 2048 on 4x4.
    tuples : `TupleSet`, the name of one ("4x6"), or lists of cells, as `tuple_set` takes them.
    stages : `Stages`; None: one stage.
    initial_value : V of every board before learning, in points, split over the active entries.
    weights : float32 array in memory order to use in place (a read-only one cannot learn), or a float16 array, which
        takes half of the memory and only plays; None makes a new one.

    Attributes
    ----------
    weights : array of all tables in memory order (see `tdl.network.layout`), one copy after the other for the
        stages; nan in a later stage: no weight of its own yet. Changing it changes the network.
    stride : entries from one stage to the next; 0 where there is one.
    m : active entries of a board; a total step size is divided by it.
    extras : whether there are features that are no tuples.

    Raises
    ------
    ConfigError : tuples that are not on the board, weights of another shape, float16 that are not finite; of a new
        network also tuples that are images of one another, and more weights than the memory that is free has room for.
    """

    def __cinit__(self, rules=None, tuples=None, *, stages=None, initial_value=0.0, weights=None):
        self.rules = rules = checked_rules(rules)
        self.tuples = tuples = tuple_set(tuples, rules)
        self.stages = Stages() if stages is None else stages
        check_instance("stages", self.stages, Stages, "as Stages((2048, 8192))")
        initial_value = without_numpy(initial_value)
        check_value("initial_value", initial_value)
        self.features = tuple(features_of_set(tuples, rules.rows, rules.cols))
        self.orders = tuple(order_features(tuples, rules.rows, rules.cols))
        self.counts = tuple(count_features(tuples, rules.rows, rules.cols))
        self.extras = bool(self.orders or self.counts)
        every = (*self.features, *self.orders, *self.counts)
        self.m = len(every)
        if self.m > MAX_FEATURES:
            raise refuse("tuples", f"{self.m} features", f"at most {MAX_FEATURES}")
        lengths = {table: len(read) for table, read in every}
        self.lengths = tuple(lengths[table] for table in range(len(lengths)))
        radix = rules.radix if tuples.radix is None else tuples.radix
        if radix > rules.largest + 1:
            raise refuse("tuples.radix", radix, f"at most {rules.largest + 1}, the tiles of a cell of this board")
        largest = max((tile for _, tiles in self.counts for tile in tiles), default=0)
        if largest > rules.largest:
            raise refuse("tuples.counts", largest, f"at most {rules.largest}, the largest tile index of this board")
        self.layout = layout_for(tuples, rules.rows, rules.cols, radix)
        self._copy_stages()
        entries = self.stride * (self.stages.count - 1) + self.layout.entries
        if weights is None:
            tuples.check_repeats(rules.rows, rules.cols)
            weights = self._new_weights(entries, initial_value)
        else:
            check_instance("weights", weights, np.ndarray)
            if weights.shape != (entries,) or weights.dtype not in DTYPES or not weights.flags.c_contiguous:
                expected = f"({entries},) float32 or float16, without gaps"
                raise refuse("weights", f"{weights.shape} {weights.dtype}", expected)
        self._take_weights(weights)
        self._plan_arrays = plan_tuples(&self.plan, self.features, self.layout, rules.cells)
        if self.extras:
            self._plan_arrays += plan_extras(&self.plan, &self.plan_of_extras, self)
        self.use_instructions(os.environ.get("TDL_INSTRUCTIONS") or None)

    cdef _copy_stages(self):
        cdef int i
        self.law.count, self.law.by_sum = self.stages.count, self.stages.by == "sum"
        self.law.cells = self.rules.cells
        for i in range(self.rules.largest + 1):
            self.law.value[i] = self.rules.value(i)
        for i, threshold in enumerate(self.stages.thresholds):
            self.law.threshold[i] = threshold
        stride = next_region(self.layout.entries) if self.stages.count > 1 else 0
        if stride * self.stages.count > 2**32:
            raise refuse("learner.stages", f"{stride * self.stages.count:,} weights", f"at most {2**32:,}")
        self.law.stride, self.law.share = stride, self.stages.share
        if self.stages.downgrade is not None:
            self.law.largest, self.law.merging = self.stages.downgrade, merging_of(self.rules)

    cdef _new_weights(self, entries, float initial_value):
        what = f"the network's {entries:,} weights"
        require_memory("tuples", 4 * entries, what)
        if entries > 2**32:
            raise refuse("tuples", f"{entries:,} weights", f"at most {2**32:,}")
        weights = allocate("tuples", entries, what)
        if initial_value:
            weights.fill(initial_value / self.m)
        if self.stages.promotion:
            weights[self.stride or entries :] = np.nan
        return weights

    cdef _take_weights(self, weights):
        cdef const float[::1] floats
        cdef const uint16_t[::1] halves
        self.weights = weights
        if weights.dtype == np.float32:
            floats = weights
            self.w = <float *> &floats[0]
        else:
            check_finite(weights)
            halves = weights.view(np.uint16)
            self.halves = <uint16_t *> &halves[0]

    @staticmethod
    def instruction_sets():
        """The instruction sets this build and this CPU can use, slowest first."""
        return [tdl_index_names[i].decode() for i in range(TDL_INDEX_SETS) if tdl_index_has(i)]

    def use_instructions(self, name=None):
        """Choose the instruction set of the index function (None: the fastest). All give the same bits.

        Raises
        ------
        ConfigError : this build or this CPU does not have it.
        """
        names = self.instruction_sets()
        name = names[-1] if name is None else name
        if not isinstance(name, str) or name not in names:
            raise refuse("TDL_INSTRUCTIONS", name, f"one of {names}")
        for i in range(TDL_INDEX_SETS):
            if tdl_index_names[i].decode() == name:
                tdl_index_choose(&self.plan, i, not isinstance(self.layout, Paired16))
                tdl_extras_choose(&self.plan_of_extras, i)
        self.instructions = name

    def entries(self, board):
        """The memory indices of the active entries of a board, in its stage's tables: uint32 array of shape (m,).

        Raises
        ------
        ConfigError : no board of these rules; `value` raises it, too.
        """
        board = read_board(board, self.rules)
        out = np.empty(self.plan.padded, np.uint32)
        cdef uint32_t[::1] entry = out
        cdef board64 nibbles
        cdef board128 fives
        if self.rules.bits == 4:
            nibbles = board
            activate_in_stage(self, &nibbles, &entry[0])
        else:
            fives = board
            activate_in_stage(self, &fives, &entry[0])
        return out[: self.m]

    def value(self, board):
        """V of a board (an afterstate, or a state where states are learned), in points.

        Parameters
        ----------
        board : packed, or rows of tile values.
        """
        cdef const uint32_t[::1] entry = self.entries(board)
        return value_of_entries(self, &entry[0])

    def values(self, boards):
        """V of many boards of at most 64 bits: float32 array of shape (n,).

        Parameters
        ----------
        boards : packed boards, an array of shape (n,); or a list of boards, each packed or rows of tile values.

        Raises
        ------
        ConfigError : the boards of these rules need more than 64 bits, or one is no board of them.
        """
        cdef const uint64_t[::1] numbers = packed_boards(boards, self.rules)
        out = np.empty(len(numbers), np.float32)
        cdef float[::1] value = out
        if self.rules.bits == 4:
            _values(self, numbers, <board64 *> NULL, value)
        else:
            _values(self, numbers, <board128 *> NULL, value)
        return out

    def table(self, number, stage=0):
        """A copy of one table in natural order: float32, shape (layout.size(number),).

        A tuple's is radix**n, first cell least significant; `tdl.network.network_reference` has the order of others.
        """
        return self.weights[self.table_entries(number, stage)].astype(np.float32, copy=False)

    def set_table(self, number, values, stage=0):
        """Replace one table by values in natural order.

        Raises
        ------
        ConfigError : another number of values than the table has entries, a value beyond 16 bits where weights have
            16, or no such table or stage.
        """
        self._check_table(number, stage)
        try:
            values = np.asarray(values, np.float32)
        except (TypeError, ValueError, OverflowError):
            raise refuse(f"table {number}", values, "numbers") from None
        if values.shape != (self.layout.size(number),):
            raise refuse(f"table {number}", values.shape, f"shape ({self.layout.size(number)},)")
        if self.halves != NULL:
            with np.errstate(over="ignore"):
                check_finite(values.astype(np.float16))
        self.weights[self.table_entries(number, stage)] = values

    def table_entries(self, number, stage=0):
        """Where the entries of one table are in `weights`, in natural order: int64 array.

        Raises
        ------
        ConfigError : no such table or stage.
        """
        self._check_table(number, stage)
        natural = np.arange(self.layout.size(number), dtype=np.uint32)
        return self.layout.map(number, natural).astype(np.int64) + stage * self.stride

    cdef _check_table(self, number, stage):
        check_whole("table", without_numpy(number), 0, len(self.lengths))
        check_whole("stage", without_numpy(stage), 0, self.stages.count)

    @property
    def stride(self):
        """Entries from one stage to the next; 0 where there is one."""
        return self.law.stride

    def __reduce__(self):
        weights = np.frombuffer(self.weights.data, self.weights.dtype)    # joblib asks the map of a file for its name
        further = getattr(self, "__dict__", None)    # attributes of a class of one's own
        return partial(type(self), stages=self.stages, weights=weights), (self.rules, self.tuples), further

    def __deepcopy__(self, memo):
        weights = allocate("network", len(self.weights), "the weights of a copy", self.weights.dtype.type)
        np.copyto(weights, self.weights)
        copied = type(self)(self.rules, self.tuples, stages=self.stages, weights=weights)
        if further := getattr(self, "__dict__", None):
            vars(copied).update(copy.deepcopy(further, memo))
        return copied

    def __repr__(self):
        return network_text(self)

    def describe(self):
        """What identifies the network, for `meta.json`: a checkpoint fits when these are equal."""
        described = {"tuples": self.tuples.to_dict(), "radix": self.layout.radix, "layout": self.layout.name}
        return described | ({"stages": self.stages.to_dict()} if self.stages.count > 1 else {})


def check_finite(weights):
    """Refuse weights of half precision whose sums the kernels would not add up right."""
    # Bits of numbers that are not finite are the largest, as signed numbers or, with a sign, as unsigned ones.
    if weights.view(np.int16).max() >= 0x7c00 or weights.view(np.uint16).max() >= 0xfc00:
        at = int(np.isfinite(weights).argmin())
        raise refuse(f"weights[{at}]", float(weights[at]), "a finite number where weights have 16 bits")


cdef inline void activate_in_stage(NTupleNetwork network, const board_t *board, uint32_t *entry) noexcept:
    """The active entries of a board, in the tables of its stage."""
    activate_all(&network.plan, board, 1, entry)
    tdl_check(&network.plan, entry, 1)
    if network.law.count > 1:
        stage_indices(&network.law, &network.plan, board, entry, network.m)


cdef inline float value_of_entries(NTupleNetwork network, const uint32_t *entry) noexcept:
    if network.halves != NULL:
        return total_of_halves(network.halves, entry, network.m)
    cdef float value = total(network.w, entry, network.m)
    if value != value and network.law.count > 1 and is_later(&network.law, entry):
        return total_promoted(&network.law, network.w, entry, network.m)    # some have no weight yet
    return value


cdef _values(NTupleNetwork network, const uint64_t[::1] packed, const board_t *kind, float[::1] value):
    cdef board_t board
    cdef int64_t i
    room = np.empty(network.plan.padded, np.uint32)
    cdef uint32_t[::1] entry = room
    for i in range(len(packed)):
        if board_t is not board_array:
            board = packed[i]
            activate_in_stage(network, &board, &entry[0])
            value[i] = value_of_entries(network, &entry[0])
