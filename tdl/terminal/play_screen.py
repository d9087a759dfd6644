"""Play on the screen: a person, an agent, or both in turn."""

import contextlib
import dataclasses
import threading
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from textual.binding import BindingType
from textual.message import Message

from tdl.errors import ConfigError, TdlError, file_text
from tdl.game.boards import unpack
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.players.kinds import ActionValues, Agent
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import GameFolder
from tdl.sessions.recorded_game import Move, optional_values
from tdl.sessions.session import Session
from tdl.storage.checkpoint import Meta
from tdl.terminal.app import GameApp, arrangement, key
from tdl.terminal.view import Hints, View

KEYS = (("←↑→↓", "move"), ("u", "undo"), ("r", "new game"), ("q", "quit"))

AGENT_KEYS = (
    ("←↑→↓", "move"), ("u", "undo"), ("?", "hint"), ("space", "agent"), ("n", "one move"), ("+ -", "speed"),
    ("[ ]", "plies"), ("r", "new"), ("q", "quit"),
)  # fmt: skip

Question = tuple[int, ActionValues]
"""A board, and who is asked for its action values."""


@dataclasses.dataclass(eq=False)
class Answer(Message):
    """The answer to a question: action values, or the exception of the search."""

    question: Question
    result: NDArray[np.float64] | Exception


