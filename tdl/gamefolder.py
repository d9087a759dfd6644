"""The folder of the games that people played: one file for each, and the best score among them."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from tdl import gamefiles
from tdl.agents.games import Game
from tdl.errors import CheckpointError
from tdl.game.rules import Rules


class GameFolder:
    """Where games are left, and which were.

    Parameters
    ----------
    folder : of the games; it is made when the first is left. None: nothing is left, and nothing is known.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def best(self, rules: Rules) -> int:
        """The best score of the games of these rules; 0 without one. What is no game is passed over."""
        best = 0
        for path in self.folder.glob("*.json") if self.folder is not None else ():
            try:
                played_by, score = gamefiles.told(path)
            except CheckpointError:
                continue
            if played_by == rules:
                best = max(best, score)
        return best

    def new_path(self, seed: int, episode: int) -> Path | None:
        """The file of a game that begins now: no other has its name. None where nothing is left."""
        if self.folder is None:
            return None
        now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        return self.folder / f"{now}_{seed}-{episode}_{os.getpid()}.json"

    def save(self, path: Path, game: Game) -> None:
        """Leave a game.

        Raises
        ------
        OSError : it cannot be written.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        gamefiles.save(path, game)
