"""The widgets beside and below the board: score, hints, figures, messages and keys."""

import math
from collections.abc import Sequence

from rich.text import Text
from textual.geometry import Size

from tdl.game.rules import ACTION_NAMES
from tdl.terminal.view import Hints, View
from tdl.terminal.widget import Part

ARROWS = ("↑", "→", "↓", "←")

BAR = 10
"""Characters of the longest bar."""

EIGHTHS = " ▏▎▍▌▋▊▉█"

DIM, STRONG, GOOD = "#a39a90", "bold #f4d096", "bold #8fd18a"


class Panel(Part):
    """Score, hints and figures."""

    def content(self, view: View) -> object:
        """All that may change from move to move."""
        return view.score, view.best, view.state, view.over, view.hints, view.figures

    def render(self) -> Text:
        """The lines of the panel; what matters most is above, where there is always room."""
        if self.view is None:
            return Text()
        view, lines = self.view, [Text()]
        lines.append(Text.assemble(("SCORE ", DIM), (f"{view.score:,}", STRONG)))
        if view.best is not None:
            lines.append(Text.assemble(("BEST  ", DIM), (f"{view.best:,}", "bold")))
        lines += [Text(), Text(view.state, GOOD if view.over else "italic"), Text()]
        if view.hints is not None:
            lines += [*hint_lines(view.hints), Text()]
        width = max((len(name) for name, _ in view.figures), default=0) + 1
        lines += [Text.assemble((f"{name:<{width}}", DIM), value) for name, value in view.figures]
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
        parts = [Text(self.view.message, GOOD if self.view.over else "bold")] if self.view.message else []
        if self.alone:
            best = "" if self.view.best is None else f"  best {self.view.best:,}"
            parts.insert(0, Text(f"{self.view.score:,}{best}", STRONG))
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
            Text("  ").join([Text.assemble((keys, "bold"), " ", (what, DIM)) for keys, what in line])
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


def hint_lines(hints: Hints) -> list[Text]:
    """A line for each action: its value, a bar, and its difference to the best."""
    lines = [Text("what moves are worth", DIM)]
    if hints.values is None:
        return [*lines, *(Text(f"{arrow} {name:<6}…", DIM) for arrow, name in zip(ARROWS, ACTION_NAMES, strict=True))]
    known = [value for value in hints.values if value is not None]
    most, least = max(known, default=0.0), min(known, default=0.0)
    for action, value in enumerate(hints.values):
        start = f"{ARROWS[action]} {ACTION_NAMES[action]:<6}"
        if value is None:
            lines.append(Text(f"{start}{'·':>11}", DIM))
            continue
        share = 1.0 if most == least else (value - least) / (most - least)
        style = GOOD if action == hints.chosen else ""
        loss = "" if value == most else f" -{most - value:,.1f}"
        lines.append(Text.assemble((f"{start}{value:>11,.1f} ", style), (bar(share), style or DIM), (loss, DIM)))
    return lines


def bar(share: float) -> str:
    """A bar of this share of the longest one; the shortest is an eighth of a character, so that it is seen."""
    eighths = max(1, math.floor(share * BAR * 8 + 0.5))
    return EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8].strip()
