"""Games of a trained network on a graphics card: the records of `Player.play`, to the last bit."""

import contextlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.cuda import device as machines
from tdl.cuda.device import Device, Launch, require_device_memory
from tdl.cuda.kernel_text import check_shape, constants_of, list_text, row_table, text_with
from tdl.errors import DivergenceError, refuse
from tdl.game.engine import EVALUATION
from tdl.game.lines import LineTables, tables_of
from tdl.game.rules import DRAW_ONE
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import Evaluator, PlacerOptions, SearchOptions
from tdl.storage.records import RECORD, Records
from tdl.training.options import Enough, OnProgress, PlayOptions

MAX_PLIES = 3

PLACES = 1 << 14
"""Games at once, at most."""

LOOKERS = 1 << 13
"""Warps that share the items of a search, at most: twice as many as an H100 has room for."""

TURNS = {1: 1024, 2: 256, 3: 16}
"""Moves of each game between two looks at how far they are, by plies: some hundredths of a second."""

POINTERS = ("weights", "rows", "games", "records", "progress", "items", "values")

CALL = np.dtype(
    [
        *((name, "<u8") for name in POINTERS),
        ("episodes", "<i8"),
        ("seed", "<u8"),
        *((name, "<i4") for name in ("games_n", "lookers", "moves", "turn")),
        *((name, "<f4") for name in ("gamma", "share")),
    ],
    align=True,
)
"""`tdl_judge` of judge_kernels.h."""

PLACE = np.dtype(
    [
        *(("board", "<u8", 2), ("stream", "<u8", 4), ("number", "<i8"), ("score", "<i8")),
        *((name, "<i4") for name in ("moves", "state")),
    ]
)
"""`tdl_game`."""

PROGRESS = np.dtype([(name, "<i8") for name in ("begun", "finished", "moves", "items", "items_2", "diverged")])
"""`tdl_judged`."""


def check_games(search: SearchOptions, placer: PlacerOptions) -> None:
    """Refuse a look ahead or drops that the kernels are not made for; what changes no move is ignored."""
    usual = SearchOptions()
    if search.plies > MAX_PLIES:
        raise refuse("plies", search.plies, f"at most {MAX_PLIES} with device=cuda")
    for name, text in {"cutoff": "0", "by_empty": "[]", "downgrade": "null", "seconds": "null"}.items():
        if getattr(search, name) != getattr(usual, name):
            raise refuse(f"search.{name}", getattr(search, name), f"{text} with device=cuda")
    if search.against == "adversary":
        raise refuse("search.against", "adversary", "placer or random with device=cuda")
    if placer.kind != "random":
        raise refuse("placer.kind", placer.kind, "random with device=cuda")


def check_player(player: Evaluator) -> Device:
    """Refuse values or a network that the kernels are not made for; gives the graphics card."""
    if player.target != "afterstate":
        raise refuse("target", player.target, "afterstate with device=cuda")
    check_shape(player.network.rules, player.network.tuples)
    return machines.open_device()


def play(player: Evaluator, episodes: int, options: PlayOptions, on_progress: OnProgress | None) -> Records:
    """Play games as `Player.play`.

    Raises
    ------
    ConfigError : games or a network that the kernels are not made for; no graphics card, or no memory on it.
    DivergenceError : the values are not finite or beyond all bounds.
    """
    check_games(options.search, options.placer)
    games = CudaGames(player, episodes, options, check_player(player))
    with contextlib.suppress(Enough):
        for finished, moves in games.play():
            if on_progress is not None:
                on_progress(finished, moves)
    return games.records


