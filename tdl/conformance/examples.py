"""The smallest board that shows what is wrong, and three lines of Python that show it again."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.choosers import SkilledChooser
from tdl.conformance.evidence import Boards, compared
from tdl.conformance.foreign_play import begin_all
from tdl.conformance.placing import placed
from tdl.conformance.slides import tile_values
from tdl.conformance.subject import FunctionSubject
from tdl.game.boards import lines
from tdl.game.rules import Rules

TRIED = 3
"""Examples, the smallest first, until one is met again."""

SHARED = "import random, numpy; random.seed({seed}); numpy.random.seed({seed})"


def board_text(board: Boards, rules: Rules) -> str:
    """A board as rows of tile values; a cell that shows no tile of the game is a question mark."""
    values = tile_values(rules)
    words = [str(values[tile]) if tile < len(values) else "?" for tile in board]
    return " / ".join(" ".join(words[row : row + rules.cols]) for row in range(0, rules.cells, rules.cols))


@dataclass(frozen=True)
class Examples:
    """Examples among steps that were played (or placed: with game -1), and how to meet them again."""

    player: SkilledChooser
    steps: NDArray[Any]

    def smallest(self, wrong: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Rows that are wrong: those that can be met again first, then by number of tiles, their sum, and steps."""
        rows = np.flatnonzero(wrong)
        before = self.steps["before"][rows]
        sums = tile_values(self.player.rules)[np.minimum(before, self.player.rules.largest)].sum(axis=1)
        later = self.steps["turn"][rows] != self.steps["move"][rows]  # not the first game since a reset
        order = np.lexsort((self.steps["turn"][rows], sums, (before > 0).sum(axis=1), later))
        ordered: NDArray[np.int64] = rows[order]
        return ordered

    def show(self, wrong: NDArray[np.bool_], expected: str = "") -> tuple[str, str]:
        """Board and reproduction of the smallest example; `expected` is what should follow, else the board."""
        steps = self.steps[self.smallest(wrong)]
        by_hand = steps[steps["game"] < 0]
        alone = self._wrong_line(by_hand) if len(by_hand) else by_hand
        for step in [*alone, *steps[:TRIED]]:
            if reproduction := self._reproduction(step, expected):
                return board_text(step["before"], self.player.rules), reproduction
        return board_text(steps[0]["before"], self.player.rules), ""

    def _wrong_line(self, steps: NDArray[Any]) -> NDArray[Any]:
        """The smallest line that is wrong in boards that were placed, played alone; empty if it is right then."""
        rules, direction = self.player.rules, steps["direction"][0]
        steps = steps[steps["direction"] == direction]
        cells = np.array(lines(int(direction), rules))
        after, seen = (steps[name][:, cells] for name in ("after", "next"))
        row, line = np.nonzero(((after != seen) & (after > 0)).any(axis=2))
        tiles = steps["before"][row[:, None], cells[line]]
        if not len(row):
            return steps[:0]
        least = np.lexsort((tile_values(rules)[tiles].sum(axis=1), (tiles > 0).sum(axis=1)))[0]
        boards = np.zeros((self.player.subject.n, rules.cells), np.uint8)
        boards[:, cells[line[least]]] = tiles[least]
        alone = placed(self.player, boards, int(steps["action"][row[least]]))[:1]
        alone = compared(alone, self.player.directions, rules)
        wrong: NDArray[Any] = alone[((alone["after"] != alone["next"]) & (alone["after"] > 0)).any(axis=1)]
        return wrong

    def _reproduction(self, step: Any, expected: str) -> str:
        rules = self.player.rules
        wanted = expected or f"{board_text(step['after'], rules)} and a drop"
        seen = f"{board_text(step['next'], rules)}, reward {step['reward']:g}"
        comment = f"# {board_text(step['before'], rules)}: expected {wanted}; seen {seen}"
        if step["game"] < 0 or isinstance(self.player.subject, FunctionSubject):
            return self.player.subject.placed_lines(
                tile_values(rules)[step["before"]].reshape(rules.rows, rules.cols), int(step["action"]), comment
            )
        game = self.steps[(self.steps["seed"] == step["seed"]) & (self.steps["lane"] == step["lane"])]
        game = game[(game["turn"] <= step["turn"]) & (game["game"] == step["game"])]
        actions = [int(action) for action in game["action"][np.argsort(game["turn"])]]
        if len(actions) != step["turn"] + 1:
            return ""
        again = [step[name].tolist() for name in ("before", "next", "terminated", "reward")]
        return self.played_lines(int(step["seed"]), int(step["lane"]), actions, comment, again)

    def played_lines(
        self, seed: int, lane: int, actions: list[int], comment: str, again: list[Any] | None = None
    ) -> str:
        """Lines that play a game; "" where the last move does not show this again or, of None, none raises."""
        subject = self.player.subject
        for shared in (False, True):
            if self._replayed(seed, lane, actions, shared=shared) == again:
                first = f"{subject.name}; {SHARED.format(seed=seed % 2**32)}" if shared else subject.name
                return subject.played_lines(first, seed, lane, actions, comment)
        return ""

    def _replayed(self, seed: int, lane: int, actions: list[int], *, shared: bool) -> list[Any] | None:
        """What is seen of the last of these moves; None where one raises an error."""
        subject, reading = self.player.subject, self.player.reading
        try:
            before = begin_all(subject, seed) if shared else subject.reset(seed).leaves
            for action in actions[:-1]:
                before = subject.step(np.full(subject.n, action)).leaves
            answer = subject.step(np.full(subject.n, actions[-1]))
        except Exception:
            return None
        boards = (reading.boards(leaves)[lane].tolist() for leaves in (before, answer.leaves))
        return [*boards, bool(answer.terminated[lane]), float(answer.rewards[lane])]
