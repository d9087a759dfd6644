"""A folder of recorded games: a new file for each game, and the best score among them."""

import os
from datetime import datetime
from pathlib import Path

from tdl.errors import CheckpointError
from tdl.game.rules import Rules
from tdl.sessions import game_file
from tdl.sessions.recorded_game import RecordedGame


class GameFolder:
    """Keeps recorded games.

    Parameters
    ----------
    folder : of the games; it is made with the first one. None: no game is kept, and none is known.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def best(self, rules: Rules) -> int:
        """The best score of the games of these rules; 0 without one. Files that are no games are passed over."""
        best = 0
        for path in self.folder.glob("*.json*") if self.folder is not None else ():
            if path.suffix not in game_file.ENDINGS:
                continue
            try:
                own_rules, score = game_file.rules_and_score(path)
            except CheckpointError:
                continue
            if own_rules == rules:
                best = max(best, score)
        return best

    def new_path(self, seed: int, episode: int) -> Path | None:
        """The file of a game that begins now: no other has its name. None where no game is kept."""
        if self.folder is None:
            return None
        now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        return self.folder / f"{now}_{seed}-{episode}_{os.getpid()}{game_file.ENDINGS[0]}"

    def save(self, path: Path, game: RecordedGame) -> None:
        """Write a game, in the folder or in another one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        game_file.save(path, game)
