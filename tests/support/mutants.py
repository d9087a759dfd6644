"""Wrong environments of 2048: `MUTANTS` has each with the checks of `tdl.conformance` that are to say so."""

import random

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from support.plain_2048 import LEFT, RIGHT, Lanes, Plain

MUTANTS = {}


def wrong(*checks, **settings):
    """Register a class in `MUTANTS`, with the settings to make it and the checks that are to call it wrong."""

    def register(mutant):
        MUTANTS[mutant.__name__] = (mutant, settings, {*checks})
        return mutant

    return register


# Slides


@wrong("slides")
class MergesTwice(Plain):
    """A merged tile merges again in the same move: [2, 2, 4] becomes [8]."""

    def slide(self, line):
        out, gained = super().slide(line)
        again, more = super().slide(out)
        return (again, gained + more) if again != out else (out, gained)


@wrong("slides")
class MergesFromTheWrongEnd(Plain):
    """Moved left, [2, 2, 2] becomes [2, 4]."""

    def slide(self, line):
        out, gained = super().slide(line[::-1])
        tiles = [tile for tile in out[::-1] if tile]
        return tiles + [0] * (len(line) - len(tiles)), gained


@wrong("slides")
class MergesThree(Plain):
    """Three equal tiles become one of twice their value."""

    def slide(self, line):
        if len(line) == 3 and 0 < line[0] == line[1] == line[2]:
            return [line[0] + 1, 0, 0], 2 ** (line[0] + 1)
        return super().slide(line)


@wrong("slides")
class NoMergeAcrossGaps(Plain):
    """Tiles with an empty cell between them do not merge."""

    def slide(self, line):
        out, gained = [], 0
        for i, tile in enumerate(line):
            if tile and i and tile == line[i - 1] and out and out[-1] == tile:
                out[-1], gained = tile + 1, gained + 2 ** (tile + 1)
            elif tile:
                out.append(tile)
        return out + [0] * (len(line) - len(out)), gained


@wrong("slides")
class MovesRightWithoutMerging(Plain):
    def moved(self, board, direction):
        if direction != RIGHT:
            return super().moved(board, direction)
        board = list(board)
        for cells in self.lines[RIGHT]:
            tiles = [board[cell] for cell in cells if board[cell]]
            for cell, tile in zip(cells, tiles + [0] * (len(cells) - len(tiles)), strict=True):
                board[cell] = tile
        return board, 0


@wrong("slides")
class SlidesOneCell(Plain):
    """Tiles move by one cell, as in Threes."""

    def slide(self, line):
        for i in range(1, len(line)):
            if line[i] and line[i - 1] in (0, line[i]):
                merged = line[i] + 1 if line[i - 1] else line[i]
                return [*line[: i - 1], merged, *line[i + 1 :], 0], 2**merged if line[i - 1] else 0
        return list(line), 0


@wrong("slides")
class LosesLargeTiles(Plain):
    """Tiles above 16 become 0, as those above 128 do where values are bytes."""

    largest = 4

    def slide(self, line):
        out, gained = super().slide(line)
        return [tile if tile <= self.largest else 0 for tile in out], gained


@wrong("slides")
class KeepsTilesAtALimit(LosesLargeTiles):
    """The largest tile does not grow."""

    def slide(self, line):
        out, gained = Plain.slide(self, line)
        return [min(tile, self.largest) for tile in out], gained


# Rewards


@wrong("rewards", "score")
class PaysTheFirstMerge(Plain):
    def moved(self, board, direction):
        moved, _ = super().moved(board, direction)
        gains = (self.slid[tuple(board[cell] for cell in cells)][1] for cells in self.lines[direction])
        return moved, next(filter(None, gains), 0)


@wrong("rewards")
class PaysTheScore(Plain):
    """Each reward is the score so far."""

    def reward(self, gained):
        return float(self.score)


@wrong("rewards")
class PaysTheDrop(Plain):
    """The value of the tile that drops is a part of the reward."""

    def reward(self, gained):
        return float(gained + 2 ** self.dropped[-1][1])


@wrong("rewards")
class PaysLate(Plain):
    """Each reward is that of the move before."""

    late = 0.0

    def answer(self, reward, terminated):
        observed, reward, *rest = super().answer(reward, terminated)
        reward, self.late = self.late, reward
        return observed, reward, *rest

    def start(self):
        self.late = 0.0
        super().start()


@wrong("rewards")
class PaysNoNumber(Plain):
    def reward(self, gained):
        return float("nan")


@wrong("rewards")
class PaysIllegalMoves(Plain):
    def refused(self, direction):
        observed, _, *rest = super().refused(direction)
        return observed, 4.0, *rest


# Drops


