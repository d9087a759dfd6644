"""Many boards side by side in plain Python, played by the reference game: what `Batch` is compared with."""

from tdl.game.game_reference import Stream, move, place, start, terminal


class ReferenceBatch:
    """`tdl.game.batch.Batch` by the reference game: the same methods, with lists for arrays."""

    def __init__(self, rules, n):
        self.rules, self.n = rules, n
        self.tiles = [[0] * rules.cells for _ in range(n)]
        self.score, self.moves, self.episode = [0] * n, [0] * n, [-1] * n
        self.drops = {}

    def start(self, which, seed, role, episodes):
        """Begin new games."""
        for i, episode in zip(which, episodes, strict=True):
            self.drops[i] = Stream(seed, role, episode)
            self.tiles[i] = start(self.drops[i], self.rules)
            self.score[i], self.moves[i], self.episode[i] = 0, 0, episode

    def step(self, actions, which):
        """Play a legal move on each board, and let a tile drop: the rewards."""
        gained = []
        for i, action in zip(which, actions, strict=True):
            moved = move(self.tiles[i], action, self.rules)
            self.tiles[i] = place(moved[0], self.drops[i], self.rules)
            self.score[i] += moved[1]
            self.moves[i] += 1
            gained.append(moved[1])
        return gained

    @property
    def legal(self):
        """Whether each action changes the board."""
        return [[move(board, action, self.rules) is not None for action in range(4)] for board in self.tiles]

    @property
    def rewards(self):
        """What each action earns."""
        return [[(move(board, action, self.rules) or (board, 0))[1] for action in range(4)] for board in self.tiles]

    @property
    def over(self):
        """Whether no action is legal."""
        return [terminal(board, self.rules) for board in self.tiles]

    @property
    def max_tile(self):
        """Values of the largest tiles."""
        return [max(self.rules.value(tile) for tile in board) for board in self.tiles]

    def afterstates(self):
        """The boards that the actions lead to; an illegal action leaves its board as it is."""
        return [[(move(board, action, self.rules) or (board, 0))[0] for action in range(4)] for board in self.tiles]
