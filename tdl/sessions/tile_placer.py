"""Who puts the tiles, asked about single boards: by the drop law, or where it leaves the player least."""

from __future__ import annotations

import numpy as np

from tdl.agents.player import Player
from tdl.errors import refuse
from tdl.game.engine import Engine, Stream
from tdl.game.packing import drawn, unpack
from tdl.game.rules import Rules
from tdl.game.streams import EVALUATION
from tdl.search.options import PlacerOptions
from tdl.sessions.recorded_game import dropped


class TilePlacer:
    """Chooses cell and tile; what it draws comes from one stream.

    Parameters
    ----------
    rules : of the game.
    placing : random, or an adversary of some kind.
    judge : whose values an adversary goes by; not needed with `placing.first_empty`.
    seed : of the stream.

    Raises
    ------
    ConfigError : an adversary without a judge.
    """

    def __init__(self, rules: Rules, placing: PlacerOptions, judge: Player | None = None, seed: int = 0) -> None:
        if placing.kind == "adversary" and not placing.first_empty and judge is None:
            raise refuse("judge", None, "a player whose values an adversary goes by")
        self.rules, self.placing, self.judge = rules, placing, judge
        self.engine, self._drops = Engine(rules), Stream(seed, EVALUATION, 0)

    def put(self, board: int, tile: int | None = None) -> tuple[int, int]:
        """Cell and tile index on a packed board with an empty cell.

        Parameters
        ----------
        tile : index of the tile that has to be put; None: by the placer's own choice.
        """
        if self.placing.kind == "random":
            return dropped(board, self.engine.place(board, self._drops, tile or 0), self.rules)
        drop = drawn(self._drops.next(), self.rules) if tile is None else tile
        empty = [cell for cell, content in enumerate(unpack(board, self.rules)) if not content]
        if self.placing.first_empty:
            return empty[0], drop
        chosen = tile is None and self.placing.tile == "chosen"
        tiles = [index for index, _ in self.rules.drop] if chosen else [drop]
        options = [(cell, each) for each in tiles for cell in empty]
        return min(options, key=lambda option: self._left(board | option[1] << self.rules.bits * option[0]))

    def _left(self, board: int) -> float:
        """What a board leaves the player: the twin is `tdl.search.adversary_reference`."""
        judge, depth = self.judge, self.placing.depth
        assert judge is not None
        if self.engine.terminal(board):
            return 0.0
        if depth == 1:
            return judge.value(board) if judge.target == "state" else float(np.nanmax(judge.values(board)))
        return float(np.nanmax(judge.values(board, depth, placer=self.placing)))
