"""Games in step, and games without learning, on a CPU or a graphics card: their speed, and its share of the limit.

The limit of a card is how many sectors of 32 bytes it can ask for in a second: random loads of 4 bytes from a table of
16 MiB, which its second-level cache holds, and from one as large as the weights. What a move asks for is counted from
the network and games of that training, each sector once: weights of all legal afterstates and of the last one; of the
board that learns the hits, which are read and written twice, and weights and sums, once.
"""

import shutil
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from tdl.base.checks import check_above_zero, check_whole
from tdl.base.machine import require_memory
from tdl.benchmarks import Report
from tdl.benchmarks.peer import peer_speed, peer_words
from tdl.benchmarks.train import BLOCK
from tdl.benchmarks.versus import in_turn, paired
from tdl.config.files import group_file
from tdl.config.tuple_sets import tuple_set
from tdl.cuda import device as machines
from tdl.cuda.device import CPU, CUDA, DEVICES, Device, Launch
from tdl.cuda.kernel_text import text_with
from tdl.errors import ConfigError, DivergenceError, refuse
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.learning.options import STEP_ARRAYS
from tdl.network.ntuple import NTupleNetwork
from tdl.players.player import Player
from tdl.runs import environment
from tdl.search.options import SearchOptions
from tdl.statistics.intervals import ratio_text
from tdl.training.batches import LANES
from tdl.training.lane_state import MAX_LANES
from tdl.training.options import Enough, PlayOptions
from tdl.training.trainer import Trainer

SETS = ("4x6", "8x6", "8x6_count_redundant", "8x7")

PEER_SETS = ("4x6", "8x6")
"""Those that the peer has."""

LEARNERS: dict[str, dict[str, Any]] = {"td": {}, "tc": {"td_lambda": 0.5}}

DEFAULTS: dict[str, dict[str, Any]] = {
    CPU: {"lanes": [1024], "blank": 1_000_000, "state": 3_000_000, "games": 20, "searched": 1},
    CUDA: {
        "lanes": [2_048, 8_192, 32_768, 131_072],
        "blank": 100_000_000,
        "state": 300_000_000,
        "games": 10_000,
        "searched": 1_000,
    },
}
"""What is measured by device: some seconds of each setting."""

PLIES = 3
"""Of the searched games."""

SAMPLE = 256
"""Lanes whose sectors are counted."""

SECTOR = 32
"""Bytes that a card reads at least."""

CACHED = 16 << 20
"""Bytes of the small table of random loads."""

LOADS = np.dtype(
    [("table", "<u8"), ("sum", "<u8"), ("entries", "<u4"), ("warps", "<i4"), ("loads", "<i4"), ("unused", "<i4")]
)
"""`tdl_loads` of random_loads.h."""

WARPS, LOADS_EACH = 1 << 14, 64
"""Of a launch, and those of a thread, at most."""


def arguments(parser: ArgumentParser) -> None:
    few, many = DEFAULTS[CPU], DEFAULTS[CUDA]
    lanes = (" ".join(map(str, part["lanes"])) for part in (few, many))
    parser.add_argument("--device", default=CPU, choices=DEVICES, help="(cpu)")
    parser.add_argument("--tuples", nargs="+", default=SETS, help=f"named tuple sets ({' '.join(SETS)})")
    parser.add_argument("--learner", default="tc", choices=LEARNERS, help="tc: with lambda 0.5 (tc)")
    parser.add_argument("--lanes", type=int, nargs="+", help="({}; cuda: {})".format(*lanes))
    for name, meaning in {
        "blank": "moves of each measurement",
        "state": "moves before the second one; 0: none",
        "games": "greedy games",
        "searched": f"games with {PLIES} plies",
    }.items():
        parser.add_argument(f"--{name}", type=int, help=f"{meaning} ({few[name]}; cuda: {many[name]})")
    parser.add_argument("--seconds", type=float, default=10.0, help="after which no more games are waited for (10)")
    parser.add_argument("--loads", type=int, default=1 << 30, help="random loads from a table (2^30)")
    parser.add_argument("--tdl2048", metavar="PATH", help=f"train {' and '.join(PEER_SETS)} with this binary in turn")
    parser.add_argument("--episodes", type=int, default=5_000, help="of the binary (5000)")
    parser.add_argument("--pairs", type=int, default=2, help="turns of each program (2)")


