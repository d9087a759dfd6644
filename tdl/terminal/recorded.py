"""A recorded game on the screen: forth and back, by steps or by itself."""

from itertools import accumulate
from typing import ClassVar

from textual.binding import BindingType

from tdl.game.boards import unpack
from tdl.game.rules import ACTION_NAMES
from tdl.sessions.recorded_game import RecordedGame
from tdl.terminal.app import GameApp, key
from tdl.terminal.view import Hints, Pairs, View

KEYS = (
    ("←→", "a move"),
    ("space", "play"),
    ("home end", "first, last"),
    ("+ -", "speed"),
    ("?", "values"),
    ("q", "quit"),
)


class RecordedGameApp(GameApp):
    """Shows a recorded game.

    Parameters
    ----------
    game : the record, as `tdl.sessions.game_file.load` gives it.
    speed : moves a second while it plays by itself.
    theme : of the screen.

    Attributes
    ----------
    at : number of moves before the board that is shown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        key("right,d,l", "go(1)"),
        key("left,a,h,u,backspace", "go(-1)"),
        key("pagedown", "go(10)"),
        key("pageup", "go(-10)"),
        key("home", "to(0)"),
        key("end", "to(-1)"),
        key("question_mark,i", "values"),
    ]

    def __init__(self, game: RecordedGame, speed: float = 4.0, theme: str = "dark") -> None:
        super().__init__(speed, playing=False, theme=theme)
        self.game, self.boards, self.at, self.values = game, game.boards(), 0, True
        self.scores = [0, *accumulate(move.reward for move in game.moves)]
        self._figures = _figures(game)

    def ready(self) -> bool:
        """Whether there is a further move."""
        if self.at == len(self.game.moves):
            self.playing = self.stepping = False
        return self.at < len(self.game.moves)

    def advance(self) -> None:
        """Show the next move."""
        self.at += 1
        self.playing = self.playing and self.at < len(self.game.moves)

    def action_go(self, by: int) -> None:
        """Go forward, or back."""
        self.action_to(min(max(self.at + by, 0), len(self.game.moves)))

    def action_to(self, at: int) -> None:
        """Show the board after `at` moves; -1: the last one."""
        self.playing = self.stepping = False
        self.at = at if at >= 0 else len(self.game.moves)
        self.changed()

    def action_values(self) -> None:
        """Show the action values, or no longer."""
        self.values = not self.values
        self.changed()

    def view(self) -> View:
        """The content of the screen."""
        game, at = self.game, self.at
        ended = at == len(game.moves)
        if ended:
            hints = None
            message = f"{'Game over' if game.complete else 'The game was given up'}: score {game.score:,}"
        else:
            move = game.moves[at]
            hints = Hints(move.values, move.action) if self.values else None
            message = f"next: {ACTION_NAMES[move.action]}, by the {move.by}"
            message += f", loses {move.loss:,.1f}" if move.loss else ""
        return View(
            game.rules,
            tuple(unpack(self.boards[at], game.rules)),
            game.moves[at - 1].cell if at else None,
            self.scores[at],
            None,
            (("move", f"{at:,} of {len(game.moves):,}"), *self._figures),
            hints,
            f"▶ {self.speed:g} moves a second" if self.playing else "a recorded game",
            message,
            ended,
            KEYS,
        )


def _figures(game: RecordedGame) -> Pairs:
    """The figures that stay the same from move to move."""
    return (
        ("end", f"{game.score:,}, tile {game.max_tile:,}"),
        ("game", game.rules.name),
        ("seed", f"{game.seed}, game {game.episode}"),
        ("plies", str(game.search.plies)),
        ("agent", "none" if game.checkpoint is None else game.checkpoint[:12]),
    )
