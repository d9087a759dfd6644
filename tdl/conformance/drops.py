"""Whether tiles drop by the law of the game: one after each legal move, each tile and each empty cell as often as due.

The probabilities of each drop are known, whatever was played before it. So sums of what dropped less what was due have
a known covariance, also where moves depend on drops, and their squares in that measure are chi-square distributed.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.evidence import Boards, Evidence
from tdl.conformance.finding import CONFORMS, NOT_TESTED, WRONG, Finding
from tdl.game.rules import DROP, Rules
from tdl.statistics.intervals import chi_square_tail

LEAST = 20
"""Drops that are due of each kind, or a test is not made: with fewer the distribution is no chi-square."""

TESTS = 20
"""Each test has this part of the error of all. There are 14: the rest is room for what chi-square neglects."""

STRAY = 0.01
"""Share of moves with another board than the reference's above which drops cannot be seen well enough."""

FEW = {1: "one empty cell", 2: "two empty cells", 3: "three empty cells"}

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
Show = Callable[[NDArray[np.bool_]], tuple[str, ...]]


class Test(NamedTuple):
    """Of which drops, how likely chance alone goes as far from what is due (nan: too few), and what was seen."""

    of: str
    p: float
    seen: str


class Drops(NamedTuple):
    """Single tiles that dropped after legal moves.

    `empty` marks the cells where the tile could drop, `emptied` those that the move has emptied; `empties` is how
    many are empty, `rank` which of these it is, from 0. `later` are the drops that follow another one in their game.
    """

    cell: Integers
    tile: Integers
    empty: NDArray[np.bool_]
    emptied: NDArray[np.bool_]
    empties: Integers
    rank: Integers
    later: Integers


def checks(evidence: Evidence, error: float = 0.001, show: Show | None = None) -> list[Finding]:
    """Findings about drops and first tiles; a right environment is called wrong with a probability of `error`.

    `show` gives board and reproduction of the smallest of some steps.
    """
    rules, level, findings = evidence.rules, error / TESTS, []
    if "drops" not in evidence.lacks:
        findings += [_one_drop(evidence, show), *_drop_findings(evidence, level)]
    if "starts" not in evidence.lacks:
        findings.append(_finding("first tiles", _first_tests(evidence.starts, rules), level))
    return findings


def _drop_findings(evidence: Evidence, level: float) -> list[Finding]:
    """Findings about the tiles that drop, where moves are right: else other boards are seen than there were."""
    legal = evidence.steps["legal"]
    stray = np.count_nonzero(_new_tiles(evidence.steps[legal], evidence.rules) < 0)
    if stray > STRAY * np.count_nonzero(legal):
        reason = "moves lead to other boards than they should"
        return [Finding(check, NOT_TESTED, reason) for check in ("drop tiles", "drop cells")]
    drops = drops_of(evidence)
    tiles, cells = _tile_tests(drops, evidence.rules), _cell_tests(drops)
    return [_finding("drop tiles", tiles, level), _finding("drop cells", cells, level)]


def _finding(check: str, tests: Sequence[Test], level: float) -> Finding:
    """What the tests of one question say together."""
    tested = [test for test in tests if not math.isnan(test.p)]
    if not tested:
        return Finding(check, NOT_TESTED, "too few were seen")
    worst = min(tested, key=lambda test: test.p)
    if worst.p >= level:
        names = ", ".join(test.of for test in tested)
        return Finding(check, CONFORMS, f"{tested[0].seen}; as expected: {names}")
    chance = f"p = {worst.p:.1g}" if worst.p > 1e-99 else "p < 1e-99"
    return Finding(check, WRONG, f"{worst.of}: {worst.seen} ({chance}, limit {level:.1g})")


def _one_drop(evidence: Evidence, show: Show | None) -> Finding:
    """Whether one tile drops after each legal move; a game that ends without it may be won."""
    rows = np.flatnonzero(evidence.steps["legal"])
    steps = evidence.steps[rows]
    dropped = _new_tiles(steps, evidence.rules)
    wrong = (dropped > 1) | ((dropped == 0) & ~steps["terminated"])
    stray = np.count_nonzero(dropped < 0)  # another wrong move may look as if no tile had dropped
    if not (dropped >= 0).any():
        return Finding("one drop", NOT_TESTED, "no legal move led where it should")
    if np.count_nonzero(wrong) <= stray:
        return Finding("one drop", CONFORMS, f"one tile after each of {(dropped == 1).sum():,} legal moves")
    text = f"{dropped[wrong][0]} tiles drop after a legal move; {wrong.sum():,} of {len(steps):,} are wrong"
    shown = show(np.isin(np.arange(len(evidence.steps)), rows[wrong])) if show else ()
    return Finding("one drop", WRONG, text, *shown)


