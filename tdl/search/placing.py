"""What can be chosen of a placer, the half of the game that puts the tiles. The one home of these choices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tdl.checks import check_choice, check_true_or_false, check_whole
from tdl.errors import refuse
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork

KINDS = ("random", "adversary")

TILES = ("drawn", "chosen")

MOST_DEPTH = 4
"""Each further move of the player multiplies the work by some hundred."""


@dataclass(frozen=True)
class Placing:
    """Where the tiles are put after the start law's.

    Attributes
    ----------
    kind : "random": the drop law, or "adversary": the cell that leaves the player least, by the values of a network.
    depth : the player's moves that an adversary looks ahead: 1 judges the boards it can make by the player's best move
        on them; each further one by the adversary's best reply to each move.
    tile : "drawn" by the drop law, or "chosen": the adversary takes the tile of the law as well.
    first_empty : quirk of a published program, which judges before it puts the tile, so that all cells look alike and
        it takes the first empty one.
    """

    kind: str = "random"
    depth: int = 1
    tile: str = "drawn"
    first_empty: bool = False

    def check(self, prefix: str = "", *, judged: bool = False) -> None:
        """Refuse values out of range, and what the kind does not use.

        Parameters
        ----------
        prefix : of the keys in messages.
        judged : whether a network of its own is given.

        Raises
        ------
        ConfigError : names the key, the value and what is allowed.
        """
        check_choice(prefix + "kind", self.kind, KINDS)
        check_whole(prefix + "depth", self.depth, 1, MOST_DEPTH + 1)
        check_choice(prefix + "tile", self.tile, TILES)
        check_true_or_false(prefix + "first_empty", self.first_empty)
        if self.kind == "random":
            for key, plain in (("depth", 1), ("tile", "drawn"), ("first_empty", False)):
                if getattr(self, key) != plain:
                    raise refuse(prefix + key, getattr(self, key), f"{plain} unless {prefix}kind=adversary")
            if judged:
                raise refuse(prefix + "network", "one", f"null unless {prefix}kind=adversary")
        if self.first_empty:
            if self.tile == "chosen":
                raise refuse(prefix + "tile", self.tile, f"drawn where {prefix}first_empty=true")
            if self.depth > 1 or judged:
                given, key = (self.depth, "depth") if self.depth > 1 else ("one", "network")
                plain = "1" if self.depth > 1 else "null"
                raise refuse(prefix + key, given, f"{plain} where {prefix}first_empty=true, which judges nothing")


class Judge(Protocol):
    """What an adversary asks of the player whose values it goes by: `tdl.agents.player.Player` has it."""

    network: NTupleNetwork
    gamma: float
    target: str


def check_same_board(judged: Rules, played: Rules, key: str = "placer.network") -> None:
    """Refuse a judge of another game or board; it may have been trained with other drops.

    Raises
    ------
    ConfigError : names both.
    """
    theirs, ours = ((rules.game, f"{rules.rows}x{rules.cols}") for rules in (judged, played))
    if theirs != ours:
        raise refuse(key, f"a network of {' '.join(theirs)}", f"one of {' '.join(ours)}")