@wrong("illegal moves", "rewards", "score")
class PlaysAnotherMove(Plain):
    """For an illegal move a legal one is played."""

    def refused(self, direction):
        legal = [action for action, mark in enumerate(self.legal_moves()) if mark]
        return self.step(legal[0]) if legal else super().refused(direction)


@wrong("illegal moves")
class DropsAfterIllegalMoves(Plain):
    def refused(self, direction):
        if 0 in self.board:
            self.drop(self.board)
        return self.answer(0.0, self.over())


@wrong("one drop")
class DropsTwo(Plain):
    def drop(self, before):
        super().drop(before)
        if 0 in self.board:
            super().drop(before)


@wrong("one drop")
class NeverFillsTheBoard(Plain):
    """No tile drops where one cell is empty."""

    def drop(self, before):
        if self.board.count(0) > 1:
            super().drop(before)


@wrong("drop tiles", "first tiles")
class DropsEqualTiles(Plain):
    def tile(self):
        return self.rng.choice((1, 2))


@wrong("drop tiles", "first tiles")
class DropsOnlyTwos(Plain):
    def tile(self):
        return 1


@wrong("drop tiles", "first tiles")
class DropsFoursTwiceAsOften(Plain):
    def tile(self):
        return 1 if self.rng.random() < 0.8 else 2


@wrong("drop tiles")
class DropsEights(Plain):
    def drop(self, before):
        super().drop(before)
        if self.rng.random() < 0.01:
            self.board[self.dropped[-1][0]] = 3


@wrong("drop tiles")
class DropsFoursWhereCellsAreFew(Plain):
    """Where one to three cells are empty, half of the tiles are 4."""

    def tile(self):
        few = self.dropped and self.board.count(0) <= 3
        return self.rng.choice((1, 2)) if few else super().tile()


@wrong("drop cells")
class DropsOnTheFirstEmptyCell(Plain):
    def cell(self, before):
        return self.empty()[0]


@wrong("drop cells")
class DropsOnlyWhereEmptyBefore(Plain):
    """A tile drops on a cell that the move has emptied only where there is no other."""

    def cell(self, before):
        return self.rng.choice([cell for cell in self.empty() if not before[cell]] or self.empty())


@wrong("drop cells")
class DropsNearACorner(Plain):
    """The first cell gets twice its share."""

    def cell(self, before):
        cells = self.empty()
        return self.rng.choice([0, *cells] if not self.board[0] else cells)


@wrong("drop cells")
class DropsOnTheFirstOfTwo(Plain):
    def cell(self, before):
        cells = self.empty()
        return cells[0] if len(cells) == 2 else self.rng.choice(cells)


@wrong("drop tiles")
class DropsFoursOnTheLeft(Plain):
    """The tile depends on the cell: 4 at 30% in the first column, else never."""

    def drop(self, before):
        cell = self.cell(before)
        self.put(cell, 2 if cell % self.cols == 0 and self.rng.random() < 0.1 * self.cols else 1)


@wrong("drop tiles", "first tiles")
class DropsFoursInPairs(Plain):
    """A 4 follows another in half of the cases."""

    def tile(self):
        last = self.dropped[-1][1] if self.dropped else 1
        return 2 if self.rng.random() < (0.5 if last == 2 else 0.5 / 9) else 1


@wrong("drop cells")
class DropsWhereItDidBefore(Plain):
    """Of two random cells the tile takes that of the last one."""

    def cell(self, before):
        cells = self.rng.choices(self.empty(), k=2)
        return self.dropped[-1][0] if self.dropped[-1][0] in cells else cells[0]


@wrong("slides")
class DropsOverTiles(Plain):
    """Any cell is drawn; the tile that it holds is lost."""

    def cell(self, before):
        return self.rng.randrange(len(self.board))


@wrong("one drop")
class DropsOnTiles(Plain):
    """Any cell is drawn; where it holds a tile, none drops."""

    def drop(self, before):
        cell = self.rng.randrange(len(self.board))
        if not self.board[cell]:
            self.put(cell, self.tile())


# First tiles


@wrong("first tiles")
class BeginsWithTwos(Plain):
    def start(self):
        for _ in range(self.first):
            self.put(self.rng.choice(self.empty()), 1)


@wrong("first tiles")
class BeginsInTheFirstRow(Plain):
    def start(self):
        for cell in self.rng.sample(range(self.cols), self.first):
            self.put(cell, self.tile())


@wrong("number of first tiles")
class LosesAFirstTile(Plain):
    """Both first tiles may fall on one cell."""

    def start(self):
        for _ in range(self.first):
            self.put(self.rng.randrange(len(self.board)), self.tile())


# The end


@wrong("end")
class EndsWhenFull(Plain):
    def over(self):
        return 0 not in self.board