def measure(options: Namespace) -> Report:
    """Moves per second by tuple set and lanes; games per second; the share of the card's limit."""
    _check(options)
    figures = {
        "device": machines.open_device().name if options.device == CUDA else CPU,
        **{name: getattr(options, name) for name in ("learner", "blank", "state")},
        "sets": {name: _set_or_reason(options, name) for name in options.tuples},
        **environment.describe(NTupleNetwork(Rules(), tuple_set("2x4")).instructions),
    }
    return Report(figures, text_of(figures))


def _check(options: Namespace) -> None:
    for name, value in DEFAULTS[options.device].items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    for lanes in options.lanes:
        check_whole("--lanes", lanes, 1, MAX_LANES + 1)
    for name, least in {"blank": 1, "state": 0, "games": 0, "searched": 0, "loads": 1, "pairs": 1}.items():
        check_whole(f"--{name}", getattr(options, name), least)
    check_above_zero("--seconds", options.seconds)
    for name in options.tuples:
        tuple_set(name, Rules())
    if options.episodes < BLOCK or options.episodes % BLOCK:
        raise refuse("--episodes", options.episodes, f"a multiple of {BLOCK}")
    if options.tdl2048 is not None and not shutil.which(options.tdl2048):
        raise refuse("--tdl2048", options.tdl2048, "a program")


def _set_or_reason(options: Namespace, name: str) -> dict[str, Any]:
    """The figures of a tuple set, or why there are none: it does not fit into the memory, or diverges."""
    try:
        return measured(options, name)
    except (ConfigError, DivergenceError) as error:
        return {"left_out": str(error)}


def measured(options: Namespace, name: str) -> dict[str, Any]:
    """The figures of a tuple set."""
    trainer: Any = None
    by_lanes = {}
    for lanes in tqdm(options.lanes, name, disable=None, leave=False):
        trainer = None  # its memory is free before the next one asks for it
        trainer = new_trainer(options, name, lanes)
        by_lanes[str(lanes)] = speeds(trainer, options)
    network, sample = trainer.network, trainer.arrays()[LANES][:SAMPLE]
    state = sum(trainer.state[name].nbytes for name in STEP_ARRAYS[trainer.learner.step])
    del trainer
    figures: dict[str, Any] = {
        "features": network.m,
        "entries": len(network.weights),
        "learned_bytes": network.weights.nbytes + state,
        "lanes": by_lanes,
        **judged(options, network),
    }
    if options.device == CUDA:
        figures["limit"] = limit(options, network, sectors(network, sample, sums=state > 0), by_lanes)
    if options.tdl2048 and name in PEER_SETS:
        figures["peer"] = beside_peer(options, name, int(max(by_lanes, key=lambda lanes: by_lanes[lanes]["blank"])))
    return figures


def new_trainer(options: Namespace, name: str, lanes: int) -> Trainer:
    """A learner on a blank network that has played some moves, so that all is compiled and at hand."""
    learner = {key: group_file("learner", options.learner)[key] for key in ("alpha", "step")}
    words = {**learner, **LEARNERS[options.learner], "order": "delayed", "batch_sum": "mean"}
    network = NTupleNetwork(Rules(), tuple_set(name))
    numbers = 1 + sum(STEP_ARRAYS[learner["step"]].values())
    require_memory("tuples", 4 * numbers * len(network.weights), f"{name} and its learner")  # none is touched yet
    trainer = Trainer(network, **words, lanes=lanes, device=options.device)
    if options.device == CPU:  # a card has memory of its own
        trainer.network.weights.fill(0)
        for array_name in STEP_ARRAYS[learner["step"]]:
            trainer.state[array_name].fill(0)
    trainer.train(1)
    return trainer


