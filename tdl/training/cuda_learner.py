"""The batch learner on a graphics card: the bits of `BatchLearner`, by the kernels of batch_kernels.h.

What is learned lies on the card while games are played, and is copied when somebody asks for it.
"""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.cuda.device import Device, Launch, zeros_of
from tdl.cuda.kernel_text import image_entries, row_table
from tdl.errors import DivergenceError
from tdl.game.lines import LineTables
from tdl.learning.options import ACCUMULATORS, LearnerOptions
from tdl.network.ntuple import NTupleNetwork
from tdl.storage.records import RECORD
from tdl.training.batch_text import BATCH, ENDED, KERNELS, PROGRESS, TALLIES, TALLY, text_of
from tdl.training.lane_state import DIVERGED, UNIT, Lanes, law_of, reach_of, room_for_hits
from tdl.training.options import OnProgress, PlayOptions
from tdl.training.threads import batch_kernel

AHEAD = 2
"""Queues of steps at once: the card works on one while the host looks at what another came to."""

QUEUED = 1 << 19
"""Moves that are queued at once, about: those of some milliseconds."""

MIN_STEPS, MAX_STEPS = 8, 64
"""Steps that are queued at once."""


class CudaLearner:
    """A `BatchLearner` on a device.

    Parameters
    ----------
    network, tables, learner, play, state : as of `BatchLearner`; threads change nothing.
    device : that computes.

    Attributes
    ----------
    lanes : the games, as of `BatchLearner`, which are those of the device after `settle`.
    moves, games : so far, those on record; to be set when a training goes on.
    errors : the TD errors of the last call of `play`: (sum of absolute values in points, number).

    Raises
    ------
    ConfigError : a game or a network that the kernels are not made for, or too large for the device.
    """

    def __init__(
        self,
        network: NTupleNetwork,
        tables: LineTables,
        learner: LearnerOptions,
        play: PlayOptions,
        *,
        device: Device,
        state: Mapping[str, NDArray[Any]],
    ) -> None:
        self.network, self.tables, self.options, self.device = network, tables, learner, device
        self._host = batch_kernel(network)(network, tables, learner, play, state=state)
        self.lanes: Lanes = self._host.lanes
        self.moves, self.games, self.errors = 0, 0, (0.0, 0)
        # What both machines have, of which the device has the newest while `_is_there`.
        self._shared: dict[str, NDArray[Any]] = {"weights": network.weights, "lanes": self.lanes}
        self._shared |= {"sums": state[ACCUMULATORS]} if ACCUMULATORS in state else {}
        self._is_there = False
        self.steps = min(max(MIN_STEPS, QUEUED // len(self.lanes)), MAX_STEPS)
        self._compiled: dict[str, dict[str, Any]] = {}
        self._kernels(learner.step)
        self._make_arrays()
        self._call = self._new_call()
        self._queue: Callable[[], None] | None = None
        self._playing: dict[str, Any] = {}  # kernels that it queues

    def _kernels(self, kind: str) -> dict[str, Any]:
        """Those of a step, compiled when the kind of step size is met first."""
        if kind not in self._compiled:
            text = text_of(self.network, self.tables, self.options, kind)
            self._compiled[kind] = self.device.kernels(text, KERNELS)
        return self._compiled[kind]

    def _make_arrays(self) -> None:
        lanes, network = self.lanes, self.network
        reach, rows = reach_of(self.options.td_lambda), row_table(self.tables)
        # A game that begins on an empty board moves until the board is full, so a lane ends few games meanwhile.
        games = 2 + AHEAD * self.steps // max(1, network.rules.cells - len(network.rules.start))
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            **{name: (array.shape, array.dtype) for name, array in {**self._shared, "rows": rows}.items()},
            "hits": ((len(network.weights),), np.uint64),
            "todo": ((len(lanes), reach, -(-image_entries(network) // 4), 32), np.uint32),
            "todo_n": ((len(lanes),), np.int32),
            "tallies": ((TALLIES,), TALLY),
            "progress": ((1,), PROGRESS),
            "ended": ((games * len(lanes),), ENDED),
        }
        self._arrays = zeros_of(self.device, shapes, f"the network and {len(lanes):,} lanes")
        self._arrays["rows"].write(rows)
        self._room = games * len(lanes)

    def _new_call(self) -> NDArray[np.void]:
        """What kernels are called with, but for the law."""
        call, lanes = np.zeros((), BATCH), self.lanes
        for name, array in self._arrays.items():
            call[name] = array.pointer
        call["room"], call["moves_per_lane"] = self._room, self.options.moves_per_lane or 0
        call["shift"], call["limit"] = room_for_hits(self.network, len(lanes), reach_of(self.options.td_lambda))
        call["lanes_n"], call["lane_size"] = len(lanes), lanes.itemsize
        return call

    def set_step(self, alpha: float, kind: str) -> None:
        """The step size from now on, as `BatchLearner.set_step`."""
        self._host.set_step(alpha, kind)
        kernels, law = self._kernels(kind), law_of(self.network, self.options, alpha)
        if kernels is self._playing and law == self._call["law"]:
            return
        self._playing, self._call["law"] = kernels, law
        names = [name for name in KERNELS if name != "tdl_promote" or self.network.stride]
        warps = {"tdl_close": 1}
        launches = [Launch(kernels[name], warps.get(name, len(self.lanes)), self._call) for name in names]
        self._queue = self.device.repeated(launches, self.steps)

    @property
    def active(self) -> int:
        """How many lanes play in the next step."""
        self._host.moves = self.moves
        return self._host.active

    def settle(self) -> None:
        """Copy what was learned to the network, its state and the lanes: those count from now on."""
        if self._is_there:
            for name, array in self._shared.items():
                self._arrays[name].read(into=array)
            self._is_there = False

    def play(self, moves: int, on_progress: OnProgress | None = None) -> NDArray[np.void]:
        """Play steps until so many more moves are made, as `BatchLearner.play`.

        The kernels end where the moves do, whatever else is queued: so the device never waits for the host.
        """
        assert self._queue is not None
        first, until, lanes = self.moves, self.moves + moves, len(self.lanes)
        self.errors = 0.0, 0
        self._begin(until)
        looks, ended, seen = deque[Callable[[], NDArray[np.void]]](), [np.zeros(0, ENDED)], 0
        while self.moves < until:
            while not looks or (len(looks) < AHEAD and self.moves + len(looks) * self.steps * lanes < until):
                self._queue()
                looks.append(self._arrays["progress"].later())
            progress = looks.popleft()()[0]
            ended.append(self._ended(seen, seen := int(progress["ended"])))
            self.moves = int(progress["moves"])
            self.errors = int(progress["abs_error"]) / UNIT, int(progress["updates"])
            if progress["diverged"]:
                raise DivergenceError(DIVERGED)
            if on_progress is not None:
                on_progress(seen, self.moves - first)
        return self._records(np.concatenate(ended))

    def _begin(self, until: int) -> None:
        """Queue what a block begins with."""
        if not self._is_there:
            for name, array in self._shared.items():
                self._arrays[name].write(array)
            self._is_there = True
        progress = np.zeros(1, PROGRESS)
        progress["moves"], progress["active"], progress["until"] = self.moves, self.active, until
        self._arrays["progress"].write(progress)

    def _ended(self, first: int, end: int) -> NDArray[np.void]:
        """Some games of the list, which begins anew when it is full, in the order of steps and lanes."""
        assert end - first <= self._room
        low, length, array = first % self._room, end - first, self._arrays["ended"]
        parts = [(low, min(low + length, self._room)), (0, low + length - self._room)]
        rows = [array.rows(*part) for part in parts if part[1] > part[0]]
        ended = np.concatenate(rows or [np.zeros(0, ENDED)])
        return ended[np.lexsort((ended["lane"], ended["step"]))]  # np.sort takes ten times as long

    def _records(self, ended: NDArray[np.void]) -> NDArray[np.void]:
        records, rules = np.zeros(len(ended), RECORD), self.network.rules
        records["episode"] = np.arange(self.games, self.games + len(ended))
        records["score"], records["moves"] = ended["score"], ended["moves"]
        records["max_tile"] = np.array([rules.value(tile) for tile in range(2**rules.bits)])[ended["largest"]]
        self.games += len(ended)
        return records
