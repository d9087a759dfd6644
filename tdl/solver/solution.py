"""A solved game: exact values of all boards that can be reached, kept in a folder of arrays and asked for."""

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import (
    Check,
    check_choice,
    check_mapping,
    check_number,
    check_object,
    check_true_or_false,
    check_whole,
    or_null,
)
from tdl.base.machine import require_memory
from tdl.errors import CheckpointError, naming, refuse
from tdl.game.boards import BoardLike
from tdl.game.engine import Engine
from tdl.game.lines import LineTables
from tdl.game.rules import Rules
from tdl.solver.enumeration import (
    OnProgress,
    Reachable,
    canonical_boards,
    check_solvable,
    ignore_progress,
    reachable,
    start_laws,
    start_levels,
)
from tdl.solver.layer_values import value_afterstates, value_states
from tdl.solver.layers import CanonicalBoards, Layers, largest_tile
from tdl.storage.checkpoint import META, Meta, read_array, read_meta, write_checkpoint
from tdl.storage.result_file import lack

Values = NDArray[np.float64]

FOLDER = "solution"
"""The name of the folder of arrays within the output folder of `tdl solve`, and of the kind of such folders."""

OBJECTIVES = ("score", "reach")

UNREACHABLE = -1.0
"""The value that stands for a board to which no game comes."""


@dataclass(frozen=True)
class Solution:
    """The exact values of a game.

    Attributes
    ----------
    boards : all that can be reached, in layers.
    state_values, afterstate_values : float64, in the order of `states` and `afterstates`: what the best play still
        earns, or by `objective` the largest probability.
    optimal, random : the value of a game before its first tile, of the best play and of uniformly random legal play.
    before, after : how many boards games come to before and after a move, all symmetric images counted.
    largest : the value of the largest tile on any of them.
    objective : "score", or "reach": the probability that a tile of at least the value `tile` is ever on the board.
    tile : that tile value; None for the objective "score".
    """

    boards: Reachable
    state_values: Values
    afterstate_values: Values
    optimal: float
    random: float
    before: int
    after: int
    largest: int
    objective: str = "score"
    tile: int | None = None

    def __repr__(self) -> str:
        of = "score" if self.tile is None else f"probability of {self.tile}"
        return f"Solution({self.boards.rules.name}, {of}, best play {self.optimal:.10g}, random {self.random:.10g})"

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.boards.rules

    @property
    def states(self) -> NDArray[np.uint64]:
        """All states that can be reached, packed: ascending by the sum of their tiles, then as numbers.

        Of a folded solution the canonical boards: of symmetric images the smallest number.
        """
        return self.boards.states.boards

    @property
    def afterstates(self) -> NDArray[np.uint64]:
        """All afterstates that can be reached, in the same order."""
        return self.boards.afterstates.boards

    @cached_property
    def engine(self) -> Engine:
        """The game, to play it: `engine.show(board)` prints a board."""
        return Engine(self.rules)

    def value(self, board: BoardLike) -> float:
        """The value of a state, 0 when the game is over on it; -1 where no game comes to it."""
        return float(self.values_of(np.array([self.engine.board(board)], np.uint64))[0])

    def value_after(self, board: BoardLike) -> float:
        """The value of an afterstate; -1 where no game comes to it."""
        return float(self.values_of(np.array([self.engine.board(board)], np.uint64), after=True)[0])

    def values_of(self, boards: NDArray[np.uint64], *, after: bool = False) -> Values:
        """The values of many packed states (or afterstates): float64, -1 where no game comes to a board."""
        layers, values = (
            (self.boards.afterstates, self.afterstate_values) if after else (self.boards.states, self.state_values)
        )
        places = layers.find(boards)
        return np.where(places < 0, UNREACHABLE, values[places])

    def best(self, board: BoardLike) -> int | None:
        """The best action on a state, 0 to 3 (up, right, down, left), the first of equals; None when the game is over.

        Raises
        ------
        ConfigError : no game comes to this board.
        """
        packed = self.engine.board(board)
        if self.value(packed) == UNREACHABLE:
            raise refuse("board", self.engine.array(packed).tolist(), "a board that a game can come to")
        moves = self.engine.afterstates(packed)
        weight = self.objective == "score"  # of rewards
        values = [weight * reward + self.value_after(after) for _, after, reward in moves]
        return moves[values.index(max(values))][0] if moves else None


