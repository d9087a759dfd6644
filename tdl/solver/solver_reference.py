"""The exact solver in plain Python: slow and obvious, the compiled one is tested against it.

A board is a tuple of tile indices. Recursion with a dictionary, straight from the definition: neither layers nor
packed boards. It goes as deep as a game is long; for boards of more than four cells Python's limit must be raised.
"""

from collections.abc import Callable

import numpy as np

from tdl.game.game_reference import drops, move
from tdl.game.rules import DROP, Rules

Tiles = tuple[int, ...]
Moves = list[tuple[int, Tiles]]
"""(reward, afterstate) of each legal move, in the order of the actions."""

ValueFunction = Callable[[Tiles], float]
MoveValue = Callable[[int, Tiles], float]
"""The value of a move, from its reward and afterstate."""

Player = Callable[[Moves, MoveValue], float]
"""The value of a state that has moves, from these and a function that gives the value of one."""


def best(moves: Moves, value: MoveValue) -> float:
    """The player who knows all values."""
    return max(value(*move) for move in moves)


def random(moves: Moves, value: MoveValue) -> float:
    """The player who takes every legal move equally often."""
    return sum(value(*move) for move in moves) / len(moves)


def greedy(own: ValueFunction, gamma: float = 1.0) -> Player:
    """The player with `own` values of afterstates: float32 arithmetic, the first of equals."""

    def own_value(move: tuple[int, Tiles]) -> np.float32:
        return np.float32(move[0]) + np.float32(gamma) * np.float32(own(move[1]))

    def player(moves: Moves, value: MoveValue) -> float:
        return value(*max(moves, key=own_value))

    return player


def legal_moves(board: Tiles, rules: Rules) -> Moves:
    """The legal moves of a state."""
    moves = (move(list(board), action, rules) for action in range(4))
    return [(reward, tuple(after)) for after, reward in filter(None, moves)]


class Solver:
    """The exact values of a player's game, or with `reach` the probability of a tile of at least that value.

    Attributes
    ----------
    states, afterstates : the value of every board that the player looks up, by its tiles.
    start : the value of a game before its first tile.
    """

    def __init__(self, rules: Rules, player: Player = best, reach: int = 0) -> None:
        self.rules, self.player, self.reach = rules, player, reach
        self.states: dict[Tiles, float] = {}
        self.afterstates: dict[Tiles, float] = {}
        self.start = self._start((0,) * rules.cells, rules.start)

    def value(self, board: Tiles) -> float:
        """The value of a state; 0 when the game is over."""
        if board not in self.states:
            moves = legal_moves(board, self.rules)
            value = self.player(moves, self._value_of_move) if moves else 0.0
            self.states[board] = 1.0 if self._reached(board) else value
        return self.states[board]

    def value_after(self, board: Tiles) -> float:
        """The value of an afterstate."""
        if board not in self.afterstates:
            value = sum(share * self.value(state) for state, share in drops(board, self.rules.drop))
            self.afterstates[board] = 1.0 if self._reached(board) else value
        return self.afterstates[board]

    def _value_of_move(self, reward: int, after: Tiles) -> float:
        return (0 if self.reach else reward) + self.value_after(after)

    def _start(self, board: Tiles, law: tuple[int | str, ...]) -> float:
        if not law:
            return self.value(board)
        tiles = self.rules.drop if law[0] == DROP else ((int(law[0]), 1.0),)
        return sum(share * self._start(following, law[1:]) for following, share in drops(board, tiles))

    def _reached(self, board: Tiles) -> bool:
        return bool(self.reach) and max(map(self.rules.value, board)) >= self.reach
