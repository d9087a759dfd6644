"""Checks of moves: slides, rewards, illegal moves, first tiles, ends of games, scores and masks."""

import re
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.examples import board_text
from tdl.conformance.finding import CONFORMS, CONVENTION, NOT_TESTED, WRONG, Finding, Said
from tdl.conformance.moves import Moves
from tdl.conformance.reward_law import Mask, Numbers, most_common, near, so_far
from tdl.conformance.shown_boards import UNREADABLE
from tdl.conformance.slides import readable, slid_boards, tile_values
from tdl.game.boards import lines
from tdl.game.rules import ACTION_NAMES

MASKED = 100_000
"""Steps of which masks are compared."""

MIN_GOAL = 3
"""Games that a tile ends are won by one of a larger index."""


def checks(moves: Moves) -> Iterator[Finding]:
    """All findings about moves."""
    for name, check in CHECKS.items():
        if said := check(moves):
            yield Finding(name, *said)


def _observation(moves: Moves) -> Said:
    return CONVENTION, f"{moves.player.reading.path}: {moves.player.reading.text}"


def _tiles(moves: Moves) -> Said:
    """Whether all cells show tiles of the game."""
    if not (wrong := (moves.steps["next"] == UNREADABLE).any(axis=1)).any():
        return CONFORMS, "all cells show tiles of the game"
    text = f"a cell shows what is no tile of {moves.rules.name}, in {wrong.sum():,} of {len(wrong):,} steps"
    return moves.wrong(text, wrong)


def _actions(moves: Moves) -> Said:
    names = [ACTION_NAMES[direction] if direction >= 0 else "none" for direction in moves.player.directions]
    text = ", ".join(f"{action} {name}" for action, name in enumerate(names))
    missing = ", ".join(name for name in ACTION_NAMES if name not in names)
    return (WRONG, f"{text}; none is {missing}") if missing else (CONVENTION, text)


def _slides(moves: Moves) -> Said:
    use = moves.shown & moves.steps["legal"]
    wrong = use & ~moves.slid
    if not use.any():
        return NOT_TESTED, "no legal move was seen"
    if wrong.any():
        text = f"tiles are not where the move puts them, in {wrong.sum():,} of {use.sum():,} legal moves"
        return moves.wrong(text, wrong)
    return CONFORMS, f"as the rules in {use.sum():,} legal moves, with {_coverage(moves, use)}"


def _coverage(moves: Moves, use: Mask) -> str:
    """How many of all rows were met."""
    rules, steps = moves.rules, moves.steps[use]
    met: dict[int, set[int]] = {}
    for direction in range(4):
        cells = np.array(lines(direction, rules))
        weights = (rules.largest + 1) ** np.arange(cells.shape[1])
        rows = steps["before"][steps["direction"] == direction][:, cells].astype(np.int64) @ weights
        met.setdefault(cells.shape[1], set()).update(np.unique(rows).tolist())
    if moves.placed and len(met) == 1 and (rules.largest + 1) ** rules.cols <= 65_536:
        return f"all {(rules.largest + 1) ** rules.cols:,} rows in all directions"
    counts = [f"{len(rows):,} of {(rules.largest + 1) ** length:,} rows" for length, rows in met.items()]
    return " and ".join(counts) + " met"


def _rewards(moves: Moves) -> Said:
    steps, use, law = moves.steps, moves.paid, moves.law
    wrong = use & ~near(steps["reward"], law.expected)
    if not (finite := np.isfinite(steps["reward"])).all():
        return WRONG, f"no finite number, in {(~finite).sum():,} of {len(steps):,} steps"
    if not use.any():
        return NOT_TESTED, "no legal move was seen"
    if law.fit < 0.5 and near(steps["reward"], moves.totals)[use].mean() > 0.5:
        return WRONG, "each is the score so far: points count again with all moves that follow"
    if law.fit < 0.5 and near(so_far(steps, steps["reward"]), moves.totals - steps["gained"])[use].mean() > 0.5:
        late = use & ~near(steps["reward"], steps["gained"])
        return moves.wrong("each is that of the move before", late, "the points of this move")
    if law.fit < 0.5 or (law.factor == 0 and wrong.any()):
        return CONVENTION, f"of its own; the nearest, {law.text}, is that of {law.fit:.0%} of merging moves"
    if wrong.any():
        text = f"{law.text}, but not in {wrong.sum():,} of {use.sum():,} legal moves"
        return _unlike(moves, wrong, text, "reward", law.expected, steps["reward"])
    illegal = moves.judged & ~steps["legal"] & ~moves.ended & (steps["reward"] > max(law.base, 0) + 1e-6)
    if illegal.any():
        text = f"{steps['reward'][illegal].max():g} for an illegal move, in {illegal.sum():,} steps"
        return moves.wrong(text, illegal, f"reward {law.base:g}")
    last = moves.judged & steps["legal"] & steps["terminated"]
    more = most_common(steps["reward"][last] - law.expected[last])
    if abs(more) > 1e-4:
        return CONVENTION, f"{law.text}; {more:+g} at the end of a game"
    return CONFORMS if law.is_score else CONVENTION, f"{law.text}, in all {use.sum():,} legal moves"


