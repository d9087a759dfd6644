"""Checks of moves: slides, rewards, illegal moves, first tiles, ends of games, scores and masks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.evidence import Boards, Evidence, Failure
from tdl.conformance.examples import Examples, board_text
from tdl.conformance.finding import CONFORMS, CONVENTION, NOT_TESTED, WRONG, Finding
from tdl.conformance.foreign_play import Player
from tdl.conformance.shown_boards import UNREADABLE
from tdl.conformance.slides import readable, slid_boards, tile_values
from tdl.game.boards import lines
from tdl.game.rules import ACTION_NAMES, Rules

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]

MASKED = 100_000
"""Steps of which masks are compared."""

MIN_GOAL = 3
"""Games that a tile ends are won by one of a larger index."""


@dataclass(frozen=True)
class Moves:
    """What was played and, where boards can be set, placed; the steps of both are looked at together."""

    player: Player
    played: Evidence
    placed: Evidence | None

    @cached_property
    def steps(self) -> NDArray[Any]:
        """Steps that were played, then those that were placed."""
        return np.concatenate([self.played.steps, self.placed.steps]) if self.placed else self.played.steps

    @property
    def rules(self) -> Rules:
        """Those that the environment is compared with."""
        return self.played.rules

    @cached_property
    def examples(self) -> Examples:
        """Examples among all steps."""
        return Examples(self.player, self.steps)

    @cached_property
    def judged(self) -> Mask:
        """Steps of known direction whose board was read."""
        return (self.steps["direction"] >= 0) & readable(self.steps["before"], self.rules)

    @cached_property
    def ended(self) -> Mask:
        """Steps that end a game."""
        ended: Mask = np.logical_or(self.steps["terminated"], self.steps["truncated"])
        return ended

    @cached_property
    def slid(self) -> Mask:
        """Whether the tiles are where they belong, whatever has dropped; one of the largest tile may be larger."""
        after, seen = (np.minimum(self.steps[name], self.rules.largest) for name in ("after", "next"))
        same = (after == seen) | ((after == 0) & (self.steps["next"] != UNREADABLE))
        slid: Mask = np.all(same, axis=1)
        return slid

    @cached_property
    def hides_last(self) -> bool:
        """Whether the board of an ended game is not shown, but that of the next."""
        played = self.judged & (self.steps["game"] >= 0)
        ended, others = played & self.ended, played & ~self.ended
        return bool(ended.any() and self.slid[ended].mean() < 0.5 and self.slid[others].mean() > 0.5)

    @cached_property
    def shown(self) -> Mask:
        """Judged steps after which the board of the same game was seen."""
        return self.judged & ~self.ended if self.hides_last else self.judged

    @cached_property
    def slides_are_wrong(self) -> bool:
        """Whether some move puts tiles where they do not belong: what follows from boards is then wrong, too."""
        return bool((self.shown & self.steps["legal"] & ~self.slid).any())

    @cached_property
    def paid(self) -> Mask:
        """Legal moves of which the whole reward is known: what ends a game may add some."""
        paid: Mask = self.judged & self.slid & self.steps["legal"] & ~self.ended
        return paid

    @cached_property
    def law(self) -> "Law":
        """The known law that rewards are nearest to."""
        return _reward_law(self.steps, self.paid)

    @cached_property
    def totals(self) -> Numbers:
        """The score of the game after each step; of steps that were placed anything."""
        return _so_far(self.steps, self.steps["gained"])

    @cached_property
    def figures(self) -> dict[str, NDArray[Any]]:
        """What is shown beside the board, with a row for each step; of steps that were placed 0."""
        more = len(self.steps) - len(self.played.steps)
        return {path: np.pad(rows, ((0, more), (0, 0))) for path, rows in self.played.figures.items()}

    def alive(self, boards: Boards) -> Mask:
        """Whether a board has a legal move."""
        alive: Mask = np.any(boards == 0, axis=1) | ~readable(boards, self.rules)
        full = np.flatnonzero(~alive)
        for first in range(0, len(full), 20_000):
            part = full[first : first + 20_000]
            alive[part] = slid_boards(boards[part], self.rules).legal.any(axis=1)
        return alive


def checks(moves: Moves) -> Iterator[Finding]:
    """All findings about moves."""
    yield _observation(moves)
    yield _tiles(moves)
    yield _actions(moves)
    yield _slides(moves)
    yield _rewards(moves)
    yield _illegal(moves)
    if errors := _errors(moves):
        yield errors
    yield _first_tiles(moves)
    yield _end(moves)
    yield _score(moves)
    yield _mask(moves)


def _observation(moves: Moves) -> Finding:
    reading = moves.player.reading
    return Finding("observation", CONVENTION, f"{reading.path}: {reading.text}")


def _tiles(moves: Moves) -> Finding:
    """Whether all cells show tiles of the game."""
    if not (wrong := (moves.steps["next"] == UNREADABLE).any(axis=1)).any():
        return Finding("tiles", CONFORMS, "all cells show tiles of the game")
    text = f"a cell shows what is no tile of {moves.rules.name}, in {wrong.sum():,} of {len(wrong):,} steps"
    return Finding("tiles", WRONG, text, **moves.examples.show(wrong))


def _actions(moves: Moves) -> Finding:
    directions = moves.player.directions.tolist()
    names = [ACTION_NAMES[direction] if direction >= 0 else "none" for direction in directions]
    text = ", ".join(f"{action} {name}" for action, name in enumerate(names))
    missing = [name for name in ACTION_NAMES if name not in names]
    return (
        Finding("actions", WRONG, f"{text}; none is {', '.join(missing)}")
        if missing
        else Finding("actions", CONVENTION, text)
    )


def _slides(moves: Moves) -> Finding:
    use = moves.shown & moves.steps["legal"]
    wrong = use & ~moves.slid
    if not use.any():
        return Finding("slides", NOT_TESTED, "no legal move was seen")
    if wrong.any():
        text = f"tiles are not where the move puts them, in {wrong.sum():,} of {use.sum():,} legal moves"
        return Finding("slides", WRONG, text, **moves.examples.show(wrong))
    return Finding("slides", CONFORMS, f"as the rules in {use.sum():,} legal moves, with {_coverage(moves, use)}")


def _coverage(moves: Moves, use: Mask) -> str:
    """How many of all rows were met."""
    rules, steps = moves.rules, moves.steps[use]
    met: dict[int, set[int]] = {}
    for direction in range(4):
        cells = np.array(lines(direction, rules))
        weights = (rules.largest + 1) ** np.arange(cells.shape[1])
        rows = steps["before"][steps["direction"] == direction][:, cells].astype(np.int64) @ weights
        met.setdefault(cells.shape[1], set()).update(np.unique(rows).tolist())
    if moves.placed and len({*met}) == 1 and (rules.largest + 1) ** rules.cols <= 65_536:
        return f"all {(rules.largest + 1) ** rules.cols:,} rows in all directions"
    counts = [f"{len(rows):,} of {(rules.largest + 1) ** length:,} rows" for length, rows in met.items()]
    return " and ".join(counts) + " met"


def _near(a: Numbers, b: Numbers) -> Mask:
    return np.isclose(a, b, rtol=1e-4, atol=1e-6)


def _most_common(numbers: Numbers) -> float:
    """The number that occurs most often, to six digits."""
    if not len(numbers):
        return 0.0
    values, counts = np.unique([float(f"{number:.6g}") for number in np.unique(numbers)], return_inverse=True)
    weights = np.bincount(counts, np.unique(numbers, return_counts=True)[1])
    return float(values[weights.argmax()])


@dataclass(frozen=True)
class Law:
    """A reward that is `base` and `factor` times what `name` says.

    `expected` has it for each step, `fit` is the share of merging moves that have it.
    """

    name: str
    base: float
    factor: float
    expected: Numbers
    fit: float

    @property
    def is_score(self) -> bool:
        """Whether it is the score as it stands."""
        return (self.name, self.base, self.factor) == ("the score", 0, 1) and self.fit >= 0.5

    @property
    def text(self) -> str:
        """In words."""
        if self.factor == 0:
            return f"{self.base:g} for each move"
        scale = "" if self.factor == 1 else f"{self.factor:g} x "
        return f"{scale}{self.name}" + (f" {'+' if self.base > 0 else '-'} {abs(self.base):g}" if self.base else "")


def _reward_law(steps: NDArray[Any], use: Mask) -> Law:
    """The known law that fits most of the moves that merge."""
    reward, merging = steps["reward"], use & (steps["merges"] > 0)
    base = _most_common(reward[use & (steps["merges"] == 0)])
    points = np.log2(np.maximum(steps["gained"], 1))
    amounts = {"the score": steps["gained"], "the sum of log2 of the merged tiles": steps["logs"],
               "the number of merges": steps["merges"], "log2 of the score": points}  # fmt: skip
    laws = []
    for name, amount in amounts.items():
        amount = amount.astype(np.float64)
        some = np.flatnonzero(merging)
        factor = _most_common((reward[some] - base) / amount[some])
        expected = base + factor * amount
        laws.append(
            Law(name, base, factor, expected, float(_near(reward[some], expected[some]).mean()) if len(some) else 0.0)
        )
    return max(laws, key=lambda law: law.fit)


def _rewards(moves: Moves) -> Finding:
    steps = moves.steps
    use, law = moves.paid, moves.law
    if not use.any():
        return Finding("rewards", NOT_TESTED, "no legal move was seen")
    if law.fit < 0.5 and _near(steps["reward"], moves.totals)[use].mean() > 0.5:
        return Finding("rewards", WRONG, "each is the score so far: points count again with all moves that follow")
    wrong = use & ~_near(steps["reward"], law.expected)
    if law.fit < 0.5 or (law.factor == 0 and wrong.any()):
        return Finding(
            "rewards", CONVENTION, f"of its own; the nearest, {law.text}, is that of {law.fit:.0%} of merging moves"
        )
    if wrong.any():
        row = moves.examples.smallest(wrong)[0]
        example = f"{law.expected[row]:g} expected, {steps['reward'][row]:g} seen"
        text = f"{law.text}, but not in {wrong.sum():,} of {use.sum():,} legal moves: {example}"
        return Finding("rewards", WRONG, text, **moves.examples.show(wrong, f"reward {law.expected[row]:g}"))
    illegal = moves.judged & ~steps["legal"] & ~moves.ended & (steps["reward"] > max(law.base, 0) + 1e-6)
    if illegal.any():
        text = f"{steps['reward'][illegal].max():g} for an illegal move, in {illegal.sum():,} steps"
        return Finding("rewards", WRONG, text, **moves.examples.show(illegal, f"reward {law.base:g}"))
    last = moves.judged & steps["legal"] & steps["terminated"]
    more = steps["reward"][last] - law.expected[last]
    if len(more) and abs(_most_common(more)) > 1e-4:
        return Finding("rewards", CONVENTION, f"{law.text}; {_most_common(more):+g} at the end of a game")
    return Finding(
        "rewards", CONFORMS if law.is_score else CONVENTION, f"{law.text}, in all {use.sum():,} legal moves"
    )


def _illegal(moves: Moves) -> Finding:
    """What an illegal move does: anything, as long as no tile drops or moves in a game that goes on."""
    steps, failures = moves.steps, [failure for failure in moves.played.failures if not failure.legal]
    use = moves.judged & ~steps["legal"]
    use[use] = moves.alive(steps["before"][use])
    if not use.any():
        if failures:
            return Finding("illegal moves", CONVENTION, f"raises {failures[0].error}")
        return Finding("illegal moves", NOT_TESTED, "none was met")
    different = use & moves.shown & (steps["next"] != steps["before"]).any(axis=1)
    if (changed := different & ~moves.ended).any():
        text = f"the board changes, in {changed.sum():,} of {use.sum():,} illegal moves"
        show = moves.examples.show(
            changed, f"{board_text(steps['before'][moves.examples.smallest(changed)[0]], moves.rules)}, unchanged"
        )
        return Finding("illegal moves", WRONG, text, **show)
    met = played if (played := use & (steps["game"] >= 0)).any() else use
    ends, cuts = (float(steps[name][met].mean()) for name in ("terminated", "truncated"))
    does = [f"ends the game{_part(ends)}"] if ends else []
    does += [f"truncates the game{_part(cuts)}"] if cuts >= 0.1 else []  # less by a time limit
    does += [f"raises {failures[0].error}"] if failures else []
    text = f"{' or '.join(does) or 'ignored'}; reward {_most_common(steps['reward'][use]):g}"
    text += "; the last board has one more tile" if different.any() else "; no tile drops"
    return Finding("illegal moves", CONVENTION, f"{text}, in {use.sum():,}")


def _part(share: float) -> str:
    return "" if share == 1 else f" in {share:.0%}"


def _errors(moves: Moves) -> Finding | None:
    """An exception where a move was legal."""
    failures = [*moves.played.failures, *(moves.placed.failures if moves.placed else ())]
    bad = sorted((failure for failure in failures if failure.legal), key=lambda failure: len(failure.actions))
    if not bad:
        return None
    return Finding(
        "errors", WRONG, f"step raised {bad[0].error}", board_text(bad[0].board, moves.rules), _failing(moves, bad[0])
    )


def _failing(moves: Moves, failure: Failure) -> str:
    return moves.examples.played_lines(failure.seed, failure.lane, [*failure.actions], f"# raises {failure.error}")


def _first_tiles(moves: Moves) -> Finding:
    starts, law = moves.played.starts, len(moves.rules.start)
    if "starts" in moves.played.lacks or not len(starts):
        return Finding("number of first tiles", NOT_TESTED, "the environment begins no games")
    numbers, counts = np.unique((starts > 0).sum(axis=1), return_counts=True)
    shares = ", ".join(f"{number} in {count:,} games" for number, count in zip(numbers, counts, strict=True))
    if len(numbers) > 1:
        return Finding("number of first tiles", WRONG, f"it differs: {shares}")
    text = f"reset puts {numbers[0]}, in {counts[0]:,} games"
    return Finding("number of first tiles", CONFORMS if numbers[0] == law else CONVENTION, text)


def _end(moves: Moves) -> Finding:
    """Whether games end when no move is legal, and not before."""
    steps, seen = moves.steps, moves.steps["next"]
    played = moves.judged & (steps["game"] >= 0)
    alive = moves.alive(seen)
    late = moves.shown & ~moves.ended & ~alive & played
    early = moves.shown & played & steps["legal"] & steps["terminated"] & ~steps["truncated"] & alive
    goal = _goal(moves, early & played)
    if "ends" in moves.played.lacks:
        return Finding("end", NOT_TESTED, "the environment ends no games")
    if late.any():
        text = f"a game goes on where no move is legal, after {late.sum():,} moves"
        return Finding("end", WRONG, text, **moves.examples.show(late, "terminated"))
    if early.any() and not goal:
        text = f"a game is terminated where a move is legal, after {early.sum():,} moves"
        return Finding("end", WRONG, text, **moves.examples.show(early, "not terminated"))
    over = played & steps["terminated"] & ~alive
    cut = moves.shown & played & steps["truncated"] & ~steps["terminated"] & ~alive
    if cut.sum() > over.sum():
        text = f"a game in which no move is legal is truncated, but not terminated, in {cut.sum():,} games"
        return Finding("end", WRONG, text, **moves.examples.show(cut, "terminated"))
    if moves.hides_last:
        return Finding("end", CONVENTION, "the last board is not shown, but the first of the next game")
    if not over.any() and not goal:
        return Finding("end", NOT_TESTED, "no game ended")
    text = f"terminated when no move is legal, in {over.sum():,} games"
    return Finding("end", CONVENTION if goal else CONFORMS, f"{text}, or at tile {goal}" if goal else text)


def _goal(moves: Moves, early: Mask) -> int:
    """The tile that ends games, if all that ended early, and no others, have reached it; else 0."""
    if not early.any():
        return 0
    largest = np.where(moves.steps["next"] <= moves.rules.largest, moves.steps["next"], 0).max(axis=1)
    goal = largest[early].min()
    reaching = moves.shown & (moves.steps["game"] >= 0) & (largest >= goal)
    ends = goal > MIN_GOAL and moves.steps["terminated"][reaching].all()
    return int(tile_values(moves.rules)[goal]) if ends else 0


def _score(moves: Moves) -> Finding:
    """Whether a figure beside the board is the score of the game so far."""
    steps, use = moves.steps, moves.shown & (moves.steps["game"] >= 0)
    some = use & (moves.totals > 0)
    figures = {path: rows[:, 0] for path, rows in moves.figures.items() if rows.shape[1] == 1}
    named = {path: rows for path, rows in figures.items() if re.search(r"(^|\.)score$", path, re.IGNORECASE)}
    tiles = tile_values(moves.rules)[np.minimum(steps["next"], moves.rules.largest)].sum(axis=1)
    others = {"the sum of all tiles": tiles}
    if not moves.law.is_score:
        others["the sum of the rewards"] = _so_far(steps, steps["reward"])
    right = []
    for path, rows in (named or figures).items():
        wrong = use & ~_near(rows, moves.totals)
        if not wrong.any() and some.any():
            right.append(path)
        elif path in named and some.any():
            for name, figure in others.items():
                if _near(rows, figure)[use].all():
                    return Finding("score", CONVENTION, f"{path}: {name}")
            if moves.slides_are_wrong:
                return Finding("score", NOT_TESTED, f"{path}: it follows slides that are wrong")
            row = moves.examples.smallest(wrong)[0]
            example = f"{moves.totals[row]:g} expected, {rows[row]:g} seen"
            text = f"{path} is not the score after {wrong.sum():,} of {use.sum():,} steps: {example}"
            return Finding("score", WRONG, text, **moves.examples.show(wrong, f"{path} {moves.totals[row]:g}"))
    if not right:
        return Finding("score", NOT_TESTED, "nothing beside the board is the score")
    return Finding("score", CONFORMS, f"{', '.join(right)}: the score, in all {use.sum():,} steps")


def _so_far(steps: NDArray[Any], amounts: NDArray[Any]) -> Numbers:
    """Of each game, the sum of amounts up to each step."""
    order = np.lexsort((steps["move"], steps["game"]))
    amounts, games = amounts[order].astype(np.float64), steps["game"][order]
    sums, first = np.cumsum(amounts), np.flatnonzero(np.diff(games, prepend=-2))
    totals = np.zeros(len(steps))
    totals[order] = sums - np.repeat((sums - amounts)[first], np.diff([*first, len(steps)]))
    return totals


def _mask(moves: Moves) -> Finding:
    """Whether a figure beside the board marks the legal actions."""
    steps, directions = moves.steps, moves.player.directions
    use = moves.shown & ~moves.ended & (steps["game"] >= 0) & readable(steps["next"], moves.rules)
    rows = np.flatnonzero(use)[:MASKED]
    if not len(rows) or (directions < 0).any():
        return Finding("mask", NOT_TESTED, "no board was read, or not all actions are known")
    parts = np.array_split(steps["next"][rows], 1 + len(rows) // 20_000)
    legal = np.concatenate([slid_boards(part, moves.rules).legal for part in parts])[:, directions]
    for path, figures in moves.figures.items():
        if figures.shape[1] != len(directions) or not np.isin(figures, (0, 1)).all():
            continue
        same = legal == figures[rows].astype(np.bool_)
        sense = bool(same.mean() >= 0.5)
        wrong = np.zeros(len(steps), np.bool_)
        wrong[rows] = (same != sense).any(axis=1)
        if wrong.any() and moves.slides_are_wrong:
            return Finding("mask", NOT_TESTED, f"{path}: it follows slides that are wrong")
        if wrong.any() and re.search("mask|legal|valid|avail", path):
            row = moves.examples.smallest(wrong)[0]
            expected = f"{path} {(legal[np.searchsorted(rows, row)] == sense).astype(int).tolist()}"
            text = f"{path} is not that of the legal actions after {wrong.sum():,} of {len(rows):,} steps"
            return Finding("mask", WRONG, text, **moves.examples.show(wrong, expected))
        if not wrong.any():
            kind = CONFORMS if sense else CONVENTION
            return Finding("mask", kind, f"{path} is {int(sense)} where an action is legal, after {len(rows):,} steps")
    return Finding("mask", NOT_TESTED, "nothing beside the board marks legal actions")
