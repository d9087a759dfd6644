"""A player of 2048 or a game like it, by an n-tuple network that `tdl` trained. It needs NumPy; Python 3.8 or later.

    best(board)                the best move: 0 (up), 1 (right), 2 (down), 3 (left); None when the game is over
    values(board)              what each of these four moves is worth in points; nan where it changes nothing
    get_action(state, score)   the number of the best move in ACTIONS; 0 when the game is over

A board is an array or nested lists of tile values, 0 for an empty cell. The network is in player.npz beside this file;
`Player("other.npz")` plays by another one.
"""

import os

import numpy as np

MOVES = ["up", "right", "down", "left"]
ACTIONS = ["up", "right", "down", "left"]  # what 0, 1, 2 and 3 are where get_action is called


class Player:
    """Chooses the move with the largest reward + gamma * V(the board after it).

    In here a board is a list of tile indices: 0 for an empty cell, 1 for the smallest tile, and so on. The arrays of
    the file are attributes:

    shape                    rows and columns of the board
    tiles                    the tile value of each index; the last one is above the largest tile
    merges                   [a, b]: the index that two tiles merge into; 0: they do not
    gamma                    the discount
    drop_tiles, drop_shares  where V is of boards before moves: which tiles drop, and how often; else empty
    weights                  all tables, one after the other; those of the next stage begin `stride` later
    first, powers            of each feature: where its table begins, and what each digit is multiplied by
    radix                    digits of tiles are below it: larger tiles count as its last
    pairs, counted, cap      the cells that order features compare; what count features count, and how far
    thresholds, by_sum       where stages begin: by the sum of all tiles, or by the largest tile
    """

    def __init__(self, path):
        with np.load(path, allow_pickle=False) as arrays:
            self.__dict__.update((name, arrays[name]) for name in arrays.files)
        self.largest = len(self.tiles) - 2
        self.index_of = {value: index for index, value in enumerate(self.tiles[:-1].tolist())}
        self.shape = tuple(self.shape.tolist())
        cells = np.arange(self.shape[0] * self.shape[1]).reshape(self.shape)
        self.lines = [side.tolist() for side in (cells.T, cells[:, ::-1], cells.T[:, ::-1], cells)]  # as MOVES
        self.slides = {}  # what becomes of the lines that were seen

    def best(self, board):
        """The move with the largest value, the first of equals; None when the game is over."""
        values = self.values(board)
        return None if np.isnan(values).all() else int(np.nanargmax(values))

    def values(self, board):
        """What the moves up, right, down and left are worth: an array of 4, nan where a move changes nothing."""
        before, values = self.read(board), np.full(4, np.nan)
        moves = [self.move(before, lines) for lines in self.lines]
        legal = [action for action, (after, _) in enumerate(moves) if after != before]
        if legal:
            rewards = np.array([moves[action][1] for action in legal], np.float32)
            values[legal] = rewards + self.gamma * self.worth([moves[action][0] for action in legal])
        return values

    def read(self, board):
        """The tile indices of a board of tile values."""
        board = np.asarray(board)
        if board.shape not in (self.shape, (self.shape[0] * self.shape[1],)):
            raise ValueError(f"a board of shape {board.shape}; expected {self.shape}")
        try:
            return [self.index_of[value] for value in board.ravel().tolist()]
        except KeyError as error:
            raise ValueError(f"{error} is no tile; expected one of {list(self.index_of)}") from None

    def move(self, board, lines):
        """The board after its lines slid towards their first cells, and the reward."""
        after, reward = list(board), 0
        for cells in lines:
            line = tuple([board[cell] for cell in cells])
            if line not in self.slides:
                self.slides[line] = self.slide(line)
            slid, gain = self.slides[line]
            reward += gain
            for place, cell in enumerate(cells):
                after[cell] = slid[place]
        return after, reward

    def slide(self, line):
        """A line after it slid towards its first cell, and the reward. A merged tile does not merge again."""
        tiles, after, reward = [tile for tile in line if tile], [], 0
        while tiles:
            tile = tiles.pop(0)
            merged = int(self.merges[tile, tiles[0]]) if tiles else 0
            if merged:
                del tiles[0]
                reward += int(self.tiles[merged])
                tile = min(merged, self.largest)
            after.append(tile)
        return after + [0] * (len(line) - len(after)), reward

    def worth(self, boards):
        """V of boards after moves; or where V is of boards before moves, its mean over what may drop."""
        return np.array([self.mean(board) for board in boards]) if len(self.drop_tiles) else self.value(boards)

    def mean(self, board):
        """The mean of V over all tiles that may drop on a board."""
        empty = [cell for cell, tile in enumerate(board) if not tile]
        dropped = [board[:cell] + [tile] + board[cell + 1 :] for cell in empty for tile in self.drop_tiles.tolist()]
        values = np.tile(self.drop_shares, len(empty)) * self.value(dropped)
        return np.float32(sum(values.tolist()) / len(empty))

    def value(self, boards):
        """V of boards: a sum of weights, one for each feature."""
        weights = self.weights[self.entries(np.array(boards).T)].astype(np.float32)
        parts = np.zeros((4, len(boards)), np.float32)  # four sums, one after the other: as the network was trained
        for start in range(0, len(weights), 4):
            four = weights[start : start + 4]
            parts[: len(four)] += four
        return (parts[0] + parts[1]) + (parts[2] + parts[3])

    def entries(self, boards):
        """Which weight each feature has on boards, of shape (cells, boards): shape (features, boards)."""
        a, b = boards[self.pairs]
        none = (a == 0) & (b == 0)
        counts = (boards == self.counted).sum(axis=1)
        digits = [np.minimum(boards, self.radix - 1), (a < b) | none, (a > b) | none, np.minimum(counts, self.cap)]
        entries = self.powers @ np.concatenate(digits) + self.first
        tiles = self.tiles[boards]
        measure = tiles.sum(axis=0) if self.by_sum else tiles.max(axis=0)
        return entries + self.stride * (measure >= self.thresholds).sum(axis=0)


_player = Player(os.path.join(os.path.dirname(os.path.abspath(__file__)), "player.npz"))
best, values = _player.best, _player.values


def get_action(state, score):
    """The best move on a board as its number in ACTIONS. The score so far does not change it."""
    move = best(state)
    return 0 if move is None else ACTIONS.index(MOVES[move])