def speeds(trainer: Trainer, options: Namespace) -> dict[str, int]:
    """Moves per second from blank, and after `--state` moves."""
    figures = {"blank": speed(trainer, options.blank)}
    if options.state:
        trainer.train(max(0, options.state - trainer.moves))
        figures["later"] = speed(trainer, options.blank)
    return figures


def speed(trainer: Trainer, moves: int) -> int:
    """Moves per second of the next moves."""
    begun, start = trainer.moves, time.perf_counter()
    trainer.train(moves)
    return round((trainer.moves - begun) / (time.perf_counter() - start))


def judged(options: Namespace, network: NTupleNetwork) -> dict[str, Any]:
    """Games without learning, greedy and searched."""
    parts = {"greedy": (options.games, 1), "searched": (options.searched, PLIES)}
    return {name: games(options, network, *part) for name, part in parts.items() if part[0]}


def games(options: Namespace, network: NTupleNetwork, number: int, plies: int) -> dict[str, Any]:
    """Moves per second of so many games, or of what was played of them when `--seconds` were over, with all copies."""
    player, play = Player(network), PlayOptions(seed=1, search=SearchOptions(plies), device=options.device)
    _play(player, 1, play, 0)  # compiles kernels
    finished, moves, seconds = _play(player, number, play, options.seconds)
    return {
        "plies": plies,
        "games": number,
        "finished": finished,
        "moves": moves,
        "seconds": round(seconds, 6),
        "moves_per_second": round(moves / seconds),
    }


def _play(player: Player, number: int, play: PlayOptions, limit: float) -> tuple[int, int, float]:
    """Games that ended, moves and seconds, of these not many more than the limit."""
    start, last = time.perf_counter(), (0, 0, 0.0)

    def on_progress(finished: int, moves: int) -> None:
        nonlocal last
        last = finished, moves, time.perf_counter() - start
        if last[2] > limit:
            raise Enough

    records = player.play(number, play, on_progress)
    if len(records) == number and records["max_tile"].all():
        last = number, int(records["moves"].sum()), time.perf_counter() - start
    return last


def sectors(network: NTupleNetwork, lanes: NDArray[np.void], *, sums: bool) -> float:
    """What a move asks for, in sectors, as the module says: the mean of some lanes."""
    engine, counts = Engine(network.rules), []
    for lane in lanes[lanes["moves"] > 0]:
        last = _board(lane["path"][(lane["moves"] - 1) % len(lane["path"])])
        afterstates = [after for _, after, _ in engine.afterstates(_board(lane["board"]))]
        learned = network.entries(last)
        read = np.concatenate([learned, *map(network.entries, afterstates)])
        counts.append(_touched(read, 4) + 2 * _touched(learned, 4) + (3 + 2 * sums) * _touched(learned, 8))
    return float(np.mean(counts)) if counts else 0.0


