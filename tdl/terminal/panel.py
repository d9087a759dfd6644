"""The widgets beside and below the board: score, hints, figures, messages and keys."""

import math
from collections.abc import Sequence

from rich.text import Text
from textual.geometry import Size

from tdl.game.rules import ACTION_NAMES
from tdl.terminal.colours import Colours
from tdl.terminal.view import Hints, View
from tdl.terminal.widget import Part

ARROWS = ("↑", "→", "↓", "←")

BAR = 10
"""Characters of the longest bar."""

EIGHTHS = " ▏▎▍▌▋▊▉█"

HINT_LINES = 4
"""Of a panel that shows nothing but hints."""


class Panel(Part):
    """Score, hints and figures; hints alone where there is little room."""

    brief = False

    def content(self, view: View) -> object:
        """All that may change from move to move."""
        return view.score, view.best, view.state, view.over, view.hints, view.figures, self.brief

    def render(self) -> Text:
        """The lines of the panel; what matters most is above, where there is always room."""
        if self.view is None:
            return Text()
        view, colours, lines = self.view, self.colours, [Text()]
        if self.brief and view.hints is not None:
            return Text("\n", no_wrap=True, overflow="crop").join(hint_lines(view.hints, colours))
        lines.append(Text.assemble(("SCORE ", colours.dim), (f"{view.score:,}", colours.strong)))
        if view.best is not None:
            lines.append(Text.assemble(("BEST  ", colours.dim), (f"{view.best:,}", "bold")))
        lines += [Text(), Text(view.state, colours.good if view.over else "italic"), Text()]
        if view.hints is not None:
            lines += [Text(hint_title(view.hints), colours.dim), *hint_lines(view.hints, colours), Text()]
        width = max((len(name) for name, _ in view.figures), default=0) + 1
        lines += [Text.assemble((f"{name:<{width}}", colours.dim), value) for name, value in view.figures]
        return Text("\n").join(lines)


class Status(Part):
    """The message, in a line; with the score where the panel is not shown."""

    alone = False

    def content(self, view: View) -> object:
        """The line."""
        return view.message, view.over, (view.score, view.best) if self.alone else None

    def render(self) -> Text:
        """The line."""
        if self.view is None:
            return Text()
        colours, message = self.colours, self.view.message
        parts = [Text(message, colours.good if self.view.over else "bold")] if message else []
        if self.alone:
            best = "" if self.view.best is None else f"  best {self.view.best:,}"
            parts.insert(0, Text(f"{self.view.score:,}{best}", colours.strong))
        return Text("  ", no_wrap=True, overflow="ellipsis").join(parts)


class Keys(Part):
    """What each key does."""

    grows = True

    def content(self, view: View) -> object:
        """The keys."""
        return view.keys

    def render(self) -> Text:
        """The keys."""
        if self.view is None:
            return Text()
        lines = [
            Text("  ").join([Text.assemble((keys, "bold"), " ", (what, self.colours.dim)) for keys, what in line])
            for line in key_lines(self.view.keys, self.size.width)
        ]
        return Text("\n", no_wrap=True).join(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The number of its lines."""
        return 0 if self.view is None else len(key_lines(self.view.keys, width))


Pairs = Sequence[tuple[str, str]]


def key_lines(keys: Pairs, width: int) -> list[Pairs]:
    """Pairs of keys and words on as many lines as they need; a pair is not broken."""
    lines: list[list[tuple[str, str]]] = [[]]
    room = width
    for pair in keys:
        needed = len(" ".join(pair))
        if lines[-1] and needed > room:
            lines.append([])
            room = width
        lines[-1].append(pair)
        room -= needed + 2
    return list(lines)


def hint_title(hints: Hints) -> str:
    """What the values are, and where their bars start: at the least of several."""
    known = {value for value in hints.values or () if value is not None}
    return f"moves are worth (bars from {min(known):,.1f})" if len(known) > 1 else "what moves are worth"


def hint_lines(hints: Hints, colours: Colours) -> list[Text]:
    """A line for each action: its value, a bar, and its difference to the best."""
    lines: list[Text] = []
    if hints.values is None:
        return [Text(f"{arrow} {name:<6}…", colours.dim) for arrow, name in zip(ARROWS, ACTION_NAMES, strict=True)]
    known = [value for value in hints.values if value is not None]
    most, least = max(known, default=0.0), min(known, default=0.0)
    for action, value in enumerate(hints.values):
        start = f"{ARROWS[action]} {ACTION_NAMES[action]:<6}"
        if value is None:
            lines.append(Text(f"{start}{'·':>11}", colours.dim))
            continue
        share = 1.0 if most == least else (value - least) / (most - least)
        style = colours.good if action == hints.chosen else ""
        loss = "" if value == most else f" -{most - value:,.1f}"
        lines.append(
            Text.assemble((f"{start}{value:>11,.1f} ", style), (bar(share), style or colours.dim), (loss, colours.dim))
        )
    return lines


def bar(share: float) -> str:
    """A bar of this share of the longest one; the shortest is an eighth of a character, so that it is seen."""
    eighths = max(1, math.floor(share * BAR * 8 + 0.5))
    return EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8].strip()
