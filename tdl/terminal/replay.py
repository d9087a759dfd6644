"""A recorded game on the screen: forth and back, by steps or by itself."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType

from tdl.game.packing import unpack
from tdl.game.rules import ACTION_NAMES
from tdl.sessions.recorded_game import Game
from tdl.terminal.app import GameApp, key
from tdl.terminal.view import Opinion, View

KEYS = (
    ("←→", "a move"),
    ("space", "play"),
    ("home end", "first, last"),
    ("+ -", "speed"),
    ("?", "values"),
    ("q", "quit"),
)


class ReplayApp(GameApp):
    """Looks at a recorded game.

    Parameters
    ----------
    game : the record, as `tdl.sessions.game_file.load` gives it.
    speed : moves a second while it plays by itself.

    Attributes
    ----------
    at : moves that were made before what is shown.
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

    def __init__(self, game: Game, speed: float = 4.0) -> None:
        super().__init__(speed, playing=False)
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
        """So many moves forth or back."""
        self.action_to(min(max(self.at + by, 0), len(self.game.moves)))

    def action_to(self, at: int) -> None:
        """Show the board after so many moves; -1: the last one."""
        self.playing = self.stepping = False
        self.at = at if at >= 0 else len(self.game.moves)
        self.changed()

    def action_values(self) -> None:
        """Show what the player thought of the moves, or no longer."""
        self.values = not self.values
        self.changed()

    def view(self) -> View:
        """What the screen shows."""
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
            Opinion(following.values, following.action) if following is not None and self.values else None,
            f"▶ {self.speed:g} moves a second" if self.playing else "a recorded game",
            end if ended else coming,
            ended,
            KEYS,
        )


def _figures(game: Game) -> tuple[tuple[str, str], ...]:
    """What does not change from move to move."""
    return (
        ("end", f"{game.score:,}, tile {game.max_tile:,}"),
        ("game", f"{game.rules.game} {game.rules.rows}x{game.rules.cols}"),
        ("seed", f"{game.seed}, game {game.episode}"),
        ("plies", str(game.searching.plies)),
        ("agent", "none" if game.checkpoint is None else game.checkpoint[:12]),
    )