def drops_of(evidence: Evidence) -> Drops:
    """The drops of single tiles after legal moves that left all other cells as they should."""
    steps = evidence.steps[np.lexsort((evidence.steps["move"], evidence.steps["game"]))]
    steps = steps[steps["legal"]]
    steps = steps[_new_tiles(steps, evidence.rules) == 1]
    empty, cell = steps["after"] == 0, (steps["next"] != steps["after"]).argmax(1)
    emptied, rank = empty & (steps["before"] != 0), _at(empty.cumsum(1), cell) - 1
    tile, later = _at(steps["next"], cell).astype(np.int64), 1 + np.flatnonzero(np.diff(steps["game"]) == 0)
    return Drops(cell, tile, empty, emptied, empty.sum(1), rank, later)


def _new_tiles(steps: NDArray[Any], rules: Rules) -> Integers:
    """How many tiles dropped in each step; -1 where other cells have changed."""
    changed = steps["next"] != steps["after"]
    broken = (changed & (steps["after"] != 0)).any(1) | (steps["next"] > rules.largest).any(1)
    return np.where(broken, -1, changed.sum(1))


def _at(rows: NDArray[Any], cells: Integers) -> NDArray[Any]:
    """One entry of each row."""
    return rows[np.arange(len(rows)), cells]


def _tile_tests(drops: Drops, rules: Rules) -> list[Test]:
    """Whether each tile drops as often as its law says: of all, where few cells are empty, by cell, by tile before."""
    few = (_tiles(f"with {words}", drops.tile[drops.empties == count], rules) for count, words in FEW.items())
    before = _independent("tiles by the tile before", drops.tile[drops.later], drops.tile[drops.later - 1])
    return [_tiles("tiles", drops.tile, rules), *few, _independent("tiles by cell", drops.tile, drops.cell), before]


def _tiles(of: str, tiles: Integers, rules: Rules) -> Test:
    """Whether tiles follow the drop law."""
    law, right = dict(rules.drop), rules.tiles_text.partition(";")[0]
    counts = np.array([np.count_nonzero(tiles == tile) for tile in law])
    others = sorted({*tiles.tolist()} - law.keys())
    if others:
        return Test(of, 0.0, f"tile {rules.value(others[0])} drops; {right} expected")
    shares = ", ".join(f"{rules.value(i)} at {n / max(1, len(tiles)):.3%}" for i, n in zip(law, counts, strict=True))
    p = _fit(counts, len(tiles) * np.array([*law.values()])) if len(law) > 1 else 1.0
    return Test(of, p, f"{shares} of {len(tiles):,}; {right} expected")


def _cell_tests(drops: Drops) -> list[Test]:
    """Whether each empty cell gets its share: of all, of few, where the move has emptied it, by the tile before."""
    few = (_ranks(drops, count) for count in (2, 3))
    return [_places(drops), *few, _just_emptied(drops), _same_cell(drops), _same_place(drops)]


def _places(drops: Drops) -> Test:
    """Whether each cell of the board gets its share of the tiles that could fall on it."""
    shares = drops.empty / drops.empties[:, None]
    due, seen = shares.sum(0), np.bincount(drops.cell, minlength=drops.empty.shape[1])
    cell = int((np.abs(seen - due) / np.sqrt(due + 1)).argmax())
    text = f"cell {cell} gets {seen[cell]:,} of {seen.sum():,}; about {due[cell]:,.0f} expected"
    return Test("cells", _quadratic(seen - due, np.diag(due) - shares.T @ shares), text)


def _ranks(drops: Drops, count: int) -> Test:
    """Whether of `count` empty cells each gets as much."""
    counts = np.bincount(drops.rank[drops.empties == count], minlength=count)
    text = f"they get {' and '.join(f'{n:,}' for n in counts)} tiles; about the same expected"
    return Test(f"with {FEW[count]}", _fit(counts, np.full(count, counts.sum() / count)), text)


def _just_emptied(drops: Drops) -> Test:
    """Whether the cells that the move has just emptied get their share."""
    hit, share = _at(drops.emptied, drops.cell), drops.emptied.sum(1) / drops.empties
    text = f"they get {hit.sum():,} tiles; about {share.sum():,.0f} expected"
    return Test("cells that the move has just emptied", _sum(hit - share, share * (1 - share)), text)


