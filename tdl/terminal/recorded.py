"""A recorded game on the screen: forth and back, by steps or by itself."""

from typing import ClassVar

from textual.binding import BindingType

from tdl.game.boards import unpack
from tdl.game.rules import ACTION_NAMES
from tdl.sessions.recorded_game import RecordedGame
from tdl.terminal.app import GameApp, key
from tdl.terminal.colours import DARK, Colours
from tdl.terminal.view import Hints, View

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
    colours : of the screen.

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

    def __init__(self, game: RecordedGame, speed: float = 4.0, colours: Colours = DARK) -> None:
        super().__init__(speed, playing=False, colours=colours)
        self.game, self.boards, self.at, self.values = game, game.boards(), 0, True
        self.scores = [0]
        for move in game.moves:
            self.scores.append(self.scores[-1] + move.reward)
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
        last, ended = at and game.moves[at - 1], at == len(game.moves)
        following = None if ended else game.moves[at]
        end = f"{'Game over' if game.complete else 'The game was given up'}: score {game.score:,}"
        coming = "" if following is None else f"next: {ACTION_NAMES[following.action]}, by the {following.by}"
        if following is not None and following.loss:
            coming += f", loses {following.loss:,.1f}"
        return View(
            game.rules,
            tuple(unpack(self.boards[at], game.rules)),
            last.cell if last else None,
            self.scores[at],
            None,
            (("move", f"{at:,} of {len(game.moves):,}"), *self._figures),
            Hints(following.values, following.action) if following is not None and self.values else None,
            f"▶ {self.speed:g} moves a second" if self.playing else "a recorded game",
            end if ended else coming,
            ended,
            KEYS,
        )


def _figures(game: RecordedGame) -> tuple[tuple[str, str], ...]:
    """The figures that stay the same from move to move."""
    return (
        ("end", f"{game.score:,}, tile {game.max_tile:,}"),
        ("game", game.rules.name),
        ("seed", f"{game.seed}, game {game.episode}"),
        ("plies", str(game.search.plies)),
        ("agent", "none" if game.checkpoint is None else game.checkpoint[:12]),
    )