class CudaGames:
    """The games of an evaluation in the memory of a device."""

    def __init__(self, player: Evaluator, episodes: int, options: PlayOptions, device: Device) -> None:
        self.player, self.episodes, self.plies, self.device = player, episodes, options.search.plies, device
        self._turns, self._places = TURNS[self.plies], min(PLACES, max(1, episodes))
        self._items = 4 * self._places * spread_of(player.network, self.plies) if self.plies > 1 else 0
        text = text_of(player.network, tables_of(player.network.rules), self.plies)
        kernels = device.kernels(text, ("tdl_greedy",) if self.plies == 1 else ("tdl_look", "tdl_move"))
        self._make_arrays()
        call = self._new_call(options.seed)
        if self.plies == 1:
            self._queue = device.repeated([Launch(kernels["tdl_greedy"], self._places, call)], 1)
        else:
            self._queue = device.repeated(_rounds(kernels, call), self._turns // 2)

    def _make_arrays(self) -> None:
        weights, rows = self.player.network.weights, row_table(tables_of(self.player.network.rules))
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "weights": (weights.shape, np.float32),
            "rows": (rows.shape, rows.dtype),
            "games": ((self._places,), PLACE),
            "records": ((self.episodes,), RECORD),
            "progress": ((1,), PROGRESS),
            "items": ((self._items,), np.uint32),
            "values": ((self._items,), np.float32),
        }
        need = sum(math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in shapes.values())
        require_device_memory(self.device, need, "the network and its games")
        self._arrays = {name: self.device.zeros(*shape) for name, shape in shapes.items()}
        self._arrays["weights"].write(weights.astype(np.float32, copy=False))  # of 16 bits: the same numbers
        self._arrays["rows"].write(rows)

    def _new_call(self, seed: int) -> NDArray[np.void]:
        """What kernels are called with."""
        call = np.zeros((), CALL)
        for name, array in self._arrays.items():
            call[name] = array.pointer
        call["episodes"], call["seed"], call["moves"] = self.episodes, seed, self._turns
        call["games_n"], call["lookers"] = self._places, min(LOOKERS, self._items)
        call["gamma"], call["share"] = self.player.gamma, self.player.network.stages.share
        return call

    def play(self) -> Iterator[tuple[int, int]]:
        """Play all; yields the numbers of games and of moves so far."""
        finished, look = 0, self._queued()
        while finished < self.episodes:
            following = self._queued()  # while the host looks, the device plays on
            (state,) = look()
            finished, look = int(state["finished"]), following
            if state["diverged"]:
                raise DivergenceError("learning diverged: a value left +-1e+09 or is not a number")
            yield finished, int(state["moves"])

    def _queued(self) -> Callable[[], NDArray[np.void]]:
        self._queue()
        return self._arrays["progress"].later()

    @property
    def records(self) -> Records:
        """Of all games; those that are not finished are zero."""
        return self._arrays["records"].read()


def _rounds(kernels: dict[str, Any], call: NDArray[np.void]) -> list[Launch]:
    """Two rounds of a search: items are counted in turn in two places."""
    launches = []
    for turn in range(2):
        of_turn = call.copy()
        of_turn["turn"] = turn
        launches += [Launch(kernels["tdl_look"], int(call["lookers"]), of_turn)]
        launches += [Launch(kernels["tdl_move"], int(call["games_n"]), of_turn)]
    return launches


def text_of(network: NTupleNetwork, tables: LineTables, plies: int) -> str:
    """The text to compile, of a network's games with so many plies; `tables`: of its rules."""
    constants = constants_of(network, tables)
    constants |= {"PLIES": plies, "ROLE": f"{EVALUATION}u", "SPREAD": f"{spread_of(network, plies)}u"}
    if plies > 1:
        tiles, below = zip(*network.rules.thresholds, strict=True)
        shares = (f"{after - before}.0 / {DRAW_ONE}.0" for before, after in zip((0, *below), below, strict=False))
        constants |= {"TILES": list_text(tiles), "SHARES": list_text(shares)}
    return text_with(constants, Path(__file__).with_name("judge_kernels.h"))


def spread_of(network: NTupleNetwork, plies: int) -> int:
    """Items of a move, at most: with three plies one for each drop on its afterstate."""
    rules = network.rules
    return (rules.cells - 1) * len(rules.drop) if plies == MAX_PLIES else 1
