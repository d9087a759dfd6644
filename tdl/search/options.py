"""What can be chosen of the player's search. The one home of these choices."""

from dataclasses import dataclass
from typing import Any, Protocol

from tdl.base.checks import above_zero, check_fields, check_whole, checked, choice, flag, share, whole
from tdl.errors import nearest, refuse
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork

MAX_PLIES = 12
"""Each further ply multiplies the work by some tens."""

MAX_TABLE = 1 << 16
"""MiB of a table."""

AUTO_TABLE = 4
"""MiB of a table where it is worth having: one that fits into a cache (docs/dev/performance.md)."""

OPPONENTS = ("placer", "random", "adversary")

RADIX = "radix"

ByEmpty = tuple[tuple[int, int], ...]


def check_plies(key: str, plies: object) -> None:
    """Refuse anything but a number of plies."""
    check_whole(key, plies, 1, MAX_PLIES + 1)


def _check_by_empty(key: str, pairs: Any) -> None:
    if not isinstance(pairs, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in pairs):
        raise refuse(key, pairs, "a list of pairs, empty cells and plies, as [[2,4],[6,3]]")
    for empty, plies in pairs:
        check_whole(f"{key}, empty cells", empty, 0, 25)
        check_plies(f"{key}, plies", plies)
    cells = [empty for empty, _ in pairs]
    if cells != sorted(set(cells)):
        raise refuse(key, pairs, "numbers of empty cells that rise from pair to pair")


def _check_table(key: str, table: object) -> None:
    if table == "auto":
        return
    if isinstance(table, str):
        raise refuse(key, table, f"auto or a number of MiB{nearest(table, ['auto'])}")
    check_whole(key, table, 0, MAX_TABLE + 1)


def _check_downgrade(key: str, largest: object) -> None:
    if largest == RADIX:
        return
    if isinstance(largest, str):
        raise refuse(key, largest, f"null, {RADIX} or a tile index{nearest(largest, [RADIX])}")
    check_whole(key, largest, 2, 32)


@dataclass(frozen=True)
class SearchOptions:
    """How far, and how, a player looks ahead before it chooses a move.

    Attributes
    ----------
    plies : the player's moves that are looked at: 1 is greedy on reward + V(afterstate).
    cutoff : a drop that is less probable than this, seen from the board to move on, is followed by one more move only;
        0: none is.
    by_empty : pairs (empty cells, plies): a board with at most so many empty cells is searched to so many plies; the
        first pair that fits holds, and where none does, `plies`.
    table : MiB for the values of boards that were searched already; "auto": none up to 3 plies. It changes no value.
    downgrade : largest tile index that is searched with. On a board with larger ones all tiles above a hole are
        lowered by one index, as long as the same tiles merge, until none is larger; "radix": the largest that the
        network tells from larger ones. None: boards are searched as they are.
    seconds : for a move; it is searched to 1 ply, then to 2, up to `plies`, and the last depth that was finished in
        time chooses. None: no limit. Such games cannot be repeated.
    against : who is taken to put the tiles: "placer", the one that does; "random"; "adversary", on the cell that
        leaves the player least.
    """

    plies: int = whole(1, least=1, most=MAX_PLIES)
    cutoff: float = share(0.0)
    by_empty: ByEmpty = checked((), _check_by_empty)
    table: int | str = checked("auto", _check_table)
    downgrade: int | str | None = checked(None, _check_downgrade, null=True)
    seconds: float | None = above_zero(None, null=True)
    against: str = choice("placer", OPPONENTS)

    def __post_init__(self) -> None:
        if isinstance(self.by_empty, list):  # as it is read from a file
            pairs = tuple(tuple(pair) if isinstance(pair, list) else pair for pair in self.by_empty)
            object.__setattr__(self, "by_empty", pairs)
        check_fields(self)

    def check_seconds(self, keys: str) -> None:
        """Refuse a limit of time where no board is searched to more than one ply, by `plies` or `by_empty`.

        Parameters
        ----------
        keys : those that give `plies`, for the message.
        """
        if self.seconds is not None and self.deepest == 1:
            ways = f"null unless {keys} or the plies of search.by_empty are above 1: one ply is not cut short"
            raise refuse("search.seconds", self.seconds, ways)

    @property
    def deepest(self) -> int:
        """The largest number of plies that any board is searched to."""
        return max([self.plies, *(plies for _, plies in self.by_empty)])

    @property
    def greedy(self) -> bool:
        """Whether this is the plain choice, reward + V(afterstate), without looking further."""
        return self.deepest == 1 and self.downgrade is None

    @property
    def table_bytes(self) -> int:
        """Bytes of the table."""
        if self.table == "auto":
            return AUTO_TABLE << 20 if self.deepest > 3 else 0
        return int(self.table) << 20


KINDS = ("random", "adversary")

TILES = ("drawn", "chosen")

MAX_DEPTH = 4
"""Each further move of the player multiplies the work by some hundred."""


@dataclass(frozen=True)
class PlacerOptions:
    """Where the tiles are put after the start law's.

    Attributes
    ----------
    kind : "random": the drop law, or "adversary": the cell that leaves the player least, by the values of a network.
    depth : the player's moves that an adversary looks ahead: 1 judges the boards it can make by the player's best move
        on them; each further one by the adversary's best reply to each move.
    tile : "drawn" by the drop law, or "chosen": the adversary takes the tile of the law as well.
    first_empty : variant of a published program, which judges before it puts the tile, so that all cells look alike
        and it takes the first empty one.
    """

    kind: str = choice("random", KINDS)
    depth: int = whole(1, least=1, most=MAX_DEPTH)
    tile: str = choice("drawn", TILES)
    first_empty: bool = flag(False)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.kind == "random":
            for key, default in (("depth", 1), ("tile", "drawn"), ("first_empty", False)):
                if getattr(self, key) != default:
                    raise refuse(key, getattr(self, key), f"{default} unless kind=adversary")
        if self.first_empty and self.tile == "chosen":
            raise refuse("tile", self.tile, "drawn where first_empty=true")
        if self.first_empty and self.depth > 1:
            raise refuse("depth", self.depth, "1 where first_empty=true, which judges nothing")

    def check_judged(self) -> None:
        """Refuse a network of its own where no board is judged."""
        if self.kind == "random":
            raise refuse("placer.network", "one", "null unless placer.kind=adversary")
        if self.first_empty:
            raise refuse("placer.network", "one", "null where placer.first_empty=true, which judges nothing")


class Evaluator(Protocol):
    """A network, and how its values count: `tdl.players.player.Player` is one."""

    network: NTupleNetwork
    gamma: float
    target: str
    expectation: str


def check_same_board(judged: Rules, played: Rules, key: str = "placer.network") -> None:
    """Refuse a judge of another game or board; it may have been trained with other drops."""
    if judged.name != played.name:
        raise refuse(key, f"a network of {judged.name}", f"one of {played.name}")
