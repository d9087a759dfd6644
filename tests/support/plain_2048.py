"""2048 in plain Python as others write it, right, with the conventions of programs: single, vector, functions."""

import random

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv

UP, RIGHT, DOWN, LEFT = range(4)


class Plain(gymnasium.Env):
    """A right environment.

    Parameters
    ----------
    size : rows and columns.
    order : which of up, right, down, left (0 to 3) each action is.
    shown : what is observed: "values", "indices", "planes" (one-hot), "flat", or "dict".
    first : number of first tiles.
    illegal : what an illegal move does: "ignored", "ends", "truncates", "raises" or "costs" (reward -1).
    paid : the reward of the gained points.
    limit : steps after which a game is truncated.
    goal : exponent of the tile that ends a game.
    masked : whether info has a mask.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self, size=(3, 3), order=(UP, RIGHT, DOWN, LEFT), shown="values", first=2, illegal="ignored",
        paid=float, limit=None, goal=None, masked=False,
    ):  # fmt: skip
        self.rows, self.cols = size
        self.order, self.shown, self.first, self.illegal, self.paid = order, shown, first, illegal, paid
        self.limit, self.goal, self.masked = limit, goal, masked
        self.rng, self.slid, self.dropped = random.Random(), {}, []
        rows = [[r * self.cols + c for c in range(self.cols)] for r in range(self.rows)]
        columns = [list(column) for column in zip(*rows, strict=True)]
        self.lines = {LEFT: rows, RIGHT: [row[::-1] for row in rows], UP: columns, DOWN: [c[::-1] for c in columns]}
        self.action_space = spaces.Discrete(4)
        self.observation_space = self.space()

    # What happens

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.seed(seed)
        self.board, self.score, self.steps, self.dropped = [0] * (self.rows * self.cols), 0, 0, []
        self.start()
        return self.observed(), self.info()

    def step(self, action):
        direction, before = self.order[int(action)], self.board
        self.steps += 1
        self.board, gained = self.moved(before, direction)
        if self.board == before:
            return self.refused(direction)
        self.score += self.scored(gained)
        self.drop(before)
        won = self.goal is not None and max(self.board) >= self.goal
        return self.answer(self.reward(gained), won or self.over())

    def answer(self, reward, terminated):
        truncated = self.limit is not None and self.steps >= self.limit
        return self.observed(), reward, terminated, truncated, self.info()

    def refused(self, direction):
        if self.illegal == "raises":
            raise ValueError(f"illegal move {direction}")
        observed, reward, terminated, truncated, info = self.answer(self.paid(0), self.over())
        reward = -1.0 if self.illegal == "costs" else reward
        return observed, reward, terminated or self.illegal == "ends", truncated or self.illegal == "truncates", info

    # The rules, a method each

    def moved(self, board, direction):
        board, gained = list(board), 0
        for cells in self.lines[direction]:
            line = tuple([board[cell] for cell in cells])
            if line not in self.slid:
                self.slid[line] = self.slide(line)
            slid, more = self.slid[line]
            gained += more
            for cell, tile in zip(cells, slid, strict=True):
                board[cell] = tile
        return board, gained

    def slide(self, line):
        tiles, out, gained = [tile for tile in line if tile], [], 0
        while tiles:
            tile = tiles.pop(0)
            if tiles and tiles[0] == tile:
                tile = tiles.pop(0) + 1
                gained += 2**tile
            out.append(tile)
        return out + [0] * (len(line) - len(out)), gained

    def start(self):
        for _ in range(self.first):
            self.put(self.rng.choice(self.empty()), self.tile())

    def drop(self, before):
        self.put(self.cell(before), self.tile())

    def put(self, cell, tile):
        self.board[cell] = tile
        self.dropped.append((cell, tile))

    def cell(self, before):
        return self.rng.choice(self.empty())

    def tile(self):
        return 1 if self.rng.random() < 0.9 else 2

    def empty(self):
        return [cell for cell, tile in enumerate(self.board) if not tile]

    def over(self):
        return 0 not in self.board and not any(self.legal_moves())

    def legal_moves(self):
        return [self.moved(self.board, direction)[0] != self.board for direction in self.order]

    def reward(self, gained):
        return self.paid(gained)

    def scored(self, gained):
        return gained

    def seed(self, seed):
        self.rng = random.Random(seed)

    # What is seen

    def space(self):
        cells, values = (self.rows, self.cols), spaces.Box(0, 2**20, (self.rows, self.cols), np.int64)
        return {
            "values": values,
            "indices": spaces.Box(0, 20, cells, np.uint8),
            "planes": spaces.Box(0, 1, (*cells, 16), np.float32),
            "flat": spaces.Box(0, 2**20, (self.rows * self.cols,), np.int64),
            "dict": spaces.Dict({"board": values, "mask": spaces.MultiBinary(4)}),
        }[self.shown]

    def observed(self):
        board = np.array(self.board)
        values = np.where(board, 2**board, 0)
        if self.shown == "planes":
            return np.eye(16, dtype=np.float32)[board].reshape(self.rows, self.cols, 16)
        if self.shown == "indices":
            return board.astype(np.uint8).reshape(self.rows, self.cols)
        if self.shown == "flat":
            return values
        rows = values.reshape(self.rows, self.cols)
        return rows if self.shown == "values" else {"board": rows, "mask": np.array(self.legal_moves(), np.int8)}

    def info(self):
        mask = {"action_mask": np.array(self.legal_moves(), np.int8)} if self.masked else {}
        return {"score": self.score, **mask}


class Lanes(SyncVectorEnv):
    """Several games at once; `claimed` is the mode of auto-reset that it names."""

    def __init__(self, env=Plain, n=8, mode=AutoresetMode.NEXT_STEP, claimed=None):
        super().__init__([env] * n, autoreset_mode=mode)
        self.metadata = {**self.metadata, "autoreset_mode": claimed or mode}


class Functions:
    """The rules of an environment as functions of boards."""

    def __init__(self, env=None):
        self.env = env or Plain()
        self.rows, self.cols = self.env.rows, self.env.cols

    def move(self, board, action):
        env = self.env
        moved, gained = env.moved(self._indices(board), env.order[action])
        return self._rows(moved), env.reward(gained)

    def drop(self, board, rng):
        env = self.env
        env.board, env.rng = self._indices(board), random.Random(int(rng.integers(2**32)))
        env.drop(env.board)
        return self._rows(env.board)

    def over(self, board):
        self.env.board = self._indices(board)
        return self.env.over()

    def _indices(self, board):
        return [int(value).bit_length() - 1 if value else 0 for value in np.ravel(board)]

    def _rows(self, board):
        values = np.array([2**tile if tile else 0 for tile in board])
        return values.reshape(self.env.rows, self.env.cols)
