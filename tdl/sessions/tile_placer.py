"""Tile placer: cell and tile for a single board, by the drop law or where an adversary leaves the player least."""

import numpy as np

from tdl.errors import refuse
from tdl.game.boards import drawn, unpack
from tdl.game.engine import EVALUATION, Engine, Stream
from tdl.game.rules import Rules
from tdl.players.player import Player
from tdl.search.options import PlacerOptions
from tdl.sessions.recorded_game import dropped


class TilePlacer:
    """Chooses cell and tile; what it draws comes from one stream.

    Parameters
    ----------
    rules : of the game.
    placer : random, or an adversary of some kind.
    evaluator : the player whose values an adversary uses; not needed with `placer.first_empty`.
    seed : of the stream.
    """

    def __init__(self, rules: Rules, placer: PlacerOptions, evaluator: Player | None = None, seed: int = 0) -> None:
        if placer.kind == "adversary" and not placer.first_empty and evaluator is None:
            raise refuse("evaluator", None, "a player whose values an adversary goes by")
        self.rules, self.placer, self.evaluator = rules, placer, evaluator
        self.engine, self._drops = Engine(rules), Stream(seed, EVALUATION, 0)

    def put(self, board: int, tile: int | None = None) -> tuple[int, int]:
        """Cell and tile index on a packed board with an empty cell.

        Parameters
        ----------
        tile : index of the tile that has to be put; None: the placer chooses.
        """
        if self.placer.kind == "random":
            return dropped(board, self.engine.place(board, self._drops, tile or 0), self.rules)
        drop = drawn(self._drops.next(), self.rules) if tile is None else tile
        empty = [cell for cell, content in enumerate(unpack(board, self.rules)) if not content]
        if self.placer.first_empty:
            return empty[0], drop
        chosen = tile is None and self.placer.tile == "chosen"
        tiles = [index for index, _ in self.rules.drop] if chosen else [drop]
        options = [(cell, option) for option in tiles for cell in empty]
        return min(options, key=lambda option: self._value(board | option[1] << self.rules.bits * option[0]))

    def _value(self, board: int) -> float:
        """The player's value of a board; the reference implementation is `tdl.search.adversary_reference`."""
        evaluator, depth = self.evaluator, self.placer.depth
        assert evaluator is not None
        if self.engine.terminal(board):
            return 0.0
        if depth == 1:
            return evaluator.value(board) if evaluator.target == "state" else float(np.nanmax(evaluator.values(board)))
        return float(np.nanmax(evaluator.values(board, depth, placer=self.placer)))
