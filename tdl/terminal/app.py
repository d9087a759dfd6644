"""The screen of a game: layout, speed and signals, for playing and for recorded games alike."""

import asyncio
import contextlib
import signal
import time
from abc import abstractmethod
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import Resize
from textual.geometry import Size
from textual.theme import Theme
from textual.widgets import Static

from tdl.sessions import pictures
from tdl.terminal.board import Board, smallest_layout
from tdl.terminal.panel import HINT_LINES, keys_text, panel_text, status_text
from tdl.terminal.view import View

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 125.0, 250.0, 500.0, 1000.0)
"""Moves a second that the keys choose."""

PANEL, BESIDE, BELOW = 40, 30, 34
"""Columns of the panel; columns for the board that it leaves where it stands beside it; lines it needs below it."""

LOW = 12
"""With fewer lines the keys are not shown: the board needs them."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


DARK = Theme(
    "dark",
    primary="#8fd18a",
    background="#211d1b",
    foreground="#ece4da",
    variables={"board": "#423c38", "hole": "#58514b", "dim": "#a39a90", "strong": "#f4d096", "good": "#8fd18a"},
)
"""For dark terminals. Texts have a contrast of at least 4.5 with the background.

Colours of ours: of the board between cells, of an empty cell (hole), of words that matter less (dim), of figures
(strong), and of the best (good).
"""

LIGHT = Theme(
    "light",
    primary="#1f6f2b",
    background="#faf8ef",
    foreground="#2b2522",
    variables={
        "board": pictures.BOARD, "hole": pictures.EMPTY, "dim": "#6b625a", "strong": "#8a4b00",
        "good": "#1f6f2b",
    },
    dark=False,
)  # fmt: skip
"""The same for light ones."""


def key(keys: str, action: str) -> Binding:
    """Keys of an action. All have priority: so they take effect in the order in which they were pressed."""
    return Binding(keys, action, show=False, priority=True)


class GameApp(App[int]):
    """A game on the screen. The result is 0, or the exit code of the signal that ended it.

    Parameters
    ----------
    speed : moves a second while they are made by themselves.
    playing : whether they are from the start.
    theme : "dark" or "light".

    Attributes
    ----------
    playing : whether moves are made by themselves.
    stepping : whether a single one is to be made.
    message : shown below the board.
    """

    TITLE = "tdl"
    ENABLE_COMMAND_PALETTE = False
    CSS = f"""
    #game {{ height: 1fr; layout: horizontal; }}
    Board {{ width: 1fr; height: 1fr; }}
    #panel {{ width: {PANEL}; height: 1fr; padding: 0 1; }}
    #status {{ height: 1; padding: 0 1; text-wrap: nowrap; text-overflow: ellipsis; }}
    #keys {{ height: auto; max-height: 3; padding: 0 1; }}
    .below #game, .brief #game {{ layout: vertical; }}
    .below #panel {{ width: 1fr; height: 18; padding: 0 2; }}
    .brief #panel {{ width: 1fr; height: {HINT_LINES}; text-wrap: nowrap; }}
    .bare #panel, .low #keys {{ display: none; }}
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        key("ctrl+c", f"leave({128 + signal.SIGINT})"),
        key("q,ctrl+q", "leave(0)"),
        key("space", "play"),
        key("n,full_stop", "step"),
        key("plus,equals_sign", "speed(1)"),
        key("minus", "speed(-1)"),
    ]

    def __init__(self, speed: float, playing: bool, theme: str) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = theme
        self.speed, self.playing, self.stepping, self.message = speed, playing, False, ""
        self._due = 0.0  # when the next move is, by the monotonic clock
        self._timer: asyncio.TimerHandle | None = None

    @abstractmethod
    def view(self) -> View:
        """What the screen shows."""

    @abstractmethod
    def ready(self) -> bool:
        """Whether a move can be made now. Where it can be later, somebody calls `changed` then."""

    @abstractmethod
    def advance(self) -> None:
        """Make a move by itself."""

    def compose(self) -> ComposeResult:
        """The widgets of the screen."""
        with Container(id="game"):
            yield Board()
            yield Static(id="panel")
        yield Static(id="status")
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Begin; signals end the game as a key does, so that it is kept and the terminal is as it was."""
        if not self.is_headless:
            for number in SIGNALS:
                with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):  # no loop of the main thread
                    asyncio.get_running_loop().add_signal_handler(number, self.action_leave, 128 + number)
        self.changed()

    def on_resize(self, event: Resize) -> None:
        """Use the room that there is now."""
        self._draw(event.size)

    def changed(self) -> None:
        """Draw the screen, and make the next move when it is due; nothing before the game begins and after it ends."""
        if self.screen_stack:
            self._draw(self.size)
            self._go_on()

    def _draw(self, size: Size) -> None:
        view = self.view()
        place = arrangement(view, size)
        for name in ("below", "brief", "bare"):
            self.screen.set_class(place == name, name)
        self.screen.set_class(size.height < LOW + HINT_LINES * (place == "brief"), "low")
        self.screen.query_one(Board).view = view
        self.screen.query_one("#panel", Static).update(panel_text(view, brief=place == "brief"), layout=False)
        self.screen.query_one("#status", Static).update(status_text(view, place in ("brief", "bare")), layout=False)
        keys = self.screen.query_one("#keys", Static)
        text = keys_text(view.keys, size.width - 2)
        if keys.content != text:
            keys.update(text)

    def _go_on(self) -> None:
        """Make the move that is due, or have this called again when it is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not (self.playing or self.stepping) or not self.ready():
            return
        now = time.monotonic()
        if not self.stepping and now < self._due:
            # not Textual's own timer, which never fires where the machine stands still while it starts (8.2)
            self._timer = asyncio.get_running_loop().call_later(self._due - now, self.call_next, self._go_on)
            return
        self._due = max(self._due, now) + 1 / self.speed
        self.stepping = False
        self.advance()
        self.changed()

    def action_play(self) -> None:
        """Let moves be made by themselves, or no longer."""
        self.playing, self.stepping, self.message, self._due = not self.playing, False, "", 0.0
        self.changed()

    def action_step(self) -> None:
        """Have one move made, and no further ones."""
        self.playing, self.stepping, self.message = False, True, ""
        self.changed()

    def action_speed(self, by: int) -> None:
        """The next faster or slower speed."""
        others = [speed for speed in SPEEDS if (speed - self.speed) * by > 0]
        if others:
            self.speed = min(others) if by > 0 else max(others)
        self._due = 0.0
        self.message = f"{self.speed:g} moves a second"
        self.changed()

    def action_leave(self, code: int) -> None:
        """End the program."""
        self.exit(code)


def arrangement(view: View, size: Size) -> str:
    """Where the panel is: the board, whose numbers grow, comes first.

    `beside` the board or `below` it; `brief`: hints alone, below it; `bare`: nowhere.
    """
    board = smallest_layout(view)
    if size.width - PANEL >= max(BESIDE, board.columns):
        return "beside"
    if size.height >= BELOW:
        return "below"
    has_room = size.height >= board.lines + HINT_LINES + 1
    return "brief" if view.hints is not None and has_room else "bare"
