"""The screen of a game: layout, speed and signals, for playing and for recorded games alike."""

import asyncio
import contextlib
import re
import signal
import time
from abc import abstractmethod
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.events import Resize
from textual.geometry import Size

from tdl.terminal.board import Board, smallest_layout
from tdl.terminal.colours import COLOURS, DARK, LIGHT, Colours
from tdl.terminal.panel import HINT_LINES, Keys, Panel, Status
from tdl.terminal.view import View
from tdl.terminal.widget import Part

SPEEDS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 125.0, 250.0, 500.0, 1000.0)
"""Moves a second that the keys choose."""

PANEL, BESIDE, BELOW = 40, 30, 34
"""Columns of the panel; columns for the board that it leaves where it stands beside it; lines it needs below it."""

LOW = 12
"""With fewer lines the keys are not shown: the board needs them."""

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def key(keys: str, action: str) -> Binding:
    """Keys of an action. All have priority: so they take effect in the order in which they were pressed."""
    return Binding(keys, action, show=False, priority=True)


class GameApp(App[int]):
    """A game on the screen. The result is 0, or the exit code of the signal that ended it.

    Parameters
    ----------
    speed : moves a second while they are made by themselves.
    playing : whether they are from the start.
    colours : of the screen.

    Attributes
    ----------
    playing : whether moves are made by themselves.
    stepping : whether a single one is to be made.
    message : shown below the board.
    """

    TITLE = "tdl"
    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; background: DARK.ground; color: DARK.text; }
    Screen.light { background: LIGHT.ground; color: LIGHT.text; }
    #game { height: 1fr; layout: horizontal; }
    Board { width: 1fr; height: 1fr; }
    Panel { width: COLUMNS; height: 1fr; padding: 0 1; }
    Status { height: 1; padding: 0 1; }
    Keys { height: auto; max-height: 3; padding: 0 1; }
    .below #game { layout: vertical; }
    .below Panel { width: 1fr; height: 18; padding: 0 2; }
    .bare #game { layout: vertical; }
    .bare Panel, .low Keys { display: none; }
    .brief Panel { display: block; width: 1fr; height: LINES; padding: 0 1; }
    """.replace("COLUMNS", str(PANEL)).replace("LINES", str(HINT_LINES))
    CSS = re.sub(r"(DARK|LIGHT)\.(\w+)", lambda found: getattr(COLOURS[found[1].lower()], found[2]), CSS)
    BINDINGS: ClassVar[list[BindingType]] = [
        key("ctrl+c", f"leave({128 + signal.SIGINT})"),
        key("q,ctrl+q", "leave(0)"),
        key("space", "play"),
        key("n,full_stop", "step"),
        key("plus,equals_sign", "speed(1)"),
        key("minus", "speed(-1)"),
    ]

    def __init__(self, speed: float, playing: bool, colours: Colours = DARK) -> None:
        super().__init__()
        self.colours = colours
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
        with Horizontal(id="game"):
            yield Board()
            yield Panel()
        yield Status()
        yield Keys()

    def on_mount(self) -> None:
        """Begin; signals end the game as a key does, so that it is kept and the terminal is as it was."""
        if not self.is_headless:
            for number in SIGNALS:
                with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):  # no loop of the main thread
                    asyncio.get_running_loop().add_signal_handler(number, self.action_leave, 128 + number)
        self.screen.set_class(self.colours is LIGHT, "light")
        self.changed()

    def on_resize(self, event: Resize) -> None:
        """Use the room that there is now."""
        self._arrange(self.view(), event.size)

    def _arrange(self, view: View, size: Size) -> None:
        """Put the panel where there is room: the board, whose numbers grow, comes first."""
        wide, tall = _is_wide(view, size), size.height >= BELOW
        self.screen.set_class(not wide and tall, "below")
        bare = not (wide or tall)
        brief = bare and view.hints is not None and has_room_for_hints(view, size)
        self.screen.set_class(bare, "bare")
        self.screen.set_class(brief, "brief")
        self.screen.set_class(size.height < LOW + HINT_LINES * brief, "low")
        panel = self.screen.query_one(Panel)
        if panel.brief != brief:
            panel.brief = brief
            panel.refresh()
        status = self.screen.query_one(Status)
        if status.alone == (wide or tall):
            status.alone = not status.alone
            status.refresh()

    def changed(self) -> None:
        """Draw the screen, and make the next move when it is due; nothing before the game begins and after it ends."""
        if not self.screen_stack:
            return
        view = self.view()
        self._arrange(view, self.size)
        for part in self.screen.query(Part):
            part.show(view)
        self._go_on()

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


def _is_wide(view: View, size: Size) -> bool:
    """Whether a window has room for a panel beside the board."""
    return size.width - PANEL >= max(BESIDE, smallest_layout(view).columns)


def has_room_for_hints(view: View, size: Size) -> bool:
    """Whether a window has room for hints, in the panel or below the board."""
    return _is_wide(view, size) or size.height >= smallest_layout(view).lines + HINT_LINES + 1
