"""Experience replay: moves become transitions with n-step returns, and a ring buffer keeps the newest of these."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import MAX_COUNT
from tdl.dqn.options import DQNOptions
from tdl.dqn.pytorch import torch
from tdl.errors import ConfigError
from tdl.game.rules import Rules
from tdl.players.batch_play import Actions, Moves, Which

Array = NDArray[Any]
Transitions = dict[str, Array]
"""Rows of transitions, arrays by name; n rows each:

board : uint8 (n, cells), tile indices of what is learned: the board moved on, or the afterstate.
action : int64 (n,), 0 to 3.
reward : float32 (n,), the discounted rewards of the target before it bootstraps.
next : uint8 (n, 1, cells), the board whose value the target bootstraps from; or (n, 4, cells), its four afterstates.
gains : float32 (n, 4), the rewards of that board's four moves.
legal : bool (n, 4), its legal moves; none where the game is over.
"""

COUNT = "count"


class Replay:
    """The newest transitions, in NumPy arrays, which checkpoints hold as they are.

    Parameters
    ----------
    options : its size, and what is learned.
    cells : of a board.

    Attributes
    ----------
    arrays : the ring by name, as `Transitions`, and `count`: number of transitions ever added, int64 (1,).
    """

    def __init__(self, options: DQNOptions, cells: int) -> None:
        size, boards = options.buffer_size, 4 if options.values_of == "afterstates" else 1
        self.size = size
        self.arrays: Transitions = {
            "board": np.zeros((size, cells), np.uint8),
            "action": np.zeros(size, np.int64),
            "reward": np.zeros(size, np.float32),
            "next": np.zeros((size, boards, cells), np.uint8),
            "gains": np.zeros((size, 4), np.float32),
            "legal": np.zeros((size, 4), np.bool_),
            COUNT: np.zeros(1, np.int64),
        }

    def __len__(self) -> int:
        return min(self.size, int(self.arrays[COUNT][0]))

    def add(self, transitions: Transitions) -> None:
        """Add transitions in their order, in place of the oldest."""
        count, n = int(self.arrays[COUNT][0]), len(transitions["board"])
        newest = min(n, self.size)
        where = np.arange(count + n - newest, count + n) % self.size
        for name, array in transitions.items():
            self.arrays[name][where] = array[n - newest :]
        self.arrays[COUNT][0] += n

    def rows(self, ages: Array) -> Transitions:
        """The transitions of these ages: 0 is the newest."""
        where = (int(self.arrays[COUNT][0]) - 1 - ages) % self.size
        return {name: array[where] for name, array in self.arrays.items() if name != COUNT}

    def newest_and_older(self, newest: int, older: int, generator: torch.Generator) -> Transitions:
        """The `newest` transitions and a sample of `older` others without replacement, or all there are."""
        newest = min(newest, len(self))
        sample = torch.randperm(len(self) - newest, generator=generator)[:older].numpy() + newest
        return self.rows(np.concatenate([np.arange(newest), sample]))

    def sample(self, number: int, generator: torch.Generator) -> Transitions:
        """A uniform sample of `number` transitions with replacement."""
        return self.rows(torch.randint(len(self), (number,), generator=generator).numpy())


def check_arrays(arrays: Transitions, rules: Rules) -> None:
    """Refuse arrays of a replay with what no game of these rules has."""
    inside = {
        COUNT: (arrays[COUNT] >= 0) & (arrays[COUNT] <= MAX_COUNT),
        "action": (arrays["action"] >= 0) & (arrays["action"] < 4),
        "board": arrays["board"] <= rules.cell_mask,
        "next": arrays["next"] <= rules.cell_mask,
        "legal": arrays["legal"].view(np.uint8) <= 1,
        "reward": np.isfinite(arrays["reward"]),
        "gains": np.isfinite(arrays["gains"]),
    }
    for name, fits in inside.items():
        if not fits.all():
            raise ConfigError(f"replay_{name}: it has what no game leaves")


class Returns:
    """Holds the last moves of each game until the board is known that their targets bootstrap from.

    For actions the target of Q(s, a) is the n rewards from that of a on, and the value of the board n moves later. For
    afterstates that of V(s') begins with the reward of the next move, and so has n - 1 rewards before that same board,
    whose value is the largest r + gamma V: this r is the n-th.

    Parameters
    ----------
    options : n_step, gamma, values_of and last_reward.
    games : number of games played at once.
    cells : of a board.
    """

    def __init__(self, options: DQNOptions, games: int, cells: int) -> None:
        self.options, n = options, options.n_step
        self.of_afterstates = options.values_of == "afterstates"
        self.board = np.zeros((games, n, cells), np.uint8)  # the move number m of a game stands at m % n
        self.action = np.zeros((games, n), np.int64)
        self.reward = np.zeros((games, n), np.float32)
        self.moves = np.zeros(games, np.int64)
        self.held = np.zeros(games, np.int64)

    def add(self, which: Which, moves: Moves, actions: Actions, rewards: Array) -> None:
        """Add a move of each of the games `which`."""
        slot = self.moves[which] % self.options.n_step
        boards = moves.after[np.arange(len(which)), actions] if self.of_afterstates else moves.tiles
        self.board[which, slot], self.action[which, slot], self.reward[which, slot] = boards, actions, rewards
        self.moves[which] += 1
        self.held[which] += 1

    def completed(self, which: Which, following: Moves) -> list[tuple[Which, Transitions]]:
        """The transitions that are complete now that the games `which` have come to `following`, with their games."""
        over = ~following.legal.any(axis=1)
        ended = which[over]
        if not self.options.last_reward:
            self.reward[ended, (self.moves[ended] - 1) % self.options.n_step] = 0
        full = self.held[which] == self.options.n_step
        out = [self._oldest(which[full], following[full])] if full.any() else []
        while (rest := over & (self.held[which] > 0)).any():
            out.append(self._oldest(which[rest], following[rest]))
        self.moves[ended] = 0
        return out

    def _oldest(self, which: Which, following: Moves) -> tuple[Which, Transitions]:
        """Remove the oldest move of each of these games, as a transition."""
        n, first = self.options.n_step, self.moves[which] - self.held[which]
        total = np.zeros(len(which), np.float32)
        for k in range(int(self.of_afterstates), n):  # an afterstate's own reward lies behind it
            known = (k < self.held[which]).astype(np.float32)
            discount = self.options.gamma ** (k - self.of_afterstates)
            total += known * np.float32(discount) * self.reward[which, (first + k) % n]
        slot = first % n
        self.held[which] -= 1
        return which, {
            "board": self.board[which, slot],
            "action": self.action[which, slot],
            "reward": total,
            "next": following.after if self.of_afterstates else following.tiles[:, None],
            "gains": following.rewards.astype(np.float32),
            "legal": following.legal,
        }