def _unlike(moves: Moves, wrong: Mask, text: str, name: str, expected: Numbers, seen: Numbers) -> Said:
    """What is said of a figure that is not as expected."""
    row = moves.examples.smallest(wrong)[0]
    example = f"{expected[row]:g} expected, {seen[row]:g} seen"
    return moves.wrong(f"{text}: {example}", wrong, f"{name} {expected[row]:g}, not {seen[row]:g}")


def _illegal(moves: Moves) -> Said:
    """What an illegal move does: anything, as long as no tile drops or moves in a game that goes on."""
    steps = moves.steps
    raises = next((f"raises {failure.error}" for failure in moves.played.failures if not failure.legal), "")
    use = moves.judged & ~steps["legal"]
    use[use] = moves.alive(steps["before"][use])
    if not use.any():
        return (CONVENTION, raises) if raises else (NOT_TESTED, "none was met")
    different = use & moves.shown & (steps["next"] != steps["before"]).any(axis=1)
    if (changed := different & ~moves.ended).any():
        text = f"the board changes, in {changed.sum():,} of {use.sum():,} illegal moves"
        before = steps["before"][moves.examples.smallest(changed)[0]]
        return moves.wrong(text, changed, f"{board_text(before, moves.rules)}, unchanged")
    text = f"{_done(moves, use, raises)}; reward {most_common(steps['reward'][use]):g}"
    text += "; the last board has one more tile" if different.any() else "; no tile drops"
    return CONVENTION, f"{text}, in {use.sum():,}"


def _done(moves: Moves, use: Mask, raises: str) -> str:
    """Whether these moves end games, truncate them, raise, or are ignored."""
    played = use & (moves.steps["game"] >= 0)
    met = moves.steps[played if played.any() else use]
    shares = {"ends": met["terminated"].mean(), "truncates": met["truncated"].mean()}
    least = {"ends": 0.0, "truncates": 0.1}  # fewer are truncated by a time limit
    does = [f"{word} the game" + ("" if share == 1 else f" in {share:.0%}")
            for word, share in shares.items() if share and share >= least[word]]  # fmt: skip
    return " or ".join([*does, *filter(None, [raises])]) or "ignored"


def _errors(moves: Moves) -> Said:
    """An exception where a move was legal: () where there is none."""
    failures = [*moves.played.failures, *(moves.placed.failures if moves.placed else ())]
    bad = min((failure for failure in failures if failure.legal), key=lambda item: len(item.actions), default=None)
    if bad is None:
        return ()
    comment = f"# raises {bad.error}"
    reproduction = moves.examples.played_lines(bad.seed, bad.lane, [*bad.actions], comment)
    return WRONG, f"step raised {bad.error}", board_text(bad.board, moves.rules), reproduction


def _first_tiles(moves: Moves) -> Said:
    starts = moves.played.starts
    if "starts" in moves.played.lacks or not len(starts):
        return NOT_TESTED, "the environment begins no games"
    numbers, counts = np.unique((starts > 0).sum(axis=1), return_counts=True)
    if len(numbers) > 1:
        shares = (f"{number} in {count:,} games" for number, count in zip(numbers, counts, strict=True))
        return WRONG, f"it differs: {', '.join(shares)}"
    verdict = CONFORMS if numbers[0] == len(moves.rules.start) else CONVENTION
    return verdict, f"reset puts {numbers[0]}, in {counts[0]:,} games"


def _end(moves: Moves) -> Said:
    """Whether games end when no move is legal, and not before."""
    steps, shown, alive = moves.steps, moves.of_games, moves.alive(moves.steps["next"])
    late = shown & ~moves.ended & ~alive
    early = shown & steps["legal"] & steps["terminated"] & ~steps["truncated"] & alive
    cut = shown & steps["truncated"] & ~steps["terminated"] & ~alive
    over = moves.judged & (steps["game"] >= 0) & steps["terminated"] & ~alive
    goal = _goal(moves, early)
    if "ends" in moves.played.lacks:
        return NOT_TESTED, "the environment ends no games"
    if late.any():
        return moves.wrong(f"a game goes on where no move is legal, after {late.sum():,} moves", late, "terminated")
    if early.any() and not goal:
        text = f"a game is terminated where a move is legal, after {early.sum():,} moves"
        return moves.wrong(text, early, "not terminated")
    if cut.sum() > over.sum():
        text = f"a game in which no move is legal is truncated, but not terminated, in {cut.sum():,} games"
        return moves.wrong(text, cut, "terminated")
    if moves.hides_last:
        return CONVENTION, "the last board is not shown, but the first of the next game"
    if not over.any() and not goal:
        return NOT_TESTED, "no game ended"
    text = f"terminated when no move is legal, in {over.sum():,} games"
    return (CONVENTION, f"{text}, or at tile {goal}") if goal else (CONFORMS, text)


