"""Games of a trained network on a GPU: the records of `Player.play`, to the last bit."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tdl.cuda.device import Array, Device, Launch
from tdl.cuda.kernel_text import constants_of, list_text, row_table, text_with
from tdl.errors import DivergenceError, refuse
from tdl.game.engine import EVALUATION
from tdl.game.lines import LineTables
from tdl.game.rules import DRAW_ONE
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.storage.records import RECORD, Records
from tdl.training.options import Enough, OnProgress, PlayOptions

if TYPE_CHECKING:
    from tdl.players.player import Player  # which plays by this module

MAX_PLIES = 3

PLACES = 1 << 14
"""Games at once, at most."""

LOOKERS = 1 << 13
"""Warps that share the items of a search, at most: as many as an H100 has room for."""

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


def check_search(search: SearchOptions, placer: PlacerOptions) -> None:
    """Refuse a look ahead, or drops, that the kernels are not made for; whatever changes no move is ignored."""
    usual = SearchOptions()
    if search.plies > MAX_PLIES:
        raise refuse("plies", search.plies, f"at most {MAX_PLIES} with device=cuda")
    for name in ("cutoff", "by_empty", "downgrade", "seconds"):
        if getattr(search, name) != getattr(usual, name):
            text = {None: "null", (): "[]"}.get(getattr(usual, name), "0")
            raise refuse(f"search.{name}", getattr(search, name), f"{text} with device=cuda")
    if search.against == "adversary":
        raise refuse("search.against", "adversary", "placer or random with device=cuda")
    if placer.kind != "random":
        raise refuse("placer.kind", placer.kind, "random with device=cuda")


def play(
    player: "Player", episodes: int, options: PlayOptions, on_progress: OnProgress | None, device: Device
) -> Records:
    """Play games as `Player.play`.

    Raises
    ------
    ConfigError : a game, network or search that the kernels are not made for, or no memory for it.
    DivergenceError : the values are not finite or beyond all bounds.
    """
    games = CudaGames(player, episodes, options, device)
    for finished, moves in games.play():
        if on_progress is not None:
            try:
                on_progress(finished, moves)
            except Enough:
                break
    return games.records


class CudaGames:
    """The games of an evaluation in the memory of a device."""

    def __init__(self, player: "Player", episodes: int, options: PlayOptions, device: Device) -> None:
        check_search(options.search, options.placer)
        if player.target != "afterstate":
            raise refuse("target", player.target, "afterstate with device=cuda")
        network, plies = player.network, options.search.plies
        kernels = device.kernels(text_of(network, player.engine.tables, plies), names_of(plies))
        self.episodes, self._turns = episodes, TURNS[plies]
        places = max(1, min(PLACES, episodes))
        items = 4 * places * spread_of(network, plies) if plies > 1 else 0
        self._arrays: dict[str, Array] = {
            "weights": device.array(network.weights.astype(np.float32, copy=False)),
            "rows": device.array(row_table(player.engine.tables)),
            "games": device.zeros(places, PLACE),
            "records": device.zeros(episodes, RECORD),
            "progress": device.zeros(1, PROGRESS),
            "items": device.zeros(2 * items, np.uint32),
            "values": device.zeros(items, np.float32),
        }
        call = np.zeros((), CALL)
        for name, array in self._arrays.items():
            call[name] = array.pointer
        call["episodes"], call["seed"], call["games_n"] = episodes, options.seed, places
        call["lookers"], call["moves"] = min(LOOKERS, items), TURNS[plies]
        call["gamma"], call["share"] = player.gamma, network.stages.share
        launches = [Launch(kernels["tdl_greedy"], places, call)] if plies == 1 else _rounds(kernels, call)
        self._queue = device.repeated(launches, 1 if plies == 1 else TURNS[plies] // 2)

    def play(self) -> Iterator[tuple[int, int]]:
        """Play all; yields the numbers of games and of moves so far."""
        finished, queued = 0, self._queued()
        while finished < self.episodes:
            following = self._queued()  # while the host looks at the progress, the device plays on
            (state,) = queued()
            finished, queued = int(state["finished"]), following
            if state["diverged"]:
                raise DivergenceError("learning diverged: a value left +-1e+09 or is not a number")
            yield finished, int(state["moves"])

    def _queued(self) -> Any:
        self._queue()
        return self._arrays["progress"].later()

    @property
    def records(self) -> Records:
        """Of all games; those that are not finished are zero."""
        return self._arrays["records"].read()


def _rounds(kernels: dict[str, Any], call: NDArray[np.void]) -> list[Launch]:
    """Two rounds of a search, each with a list of its own."""
    launches = []
    for turn in range(2):
        of_turn = call.copy()
        of_turn["turn"] = turn
        launches += [Launch(kernels["tdl_look"], int(call["lookers"]), of_turn)]
        launches += [Launch(kernels["tdl_move"], int(call["games_n"]), of_turn)]
    return launches


def names_of(plies: int) -> tuple[str, ...]:
    """The kernels of a text."""
    return ("tdl_greedy",) if plies == 1 else ("tdl_look", "tdl_move")


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
