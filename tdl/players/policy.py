"""Functions as players: what a function of boards chooses is played on the drops that every agent meets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_whole, without_numpy
from tdl.errors import ConfigError, refuse
from tdl.game.batch import Batch
from tdl.game.boards import action_of, actions_of
from tdl.game.engine import EVALUATION, Engine
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.players.batch_play import Actions, Moves, Which, play_block
from tdl.players.kinds import Agent
from tdl.storage.records import Records
from tdl.training.options import OnProgress, PlayOptions

Choose = Callable[[NDArray[np.int64]], Any]
"""An action, 0 to 3 or its name, from the tile values of a board; or the actions of many boards."""


class Policy(Agent):
    """Plays what a function chooses.

    Parameters
    ----------
    choose : of the tile values of a board, int64 (rows, cols), 0 for an empty cell, gives a legal action.
    rules : of the game.
    boards : None: one board at a time, game after game. A number: so many games are played at once, and `choose` gives
        the n actions of boards of shape (n, rows, cols).
    """

    banded = False

    def __init__(self, choose: Choose, rules: Rules, boards: int | None = None) -> None:
        if boards is not None:
            check_whole("boards", boards, 1, 2**31)
        self.engine, self.choose, self.boards = Engine(rules), choose, boards
        self._values = np.array([rules.value(tile) for tile in range(rules.largest + 1)])

    def play(self, episodes: int, options: PlayOptions, on_progress: OnProgress | None = None) -> Records:
        """Play games; of the options seed and engine can be chosen."""
        if options != PlayOptions(seed=options.seed, engine=options.engine):
            raise ConfigError("policy: of the games of a function only seed and engine can be chosen")
        batch = Batch(self.rules, max(1, min(self.boards or 1, episodes)), engine=options.engine)
        return play_block(
            batch, 0, episodes, seed=options.seed, role=EVALUATION, select_actions=self._select_actions,
            on_progress=on_progress,
        )  # fmt: skip

    def _select_actions(self, _: Which, moves: Moves) -> Actions:
        boards = self._tiles(moves)
        if self.boards is None:
            return np.array([self._legal(self.choose(boards[0]), moves, 0)])
        actions = actions_of(self.choose(boards), len(boards))
        for row in np.flatnonzero(~moves.legal[np.arange(len(actions)), actions]):
            self._legal(actions[row], moves, int(row))
        return actions

    def _tiles(self, moves: Moves) -> NDArray[np.int64]:
        """Tile values, new arrays: a function may do with them what it likes."""
        boards: NDArray[np.int64] = self._values[moves.tiles].reshape(-1, self.rules.rows, self.rules.cols)
        return boards

    def _legal(self, choice: Any, moves: Moves, row: int) -> int:
        """The action that was chosen on a board; anything but a legal one is refused with the board."""
        legal = np.flatnonzero(moves.legal[row])
        try:
            if (action := action_of(choice)) in legal:
                return action
        except ConfigError:
            pass
        names = " or ".join(f"{action} ({ACTION_NAMES[action]})" for action in legal)
        raise refuse("action", without_numpy(choice), f"{names} on the board {self._tiles(moves)[row].tolist()}")
