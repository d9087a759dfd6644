"""A game in the making on the screen: a person's, an agent's, or of both in turn."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from textual.binding import BindingType
from textual.message import Message

from tdl.errors import ConfigError, TdlError, file_text
from tdl.game.packing import unpack
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.search.options import SearchOptions
from tdl.sessions.advisor import Advisor
from tdl.sessions.game_file import GameFolder
from tdl.sessions.recorded_game import ActionValues, Move
from tdl.sessions.session import Session
from tdl.terminal.advisor_thread import Asking, Question
from tdl.terminal.app import GameApp, key
from tdl.terminal.view import Opinion, View

KEYS = (("←↑→↓", "move"), ("u", "undo"), ("r", "new game"), ("q", "quit"))

AGENT_KEYS = (
    ("←↑→↓", "move"), ("u", "undo"), ("?", "hint"), ("space", "agent"), ("n", "one move"), ("+ -", "speed"),
    ("[ ]", "plies"), ("r", "new"), ("q", "quit"),
)  # fmt: skip


class Answer(Message):
    """An agent has thought about a question."""

    def __init__(self, question: Question, given: NDArray[np.float64] | Exception) -> None:
        super().__init__()
        self.question, self.given = question, given


class PlayApp(GameApp):
    """Plays games of one seed, one after the other.

    Parameters
    ----------
    rules : of the games.
    seed, episode : of the drops of the first game; the next is the next episode.
    advisor : the agent, if there is one.
    searching : how far it looks ahead.
    watch : whether it plays from the start.
    speed : its moves a second.
    folder : where games with moves of the person are left.

    Attributes
    ----------
    session : the game.
    saved : files of the games that were left.
    trouble : why the last one was not; None: it was, or there was none.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        key("up,w,k", "move(0)"),
        key("right,d,l", "move(1)"),
        key("down,s,j", "move(2)"),
        key("left,a,h", "move(3)"),
        key("u,backspace", "undo"),
        key("question_mark,i", "hints"),
        key("right_square_bracket", "look(1)"),
        key("left_square_bracket", "look(-1)"),
        *(key(str(plies), f"plies({plies})") for plies in range(1, 6)),
        key("r", "new"),
    ]

    def __init__(
        self,
        rules: Rules,
        *,
        seed: int = 0,
        episode: int = 0,
        advisor: Advisor | None = None,
        searching: SearchOptions | None = None,
        watch: bool = False,
        speed: float = 4.0,
        folder: GameFolder | None = None,
    ) -> None:
        super().__init__(speed, watch)
        self.advisor, self.searching = advisor, searching or SearchOptions()
        self.hints, self.watching = watch, watch
        self.folder = folder or GameFolder(None)
        self.rules, self.best = rules, self.folder.best(rules)
        self.saved: list[Path] = []
        self.trouble: OSError | None = None
        self._think: ActionValues | None = None if advisor is None else advisor.at(self.searching)
        self._asking: Asking | None = None
        self._begin(seed, episode)

    def _begin(self, seed: int, episode: int) -> None:
        """Begin a game."""
        self.session = Session(self.rules, seed=seed, episode=episode)
        self._path = self.folder.new_path(seed, episode)
        self._kept: list[Move] = []
        self._asked: Question | None = None
        self.values: NDArray[np.float64] | None = None

    def on_mount(self) -> None:
        """Begin."""
        if self.advisor is not None:
            self._asking = Asking(self._tell)
        super().on_mount()

    def _tell(self, question: Question, given: NDArray[np.float64] | Exception) -> None:
        with contextlib.suppress(RuntimeError):  # the screen has gone meanwhile
            self.post_message(Answer(question, given))

    def on_unmount(self) -> None:
        """Nobody listens any more."""
        if self._asking is not None:
            self._asking.close()

    def changed(self) -> None:
        """Ask the agent if it is wanted, keep a game that is over, draw."""
        if self.session.over:
            self.playing = self.stepping = False
            self.keep()
        if self._asked is not None and self._asked.board != self.session.board:
            self._asked = self.values = None
        wanted = self.hints or self.playing or self.stepping
        if wanted and self._asking is not None and self._asked is None and not self.session.over:
            assert self._think is not None
            self._asked = Question(self.session.board, self._think)
            self._asking.ask(self._asked)
        super().changed()

    def on_answer(self, answer: Answer) -> None:
        """The agent has thought; of a board that is gone nobody wants to know."""
        if answer.question is not self._asked:
            return
        if isinstance(answer.given, TdlError):
            self.playing = self.stepping = self.hints = False
            self.message = str(answer.given)
        elif isinstance(answer.given, Exception):
            raise answer.given  # a fault of the program
        else:
            assert self.advisor is not None
            self.values = answer.given
            self.session.ask(self._thought, self.searching, self.advisor.digest)
        self.changed()

    def _thought(self, board: int) -> NDArray[np.float64]:
        """What the agent thinks of a board, as far as it has thought: the person does not wait for it."""
        if self.values is not None and self._asked is not None and self._asked.board == board:
            return self.values
        return self.session.rewards(board)

    def ready(self) -> bool:
        """Whether the agent has thought."""
        return self.values is not None and not self.session.over

    def advance(self) -> None:
        """Make the agent's move."""
        self.session.advance()
        self.message = ""

    def action_move(self, action: int) -> None:
        """Make a move of the person, who takes over where the agent played."""
        self.playing, self.stepping, self.message = False, False, ""
        if self.session.over:
            self.message = self._end()
        elif action in self.session.legal:
            self.session.move(action)
        else:
            self.message = f"{ACTION_NAMES[action]} moves nothing"
        self.changed()

    def action_undo(self) -> None:
        """Take the last move back."""
        self.playing, self.stepping = False, False
        self.message = "" if self.session.undo() else "nothing to take back"
        self.changed()

    def action_hints(self) -> None:
        """Show what the agent thinks of the moves, or no longer."""
        if self._has_agent():
            self.hints, self.message = not self.hints, ""
        self.changed()

    def action_play(self) -> None:
        """Let the agent play, or no longer."""
        if self._has_agent() and not self.session.over:
            super().action_play()
        else:
            self.changed()

    def action_step(self) -> None:
        """Let the agent make a move."""
        if self._has_agent() and not self.session.over:
            super().action_step()
        else:
            self.changed()

    def _has_agent(self) -> bool:
        if self.advisor is None:
            self.message = "no agent: start with checkpoint=FOLDER"
        return self.advisor is not None

    def action_look(self, by: int) -> None:
        """Let the agent look so many plies further ahead."""
        self.action_plies(self.searching.plies + by)

    def action_plies(self, plies: int) -> None:
        """Let the agent look so many plies ahead."""
        if self._has_agent():
            assert self.advisor is not None
            searching = dataclasses.replace(self.searching, plies=plies)
            try:
                self._think = self.advisor.at(searching)
            except ConfigError as error:
                self.message = str(error)
            else:
                self.searching, self.message = searching, f"plies: {plies}"
                self._asked = self.values = None
        self.changed()

    def action_new(self) -> None:
        """Leave the game and begin the next one."""
        self.message = ""
        self.keep()
        self.best = max(self.best, self.session.score)
        self._begin(self.session.seed, self.session.episode + 1)
        self.playing, self.stepping, self._due = self.watching, False, 0.0
        self.changed()

    def action_leave(self, code: int) -> None:
        """Keep the game and end the program."""
        self.keep()
        super().action_leave(code)

    def keep(self) -> None:
        """Leave the game in its file, if the person has moved in it and the file does not have it yet."""
        moves = self.session.moves
        if self._path is None or moves == self._kept or not any(move.by == "person" for move in moves):
            return
        self._kept = list(moves)
        try:
            self.folder.save(self._path, self.session.game())
        except OSError as error:
            self.trouble, self.message = error, f"not saved: {file_text(error)}"
            return
        self.trouble = None
        if self._path not in self.saved:
            self.saved.append(self._path)

    def _end(self) -> str:
        return f"Game over: score {self.session.score:,}, tile {self.session.max_tile:,}"

    def view(self) -> View:
        """What the screen shows."""
        session = self.session
        opinion = None
        if self.hints and not session.over:
            values = None if self.values is None else tuple(None if v != v else v for v in self.values.tolist())
            opinion = Opinion(values, None if self.values is None else int(np.nanargmax(self.values)))
        return View(
            self.rules,
            tuple(unpack(session.board, self.rules)),
            session.moves[-1].cell if session.moves else None,
            session.score,
            max(self.best, session.score),
            self._figures(),
            opinion,
            self._state(),
            self.message or (self._end() if session.over else ""),
            session.over,
            KEYS if self.advisor is None else AGENT_KEYS,
        )

    def _state(self) -> str:
        if self.session.over:
            return "the game is over"
        if self.playing:
            return f"▶ the agent plays, {self.speed:g} moves a second"
        return "the agent thinks" if self.stepping else "your move"

    def _figures(self) -> tuple[tuple[str, str], ...]:
        session = self.session
        figures = (
            ("moves", f"{len(session.moves):,}"),
            ("game", f"{self.rules.game} {self.rules.rows}x{self.rules.cols}"),
            ("seed", f"{session.seed}, game {session.episode}"),
        )
        if self.advisor is None:
            return figures
        return (*figures, ("plies", str(self.searching.plies)), ("agent", f"after {self.advisor.episode:,} games"))