def _goal(moves: Moves, early: Mask) -> int:
    """The tile that ends games, if all that ended early, and no others, have reached it; else 0."""
    if not early.any():
        return 0
    seen = moves.steps["next"]
    largest = np.where(seen <= moves.rules.largest, seen, 0).max(axis=1)
    goal = largest[early].min()
    ends = goal > MIN_GOAL and moves.steps["terminated"][moves.of_games & (largest >= goal)].all()
    return int(tile_values(moves.rules)[goal]) if ends else 0


def _score(moves: Moves) -> Said:
    """Whether a figure beside the board is the score of the game so far."""
    use, totals = moves.of_games, moves.totals
    figures = {path: rows[:, 0] for path, rows in moves.figures.items() if rows.shape[1] == 1}
    named = {path: rows for path, rows in figures.items() if re.search(r"(^|\.)score$", path, re.IGNORECASE)}
    right = []
    for path, rows in (named or figures).items() if (use & (totals > 0)).any() else ():
        wrong = use & ~near(rows, totals)
        if not wrong.any():
            right.append(path)
        elif path in named:
            if other := _other_figure(moves, rows):
                return CONVENTION, f"{path}: {other}"
            if moves.slides_are_wrong:
                return NOT_TESTED, f"{path}: it follows slides that are wrong"
            text = f"{path} is not the score after {wrong.sum():,} of {use.sum():,} steps"
            return _unlike(moves, wrong, text, path, totals, rows)
    if not right:
        return NOT_TESTED, "nothing beside the board is the score"
    return CONFORMS, f"{', '.join(right)}: the score, in all {use.sum():,} steps"


def _other_figure(moves: Moves, figure: Numbers) -> str:
    """What else a figure that is called a score may be; "" where it is none of these."""
    tiles = tile_values(moves.rules)[np.minimum(moves.steps["next"], moves.rules.largest)].sum(axis=1)
    others = {"the sum of all tiles": tiles}
    if not moves.law.is_score:
        others["the sum of the rewards"] = so_far(moves.steps, moves.steps["reward"])
    return next((name for name, other in others.items() if near(figure, other)[moves.of_games].all()), "")


def _mask(moves: Moves) -> Said:
    """Whether a figure beside the board marks the legal actions."""
    seen, directions = moves.steps["next"], moves.player.directions
    rows = np.flatnonzero(moves.of_games & ~moves.ended & readable(seen, moves.rules))[:MASKED]
    if not len(rows) or (directions < 0).any():
        return NOT_TESTED, "no board was read, or not all actions are known"
    legal = slid_boards(seen[rows], moves.rules).legal[:, directions]
    for path, figures in moves.figures.items():
        marks = figures.shape[1] == len(directions) and np.isin(figures, (0, 1)).all()
        if marks and (said := _marks(moves, path, figures[rows].astype(np.bool_), legal, rows)):
            return said
    return NOT_TESTED, "nothing beside the board marks legal actions"


def _marks(moves: Moves, path: str, marked: Mask, legal: Mask, rows: NDArray[np.int64]) -> Said:
    """What is said of a mask, or of its opposite; () of what may be none."""
    sense = bool((marked == legal).mean() >= 0.5)
    wrong = np.zeros(len(moves.steps), np.bool_)
    wrong[rows] = (marked != (legal == sense)).any(axis=1)
    if not wrong.any():
        verdict = CONFORMS if sense else CONVENTION
        return verdict, f"{path} is {int(sense)} where an action is legal, after {len(rows):,} steps"
    if moves.slides_are_wrong:
        return NOT_TESTED, f"{path}: it follows slides that are wrong"
    if not re.search("mask|legal|valid|avail", path):
        return ()
    row = moves.examples.smallest(wrong)[0]
    expected = f"{path} {(legal[np.searchsorted(rows, row)] == sense).astype(int).tolist()}"
    text = f"{path} is not that of the legal actions after {wrong.sum():,} of {len(rows):,} steps"
    return moves.wrong(text, wrong, expected)


CHECKS: dict[str, Callable[[Moves], Said]] = {
    "observation": _observation, "tiles": _tiles, "actions": _actions, "slides": _slides, "rewards": _rewards,
    "illegal moves": _illegal, "errors": _errors, "number of first tiles": _first_tiles, "end": _end,
    "score": _score, "mask": _mask,
}  # fmt: skip