def solve(
    rules: Rules,
    objective: str = "score",
    tile: int | None = None,
    *,
    fold: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> Solution:
    """Solve a game: enumerate its boards, then value them backward.

    Parameters
    ----------
    rules : any game whose merges do not lower the sum of the tiles, on a board of at most 64 bits.
    objective, tile : what is to be largest, see `Solution`.
    fold : keep canonical boards only: less memory, but learned play cannot be evaluated on the solution.
    on_progress : called with the phase, the number of boards done and of all.

    Raises
    ------
    ConfigError : what cannot be solved, or does not fit into the memory that is free.
    """
    check_objective(rules, objective, tile)
    boards, reach = reachable(rules, fold, on_progress), tile or 0
    kinds = (boards.states, boards.afterstates)
    count = sum(map(len, kinds))
    require_memory("size", 8 * count, f"the values of {count:,} boards")
    random = value_of_start(boards, sweep(boards, "random", reach=reach, on_progress=on_progress)[0])
    values, after_values = sweep(boards, "best", reach=reach, on_progress=on_progress)
    before, after = (layers.canonical.count(layers.boards) for layers in kinds)
    largest = max(largest_tile(layers.tables, layers.boards) for layers in kinds)
    optimal = value_of_start(boards, values)
    return Solution(boards, values, after_values, optimal, random, before, after, largest, objective, tile)


def layer_order(boards: Reachable) -> list[tuple[int, bool, int]]:
    """All layers in the order in which games pass them, as (sum of tiles, whether of afterstates, number)."""
    states = [(total, False, layer) for layer, total in enumerate(boards.states.sums.tolist())]
    return sorted(states + [(total, True, layer) for layer, total in enumerate(boards.afterstates.sums.tolist())])


def sweep(
    boards: Reachable,
    policy: str = "best",
    *,
    reach: int = 0,
    on_progress: OnProgress = ignore_progress,
    **player: Any,
) -> tuple[Values, Values]:
    """The values of all states and of all afterstates, float64, in their order.

    Parameters
    ----------
    boards : all that can be reached.
    policy : "best", "random" or "greedy"; `player` are further arguments of `tdl.solver.layer_values.value_states`.
    reach : 0: values are expected scores; else probabilities that a tile of at least this value is ever on the board.
    on_progress : called after each layer.
    """
    values, after_values = np.empty(len(boards.states)), np.empty(len(boards.afterstates))
    total, done = len(values) + len(after_values), 0
    for _, after, layer in reversed(layer_order(boards)):
        if after:
            value_afterstates(boards.afterstates, layer, boards.states, values, boards.rules.drop, after_values, reach)
            done += len(after_values[boards.afterstates.slice_of(layer)])
        else:
            value_states(boards.states, layer, boards.afterstates, after_values, values, policy, reach, **player)
            done += len(values[boards.states.slice_of(layer)])
        on_progress(f"solve {policy}", done, total)
    return values, after_values


def value_of_start(boards: Reachable, values: Values) -> float:
    """The value of a game before its first tile, from the values of all states."""
    following, following_values = boards.starts[-1], values[boards.states.find(boards.starts[-1].boards)]
    for level, law in zip(reversed(boards.starts[:-1]), reversed(start_laws(boards.rules)), strict=True):
        level_values = np.empty(len(level))
        for layer in range(len(level.sums)):
            value_afterstates(level, layer, following, following_values, law, level_values)
        following, following_values = level, level_values
    return float(following_values[0])


def check_objective(rules: Rules, objective: str, tile: int | None) -> None:
    """Refuse rules that cannot be solved, an unknown objective, and a tile that does not go with it."""
    check_choice("objective", objective, OBJECTIVES)
    if objective == "score" and tile is not None:
        raise refuse("tile", tile, "null with objective=score; a tile is for objective=reach")
    if objective == "reach" and (isinstance(tile, bool) or tile not in rules.tiles):
        few = ", ".join(map(str, rules.tiles[:6]))
        raise refuse("tile", tile, f"a tile of the game with objective=reach: {few} ... {rules.tiles[-1]}")
    check_solvable(rules)


PARTS = {"": np.uint64, "-sums": np.int64, "-first": np.int64, "-values": np.float64}
"""The arrays of the boards of a kind: their names after that of the kind, and their types."""

_COUNT = partial(check_whole, least=0)

FIGURES: dict[str, Check] = {
    "optimal": check_number,
    "random": check_number,
    "before": _COUNT,
    "after": _COUNT,
    "largest": _COUNT,
    "objective": partial(check_choice, choices=OBJECTIVES),
    "tile": or_null(_COUNT),
}
"""What a solution's description holds beside the rules, and whether boards are folded: fields of `Solution`."""


def save(folder: Path, solution: Solution) -> None:
    """Write a solution to `folder/solution`: arrays to be memory-mapped, and a description with their digests."""
    meta = {"kind": FOLDER, "episode": 0, "rules": solution.rules.to_dict(), "folded": solution.boards.folded}
    meta |= {name: getattr(solution, name) for name in FIGURES}
    arrays: dict[str, NDArray[Any]] = {}
    for kind, layers, values in (
        ("states", solution.boards.states, solution.state_values),
        ("afterstates", solution.boards.afterstates, solution.afterstate_values),
    ):
        for part, array in zip(PARTS, (layers.boards, layers.sums, layers.first, values), strict=True):
            arrays[kind + part] = array
    write_checkpoint(folder / FOLDER, meta, arrays)


def load(folder: str | Path) -> Solution:
    """The solution in a folder, or in the output folder of `tdl solve`; its arrays are memory-mapped, read-only.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, of another kind, or of another version.
    """
    path = Path(folder)
    if (path / FOLDER).is_dir():
        path = path / FOLDER
    if not (path / META).exists():
        raise CheckpointError(f"{path}: no solution here ({lack(path, META)})")
    meta = read_meta(path)
    if meta.get("kind") != FOLDER:
        raise CheckpointError(f"{path}: holds no solution, but a checkpoint of a training run")
    with naming(path / META):
        check_object("", meta, {"rules": check_mapping, "folded": check_true_or_false, **FIGURES})
        rules = Rules.from_dict(meta["rules"])
        check_objective(rules, meta["objective"], meta["tile"])
    canonical = canonical_boards(LineTables(rules), meta["folded"])
    with naming(path):
        states, values = _read_layers(path, meta, "states", canonical)
        afterstates, after_values = _read_layers(path, meta, "afterstates", canonical)
    boards = Reachable(rules, start_levels(canonical), states, afterstates, meta["folded"])
    return Solution(boards, values, after_values, **{name: meta[name] for name in FIGURES})


def _read_layers(path: Path, meta: Meta, kind: str, canonical: CanonicalBoards) -> tuple[Layers, Values]:
    """The boards of a kind, and their values."""
    boards, sums, first, values = arrays = [read_array(path, meta, kind + part) for part in PARTS]
    for array, (part, dtype) in zip(arrays, PARTS.items(), strict=True):
        if array.dtype != dtype or array.ndim != 1 or (part == "-values" and len(array) != len(boards)):
            raise refuse(kind + part, f"{array.shape} {array.dtype}", f"{dtype.__name__}, one for each board or layer")
    return Layers(canonical, boards, sums, first), values
