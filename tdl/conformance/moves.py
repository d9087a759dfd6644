"""What was seen of moves, beside what the reference says of them."""

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.choosers import SkilledChooser
from tdl.conformance.evidence import Boards, Evidence
from tdl.conformance.examples import Examples
from tdl.conformance.finding import WRONG
from tdl.conformance.reward_law import Mask, reward_law, so_far
from tdl.conformance.shown_boards import UNREADABLE
from tdl.conformance.slides import readable, slid_boards


class Moves:
    """What was played and, where boards can be set, placed; the steps of both are looked at together.

    Attributes
    ----------
    steps : steps that were played, then those that were placed.
    ended : steps that end a game.
    judged : steps of known direction whose board was read.
    slid : whether the tiles are where they belong, whatever has dropped; one of the largest tile may be larger.
    hides_last : whether the board of an ended game is not shown, but that of the next.
    shown : judged steps after which the board of the same game was seen; `of_games` are those that were played.
    slides_are_wrong : whether some move puts tiles where they do not belong: what follows from boards is wrong, too.
    paid : legal moves of which the whole reward is known: what ends a game may add some.
    law : the known law that rewards are nearest to.
    totals : the score of the game after each step; of steps that were placed anything.
    figures : what is shown beside the board, with a row for each step; of steps that were placed 0.
    """

    def __init__(self, player: SkilledChooser, played: Evidence, placed: Evidence | None) -> None:
        self.player, self.played, self.placed, self.rules = player, played, placed, played.rules
        self.steps = steps = np.concatenate([played.steps, placed.steps]) if placed else played.steps
        self.examples = Examples(player, steps)
        self.ended: Mask = steps["terminated"] | steps["truncated"]
        self.judged: Mask = (steps["direction"] >= 0) & readable(steps["before"], self.rules)
        self.slid = self._slid()
        self.hides_last = self._hides_last()
        self.shown = self.judged & ~self.ended if self.hides_last else self.judged
        self.of_games: Mask = self.shown & (steps["game"] >= 0)
        self.slides_are_wrong = bool((self.shown & steps["legal"] & ~self.slid).any())
        self.paid: Mask = self.judged & self.slid & steps["legal"] & ~self.ended
        self.law, self.totals = reward_law(steps, self.paid), so_far(steps, steps["gained"])
        more = len(steps) - len(played.steps)
        self.figures = {path: np.pad(rows, ((0, more), (0, 0))) for path, rows in played.figures.items()}

    def _slid(self) -> Mask:
        after, seen = (np.minimum(self.steps[name], self.rules.largest) for name in ("after", "next"))
        same: NDArray[np.bool_] = (after == seen) | ((after == 0) & (self.steps["next"] != UNREADABLE))
        return np.asarray(same.all(axis=1))

    def _hides_last(self) -> bool:
        played = self.judged & (self.steps["game"] >= 0)
        ended, others = played & self.ended, played & ~self.ended
        return bool(ended.any() and self.slid[ended].mean() < 0.5 and self.slid[others].mean() > 0.5)

    def alive(self, boards: Boards) -> Mask:
        """Whether a board has a legal move."""
        alive: Mask = np.any(boards == 0, axis=1) | ~readable(boards, self.rules)
        full = ~alive
        alive[full] = slid_boards(boards[full], self.rules).legal.any(axis=1)
        return alive

    def wrong(self, text: str, wrong: Mask, expected: str = "") -> tuple[str, ...]:
        """What `Finding` has of these steps; `expected` is what should follow, else the board."""
        return WRONG, text, *self.examples.show(wrong, expected)
