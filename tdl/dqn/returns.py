"""n-step returns: from the moves of games played at once to transitions for the replay."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.dqn.options import DQNOptions
from tdl.dqn.replay import Transitions
from tdl.players.batch_moves import Moves

Which = NDArray[np.int64]


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

    def add(self, which: Which, moves: Moves, actions: NDArray[np.int64], rewards: NDArray[Any]) -> None:
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
            held = (k < self.held[which]).astype(np.float32)
            discount = self.options.gamma ** (k - self.of_afterstates)
            total += held * np.float32(discount) * self.reward[which, (first + k) % n]
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