def _touched(entries: NDArray[np.uint32], size: int) -> int:
    return len(np.unique(entries // (SECTOR // size)))


def _board(words: Iterable[np.uint64]) -> int:
    low, high = words
    return int(low) | int(high) << 64


def limit(
    options: Namespace, network: NTupleNetwork, asked: float, by_lanes: dict[str, dict[str, int]]
) -> dict[str, Any]:
    """Random loads of the card, and the shares of them that training asks for, by lanes, at the last speed of each."""
    card, entries = machines.open_device(), {"cached": CACHED // 4, "weights": len(network.weights)}
    loads = {name: random_loads(card, number, options.loads) for name, number in entries.items()}
    moves = {lanes: list(figures.values())[-1] for lanes, figures in by_lanes.items()}
    shares = {lanes: {name: round(m * asked / n, 3) for name, n in loads.items()} for lanes, m in moves.items()}
    return {"sectors_a_move": round(asked, 1), "loads_per_second": loads, "shares": shares}


def random_loads(card: Device, entries: int, loads: int) -> int:
    """Random loads of 4 bytes from a table, per second."""
    kernel = card.kernels(text_with({}, Path(machines.__file__).with_name("random_loads.h")), ["tdl_load"])["tdl_load"]
    warps = min(WARPS, -(-loads // (LOADS_EACH * machines.WARP)))
    times = -(-loads // (LOADS_EACH * machines.WARP * warps))
    table, total = card.zeros((entries,), np.float32), card.zeros((1,), np.float32)
    call = np.array((table.pointer, total.pointer, entries, warps, LOADS_EACH, 0), LOADS)
    queue = card.repeated([Launch(kernel, warps, call)], times)
    for _ in range(2):  # the first time loads the kernel
        start = time.perf_counter()
        queue()
        total.read()
    return round(LOADS_EACH * machines.WARP * warps * times / (time.perf_counter() - start))


def beside_peer(options: Namespace, name: str, lanes: int) -> dict[str, Any]:
    """Both programs from blank, in turn, and their ratio; the peer has one core."""
    words = Namespace(**{"td_lambda": 0.0, **LEARNERS[options.learner]}, tuples=name, learner=options.learner)
    peer = [options.tdl2048, *peer_words(words, "backward" if words.td_lambda else "forward")]
    sides = {
        "ours": lambda: float(speed(new_trainer(options, name, lanes), options.blank)),
        "peer": lambda: peer_speed(peer, options.episodes),
    }
    return {"lanes": lanes, **paired(in_turn(sides, options.pairs, lambda side, _: sides[side]()))}


def text_of(figures: dict[str, Any]) -> str:
    """The figures, a paragraph for each tuple set."""
    head = f"{figures['device']}, {figures['learner']}: million moves a second from blank"
    later = f", and after {figures['state']:,} moves" if figures["state"] else ""
    return "\n".join([head + later, *(line for name, part in figures["sets"].items() for line in _lines(name, part))])


def _lines(name: str, part: dict[str, Any]) -> Iterator[str]:
    if "left_out" in part:
        yield f"{name}: left out: {part['left_out']}"
        return
    yield f"{name}: {part['features']} features, {part['learned_bytes'] / 2**30:.1f} GiB of weights and sums"
    shares = part["limit"]["shares"] if "limit" in part else {}
    for lanes, moves in part["lanes"].items():
        line = _line(f"{int(lanes):,} lanes", *moves.values())
        share = "; of the limit {cached:.2f}, of that of its table {weights:.2f}"
        yield line + share.format(**shares[lanes]) if shares else line
    if shares:
        yield _limit_line(part["limit"])
    for kind in ("greedy", "searched"):
        if kind in part:
            yield _games_line(part[kind])
    if "peer" in part:
        yield _peer_line(part["peer"])


def _line(title: str, *speeds: float) -> str:
    return f"{title:>16}:" + "".join(f"{speed / 1e6:9.3f}" for speed in speeds)


def _limit_line(part: dict[str, Any]) -> str:
    cached, weights = (loads / 1e9 for loads in part["loads_per_second"].values())
    loads = f"{cached:.1f} G random loads a second from 16 MiB, {weights:.1f} from as much as its weights"
    return f"{'limit':>16}: {loads}; {part['sectors_a_move']:.0f} sectors a move"


def _games_line(part: dict[str, Any]) -> str:
    line = _line("greedy" if part["plies"] == 1 else f"{part['plies']} plies", part["moves_per_second"])
    return f"{line}; {part['finished']:,} of {part['games']:,} games in {part['seconds']:.1f} s"


def _peer_line(part: dict[str, Any]) -> str:
    ours = f"ours with {part['lanes']:,} lanes {np.median(part['ours']) / 1e6:.3f}"
    return f"{_line('TDL2048+', np.median(part['peer']))}; {ours}, ratio {ratio_text(part)}"