@wrong("end")
class EndsLate(Plain):
    """Whether a move is left is asked before the drop."""

    def step(self, action):
        observed, reward, _, truncated, info = super().step(action)
        return observed, reward, self.was_over, truncated, info

    def drop(self, before):
        self.was_over = self.over()
        super().drop(before)

    def refused(self, direction):
        self.was_over = self.over()
        return super().refused(direction)


@wrong("end")
class EndsWithoutLookingUp(Plain):
    """Only moves to the left and right are asked for."""

    def over(self):
        board = self.board
        return 0 not in board and all(self.moved(board, way)[0] == board for way in (LEFT, RIGHT))


@wrong("errors")
class FailsAtTheEnd(Plain):
    """The cell of the next drop is drawn in advance."""

    def drop(self, before):
        super().drop(before)
        self.rng.choice(self.empty())


@wrong("end")
class TruncatesAtTheEnd(Plain):
    """The end of a game is called a truncation."""

    def answer(self, reward, terminated):
        observed, reward, terminated, truncated, info = super().answer(reward, terminated)
        return observed, reward, truncated, terminated, info


@wrong("mask", masked=True)
class MasksBeforeTheDrop(Plain):
    def start(self):
        super().start()
        self.mask = self.legal_moves()

    def drop(self, before):
        self.mask = self.legal_moves()
        super().drop(before)

    def info(self):
        return {**super().info(), "action_mask": np.array(self.mask, np.int8)}


@wrong("score")
class ScoresAtMostSixteen(Plain):
    """A move adds at most 16 to the score in info."""

    def scored(self, gained):
        return min(gained, 16)


@wrong("score")
class KeepsTheScore(Plain):
    """The score goes on from game to game."""

    def reset(self, **words):
        score = getattr(self, "score", 0)
        super().reset(**words)
        self.score = score
        return self.observed(), self.info()


# Seeds and the contract of Gymnasium


@wrong("seeds")
class IgnoresSeeds(Plain):
    """Each game goes on with the random numbers of the last one."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.rng = random.Random(0)

    def seed(self, seed):
        pass


@wrong("seeds")
class UsesTheGlobalGenerator(Plain):
    """Who draws from it elsewhere changes the game."""

    def seed(self, seed):
        self.rng = random


@wrong("seeds")
class SeedsTheFirstBoardAlone(Plain):
    def drop(self, before):
        seeded, self.rng = self.rng, random
        super().drop(before)
        self.rng = seeded


@wrong("seeds")
class PlaysOneGame(Plain):
    """Every seed gives the same game."""

    def seed(self, seed):
        super().seed(0)


@wrong("seeds")
class RepeatsTheGame(Plain):
    """A reset without a seed begins the same game again."""

    def reset(self, *, seed=None, options=None):
        self.last = getattr(self, "last", 0) if seed is None else seed
        return super().reset(seed=self.last)


@wrong("arrays")
class OverwritesObservations(Plain):
    def observed(self):
        self.array = getattr(self, "array", super().observed())
        self.array[:] = super().observed()
        return self.array


@wrong("spaces")
class ObservesOutsideItsSpace(Plain):
    def space(self):
        return spaces.Box(0, 16, (self.rows, self.cols), np.int64)


@wrong("spaces")
class ObservesAnotherType(Plain):
    def space(self):
        return spaces.Box(0, 2**20, (self.rows, self.cols), np.float32)


@wrong("spaces")
class ObservesAnotherShape(Plain):
    def space(self):
        return spaces.Box(0, 2**20, (self.rows, self.cols, 1), np.int64)


@wrong("interface")
class ReturnsFourThings(Plain):
    """As environments of the older Gym."""

    def step(self, action):
        observed, reward, terminated, truncated, info = super().step(action)
        return observed, reward, terminated or truncated, info


@wrong("interface")
class ResetsWithoutInfo(Plain):
    def reset(self, **words):
        return super().reset(**words)[0]


@wrong("interface")
class EndsWithNumbers(Plain):
    def step(self, action):
        observed, reward, terminated, *rest = super().step(action)
        return observed, reward, int(terminated), *rest


# Vector environments


@wrong("seeds")
class BeginsAllLanesAlike(Lanes):
    def reset(self, *, seed=None, options=None):
        return super().reset(seed=[seed] * self.num_envs if isinstance(seed, int) else seed, options=options)


@wrong("auto-reset", mode=AutoresetMode.SAME_STEP, claimed=AutoresetMode.NEXT_STEP)
class ClaimsTheNextStep(Lanes):
    pass


@wrong("auto-reset", mode=AutoresetMode.NEXT_STEP, claimed=AutoresetMode.SAME_STEP)
class ClaimsTheSameStep(Lanes):
    pass
