"""Drops of the right law are called wrong as rarely as is stated, and drops of other laws are found.

Trusts the engine for the moves, and NumPy's generator for the drops.
"""

import numpy as np
import pytest
from support.shapes import engine

from tdl.conformance.drops import TESTS, checks
from tdl.conformance.evidence import Evidence, step_type
from tdl.conformance.finding import CONFORMS, NOT_TESTED, WRONG
from tdl.game.boards import pack, unpack
from tdl.game.rules import Rules

RULES = Rules(rows=3, cols=3)
NO_STEPS = np.zeros(0, step_type(RULES))


class Chance:
    """The right chance, for many games at once."""

    def __init__(self, lanes, seed=0):
        self.rng, self.lanes = np.random.default_rng(seed), np.arange(lanes)
        self.cell, self.tile = np.full(lanes, -1), np.ones(lanes, np.int64)

    def weights(self, before, after):
        """How likely each cell is, if it is empty."""
        return np.ones(after.shape)

    def fours(self, cell, after):
        """How likely a 4 is."""
        return np.full(len(after), 0.1)

    def drop(self, before, after):
        """The boards after a drop; a cell of weight 0 gets the tile where there is no other."""
        race = self.rng.exponential(size=after.shape) / np.maximum(self.weights(before, after), 1e-9)
        cell = np.where(after == 0, race, np.inf).argmin(axis=1)
        self.cell, self.tile = cell, 1 + (self.rng.random(len(after)) < self.fours(cell, after))
        dropped = after.copy()
        dropped[self.lanes, self.cell] = self.tile
        return dropped


def first_boards(chance):
    """A first board for each game."""
    empty = np.zeros((len(chance.lanes), RULES.cells), np.uint8)
    return chance.drop(empty, chance.drop(empty, empty))


def evidences(chance, moves):
    """What is seen of games by random moves: an `Evidence` for each lane."""
    lanes, rng, right = chance.lanes, np.random.default_rng(1), Chance(len(chance.lanes), 2)
    steps, starts = np.zeros((moves, len(lanes)), step_type(RULES)), [[] for _ in lanes]
    boards, game, legal = np.zeros((len(lanes), RULES.cells), np.uint8), np.zeros(len(lanes)), np.zeros((1, 1))
    for step in steps:
        afters, _, legal = engine(RULES).afterstates_of(pack(boards.T.astype(np.uint64), RULES))
        if (over := ~legal.any(axis=1)).any():
            boards = np.where(over[:, None], first_boards(right), boards)
            for lane in np.flatnonzero(over):
                starts[lane].append(boards[lane])
            game += over
            afters, _, legal = engine(RULES).afterstates_of(pack(boards.T.astype(np.uint64), RULES))
        chosen = afters[lanes, (rng.random(legal.shape) * legal).argmax(axis=1)]
        after = np.stack(unpack(chosen, RULES), axis=1).astype(np.uint8)
        step["game"], step["before"], step["after"], step["legal"] = game, boards, after, True
        boards = step["next"] = chance.drop(boards, after)
    steps["move"] = np.arange(moves)[:, None]
    return [Evidence(RULES, steps[:, lane], np.array(starts[lane])) for lane in lanes]


def verdicts(evidence, error=0.001):
    return {finding.check: finding.verdict for finding in checks(evidence, error)}


def wrong(evidence, error=0.001):
    return {check for check, verdict in verdicts(evidence, error).items() if verdict == WRONG}


def test_right_chance_is_called_wrong_as_rarely_as_is_stated():
    """Of 1,000 environments; each test may err in 1% of them, and each check in 1% for each of its tests."""
    alarms = [wrong(evidence, 0.01 * TESTS) for evidence in evidences(Chance(1000), 1000)]
    for check in ("drop tiles", "drop cells"):
        share = np.mean([check in alarm for alarm in alarms])
        assert 0.01 < share < 0.06 + 3 * np.sqrt(0.06 / 1000), check


def test_right_first_boards_are_called_wrong_as_rarely_as_is_stated():
    """Of 2,000 environments with 150 games."""
    starts = first_boards(Chance(2000 * 150)).reshape(2000, 150, -1)
    alarms = [wrong(Evidence(RULES, NO_STEPS, boards), 0.01 * TESTS) for boards in starts]
    assert 0.01 < np.mean([alarm == {"first tiles"} for alarm in alarms]) < 0.02 + 3 * np.sqrt(0.02 / 2000)