def _independent(of: str, a: Integers, b: Integers) -> Test:
    """Whether two outcomes do not depend on one another, by the table of their counts."""
    width = b.max(initial=0) + 1
    counts = np.bincount(a * width + b, minlength=(a.max(initial=0) + 1) * width).reshape(-1, width)
    counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
    due = np.outer(counts.sum(1), counts.sum(0)) / max(1, len(a))
    if not len(a):
        return Test(of, math.nan, "")
    worst = np.abs(counts - due).argmax()
    text = f"one pair of them comes {counts.flat[worst]:,} times; about {due.flat[worst]:,.0f} expected"
    return Test(of, _fit(counts.ravel(), due.ravel(), (len(counts) - 1) * (counts.shape[1] - 1)), text)


def _same_cell(drops: Drops) -> Test:
    """Whether a tile falls on the cell of the last one, where it is empty, no more often than is due."""
    later = drops.later
    last, share = drops.cell[later - 1], 1 / drops.empties[later]
    open_again = drops.empty[later, last]
    hit, share = (drops.cell[later] == last)[open_again], share[open_again]
    text = f"{hit.sum():,} tiles fall where the last one fell; about {share.sum():,.0f} expected"
    return Test("cells by the cell before", _sum(hit - share, share * (1 - share)), text)


def _same_place(drops: Drops) -> Test:
    """Whether a tile falls as far along the empty cells as the last one no more often than is due."""
    later = drops.later
    place = math.sqrt(12) * ((drops.rank + 0.5) / drops.empties - 0.5)  # its variance is 1 where many cells are empty
    text = f"a correlation of {np.mean(place[later] * place[later - 1]) if len(later) else 0:.3f}"
    known = place[later - 1] ** 2 * (1 - 1 / drops.empties[later] ** 2.0)
    return Test("places among the empty cells by the place before", _sum(place[later] * place[later - 1], known), text)


def _first_tests(starts: Boards, rules: Rules) -> list[Test]:
    """Whether first tiles follow the start law, and whether each cell gets its share of them."""
    cells, numbers = starts.shape[1], (starts != 0).sum(1)
    seen, due = (starts != 0).sum(0), numbers.sum() / cells
    spread = (numbers * (cells - numbers)).sum() / cells / (cells - 1)  # of tiles on cells that are not one another's
    p = chi_square_tail(((seen - due) ** 2).sum() / spread, cells - 1) if due >= LEAST else math.nan
    text = f"they get {seen.min():,} to {seen.max():,} tiles; about {due:,.0f} expected"
    return [_first_tiles(starts, rules), Test("cells of first tiles", p, text)]


def _first_tiles(starts: Boards, rules: Rules) -> Test:
    """Whether first boards have the tiles that every game has, and else those of the drop law."""
    tiles, fixed = starts[starts != 0].astype(np.int64), {item for item in rules.start if item != DROP}
    if not fixed:
        return _tiles("first tiles", tiles, rules)
    possible = fixed | {tile for tile, _ in rules.drop if DROP in rules.start}
    others = [rules.value(tile) for tile in {*tiles.tolist()} - possible]
    right = ", ".join(str(rules.value(int(tile))) for tile in sorted(possible))
    return Test("first tiles", float(not others), f"tiles {', '.join(map(str, others)) or right}; {right} expected")


def _fit(counts: NDArray[Any], due: Array, df: int | None = None) -> float:
    """P value of counts of which `due` are expected, by their likelihood ratio.

    Pearson's sum of squares has too heavy a tail where one of the counts is small, as that of the tile 4.
    """
    df = len(counts) - 1 if df is None else df
    if not len(due) or due.min() < LEAST or df == 0:
        return math.nan
    seen = counts > 0
    ratio = 2 * float((counts[seen] * np.log(counts[seen] / due[seen])).sum())
    return chi_square_tail(ratio, df)


def _sum(differences: Array, variances: Array) -> float:
    """P value of a sum of differences from what is due, with the variance of each given all before it."""
    variance = float(variances.sum())
    return chi_square_tail(float(differences.sum()) ** 2 / variance, 1) if variance >= LEAST else math.nan


def _quadratic(difference: Array, covariance: Array) -> float:
    """P value of a vector of differences with this covariance, without the directions in which it hardly varies."""
    variances, axes = np.linalg.eigh(covariance)
    wide = variances >= LEAST
    if not wide.any():
        return math.nan
    return chi_square_tail(float(((difference @ axes[:, wide]) ** 2 / variances[wide]).sum()), int(wide.sum()))