class PlayApp(GameApp):
    """Plays games of one seed, one after the other.

    Parameters
    ----------
    rules : of the games.
    seed, episode : of the drops of the first game; the next is the next episode.
    agent : that plays and gives hints, if there is one.
    meta : describes its checkpoint.
    search : how it looks ahead.
    watch : whether it plays from the start.
    speed : its moves a second.
    folder : keeps the games with moves of the person.
    theme : of the screen.

    Attributes
    ----------
    session : the game.
    values : action values of the board; None: not asked for, or the search still runs.
    saved : files of the games that were kept.
    trouble : the error where the last game could not be kept.
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
        agent: Agent | None = None,
        meta: Meta | None = None,
        search: SearchOptions | None = None,
        watch: bool = False,
        speed: float = 4.0,
        folder: GameFolder | None = None,
        theme: str = "dark",
    ) -> None:
        super().__init__(speed, watch, theme)
        self.agent, self.meta, self.search = agent, meta or {}, search or SearchOptions()
        self.hints, self.watching = watch, watch
        self.folder = folder or GameFolder(None)
        self.rules, self.best = rules, self.folder.best(rules)
        self.saved: list[Path] = []
        self.trouble: OSError | None = None
        self._action_values: ActionValues | None = None if agent is None else agent.action_values(self.search)
        self._thinking = False
        self._begin(seed, episode)

    def _begin(self, seed: int, episode: int) -> None:
        """Begin a game."""
        self.session = Session(self.rules, seed=seed, episode=episode)
        self._path = self.folder.new_path(seed, episode)
        self._written: list[Move] = []
        self._question: Question | None = None
        self.values: NDArray[np.float64] | None = None

    def changed(self) -> None:
        """Ask the agent if it is wanted, keep a game that is over, draw."""
        over = self.session.over
        if over:
            self.playing = self.stepping = False
            self.keep()
        if self._action_values is not None and self._question != (self.session.board, self._action_values):
            self._question, self.values = (self.session.board, self._action_values), None
        wanted = (self.hints or self.playing or self.stepping) and self.values is None and not over
        if wanted and self._question is not None and not self._thinking:
            self._thinking = True
            # not a worker of Textual, for whose thread the program would wait at its end: a search may take minutes
            threading.Thread(target=self._think, args=[self._question], daemon=True, name="agent").start()
        super().changed()

    def _think(self, question: Question) -> None:
        """Answer a question, in a thread; one at a time."""
        board, action_values = question
        result: NDArray[np.float64] | Exception
        try:
            result = action_values(board)
        except Exception as error:  # the screen says what is wrong
            result = error
        with contextlib.suppress(RuntimeError):  # the screen has gone meanwhile
            self.post_message(Answer(question, result))

    def on_answer(self, answer: Answer) -> None:
        """Take the agent's values; those of a board that is gone are dropped."""
        self._thinking = False
        if answer.question == self._question:
            if isinstance(answer.result, TdlError):
                self.playing = self.stepping = self.hints = False
                self.message = str(answer.result)
            elif isinstance(answer.result, Exception):
                raise answer.result  # a fault of the program
            else:
                self.values = answer.result
                self.session.ask(self._known_values, self.search, self.meta.get("digest"))
        self.changed()

    def _known_values(self, board: int) -> NDArray[np.float64]:
        """The agent's values of a board where they are known, else the rewards: the person does not wait."""
        if self.values is not None and self._question is not None and self._question[0] == board:
            return self.values
        return self.session.rewards(board)

    def ready(self) -> bool:
        """Whether the agent's values are known."""
        return self.values is not None and not self.session.over

    def advance(self) -> None:
        """Make the agent's move."""
        self.session.advance()
        self.message = ""

    def action_move(self, action: int) -> None:
        """Make a move of the person, who takes over where the agent played."""
        self.playing, self.stepping, self.message = False, False, ""
        if action in self.session.legal:
            self.session.move(action)
        elif not self.session.over:
            self.message = f"{ACTION_NAMES[action]} moves nothing"
        self.changed()

    def action_undo(self) -> None:
        """Take the last move back."""
        self.playing, self.stepping = False, False
        self.message = "" if self.session.undo() else "nothing to take back"
        self.changed()

    def action_hints(self) -> None:
        """Show the agent's values, or no longer."""
        if self._has_agent():
            self.hints, self.message = not self.hints, ""
            if self.hints and arrangement(self.view(), self.size) == "bare":
                self.message = "no room for values: make the window larger"
        self.changed()

    def action_play(self) -> None:
        """Let the agent play, or no longer."""
        super().action_play() if self._has_agent() and not self.session.over else self.changed()

    def action_step(self) -> None:
        """Let the agent make a move."""
        super().action_step() if self._has_agent() and not self.session.over else self.changed()

    def _has_agent(self) -> bool:
        if self.agent is None:
            self.message = "no agent: start with checkpoint=FOLDER"
        return self.agent is not None

    def action_look(self, by: int) -> None:
        """Let the agent look further ahead, or less far."""
        self.action_plies(self.search.plies + by)

    def action_plies(self, plies: int) -> None:
        """Let the agent look `plies` plies ahead."""
        if self._has_agent():
            assert self.agent is not None
            try:
                search = dataclasses.replace(self.search, plies=plies)
                self._action_values = self.agent.action_values(search)
            except ConfigError as error:
                self.message = str(error)
            else:
                self.search, self.message = search, f"plies: {plies}"
        self.changed()

    def action_new(self) -> None:
        """Keep the game and begin the next one."""
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
        """Write the game to its file, if the person has moved in it and the file does not have it yet."""
        moves = self.session.moves
        if self._path is None or moves == self._written or not any(move.by == "person" for move in moves):
            return
        self._written = list(moves)
        try:
            self.folder.save(self._path, self.session.game())
        except OSError as error:
            self.trouble, self.message = error, f"not saved: {file_text(error)}"
            return
        self.trouble = None
        if self._path not in self.saved:
            self.saved.append(self._path)

    def view(self) -> View:
        """The content of the screen."""
        session, hints, state, message = self.session, None, "your move", self.message
        if self.hints:
            hints = Hints(None)
            if self.values is not None:
                hints = Hints(optional_values(self.values), int(np.nanargmax(self.values)))
        if session.over:
            hints, state = None, "the game is over"
            message = message or f"Game over: score {session.score:,}, tile {session.max_tile:,}"
        elif self.playing:
            state = f"▶ the agent plays, {self.speed:g} moves a second"
        elif self.stepping:
            state = "the agent thinks"
        figures = [
            ("moves", f"{len(session.moves):,}"),
            ("game", session.rules.name),
            ("seed", f"{session.seed}, game {session.episode}"),
        ]
        if self.agent is not None:
            figures += [("plies", str(self.search.plies)), ("agent", f"after {self.meta.get('episode', 0):,} games")]
        return View(
            session.rules,
            tuple(unpack(session.board, session.rules)),
            session.moves[-1].cell if session.moves else None,
            session.score,
            max(self.best, session.score),
            tuple(figures),
            hints,
            state,
            message,
            session.over,
            KEYS if self.agent is None else AGENT_KEYS,
        )