class EqualTiles(Chance):
    def fours(self, cell, after):
        return np.full(len(after), 0.5)


class OftenFours(Chance):
    def fours(self, cell, after):
        return np.full(len(after), 0.12)


class FoursWithFewCells(Chance):
    """Where one cell is empty, one tile of three is a 4."""

    def fours(self, cell, after):
        return np.where((after == 0).sum(1) == 1, 1 / 3, 0.1)


class FoursOnTheLeft(Chance):
    def fours(self, cell, after):
        return np.where(cell % 3 == 0, 0.3, 0)


class FoursInPairs(Chance):
    def fours(self, cell, after):
        return np.where(self.tile == 2, 0.28, 0.08)


class NotJustEmptied(Chance):
    """The known bug: the cell is drawn from those that were empty before the move."""

    def weights(self, before, after):
        return before == 0


class NearTheCorner(Chance):
    def weights(self, before, after):
        return 1 + 0.5 * (np.arange(9) == 0)


class FirstOfTwo(Chance):
    """Where two cells are empty, the first gets three tiles of four."""

    def weights(self, before, after):
        few, first = (after == 0).sum(1) == 2, (after == 0).argmax(1)
        return 1 + 2 * (few[:, None] & (np.arange(9) == first[:, None]))


class SameCell(Chance):
    def weights(self, before, after):
        return 1 + 2 * (np.arange(9) == self.cell[:, None])


POWER = {
    EqualTiles: ("drop tiles", "tiles: 2 at ", 300),
    OftenFours: ("drop tiles", "tiles: 2 at 8", 9000),
    FoursWithFewCells: ("drop tiles", "with one empty cell: 2 at 6", 3000),
    FoursOnTheLeft: ("drop tiles", "tiles by cell: ", 4000),
    FoursInPairs: ("drop tiles", "tiles by the tile before: ", 4000),
    NotJustEmptied: ("drop cells", "cells that the move has just emptied: they get ", 300),
    NearTheCorner: ("drop cells", "cells: cell 0 gets ", 5000),
    FirstOfTwo: ("drop cells", "with two empty cells: they get ", 3000),
    SameCell: ("drop cells", "cells by the cell before: ", 2000),
}


@pytest.mark.parametrize("chance", POWER, ids=lambda chance: chance.__name__)
def test_wrong_chance_is_found(chance):
    """In each of 8 environments, after so many moves; the sentence says what is wrong."""
    check, text, moves = POWER[chance]
    for evidence in evidences(chance(8), moves):
        (finding,) = (finding for finding in checks(evidence) if finding.verdict == WRONG)
        assert finding.check == check
        assert finding.text.startswith(text)


def test_one_tile_drops_after_each_legal_move():
    (evidence,) = evidences(Chance(1), 200)
    for lost, verdict in (([], CONFORMS), ([7], WRONG)):
        steps = evidence.steps.copy()
        steps["next"][lost] = steps["after"][lost]
        assert verdicts(Evidence(RULES, steps, evidence.starts))["one drop"] == verdict
    steps["terminated"][lost] = True  # a game that is won
    assert verdicts(Evidence(RULES, steps, evidence.starts))["one drop"] == CONFORMS


def test_drops_are_not_tested_where_there_are_none_or_moves_are_wrong():
    (evidence,) = evidences(Chance(1), 500)
    evidence.steps["next"][::50] = 3
    assert {*verdicts(evidence).values()} == {CONFORMS, NOT_TESTED}
    assert {*verdicts(Evidence(RULES, NO_STEPS, evidence.starts)).values()} == {NOT_TESTED}
    assert checks(Evidence(RULES, evidence.steps, evidence.starts, frozenset({"drops", "starts"}))) == []


@pytest.mark.parametrize(
    ("start", "tile", "verdict"),
    [((1, 1), 1, CONFORMS), ((1, 1), 2, WRONG), (("drop", 3), 3, CONFORMS), (("drop", 3), 4, WRONG)],
)
def test_first_tiles_that_are_fixed(start, tile, verdict):
    boards = np.zeros((9, 9), np.uint8)
    boards[:, 0], boards[:, 1] = 1, tile
    assert verdicts(Evidence(Rules(rows=3, cols=3, start=start), NO_STEPS, boards))["first tiles"] == verdict
