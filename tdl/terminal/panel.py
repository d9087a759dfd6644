"""The texts beside and below the board: score, hints, figures, messages and keys."""

import math

from textual.content import Content

from tdl.game.rules import ACTION_NAMES
from tdl.terminal.view import Hints, Pairs, View

ARROWS = ("↑", "→", "↓", "←")

BAR = 10
"""Characters of the longest bar."""

EIGHTHS = " ▏▎▍▌▋▊▉█"

HINT_LINES = 4
"""Of a panel that shows nothing but hints."""


def panel_text(view: View, *, brief: bool = False) -> Content:
    """Score, hints and figures, what matters most above, where there is always room; or hints alone."""
    if brief and view.hints is not None:
        return Content("\n").join(hint_lines(view.hints))
    lines = [Content(), Content.assemble(("SCORE ", "$dim"), (f"{view.score:,}", "bold $strong"))]
    if view.best is not None:
        lines.append(Content.assemble(("BEST  ", "$dim"), (f"{view.best:,}", "bold")))
    lines += [Content(), Content.styled(view.state, "bold $good" if view.over else "italic"), Content()]
    if view.hints is not None:
        lines += [Content.styled(hint_title(view.hints), "$dim"), *hint_lines(view.hints), Content()]
    width = max((len(name) for name, _ in view.figures), default=0) + 1
    lines += [Content.assemble((f"{name:<{width}}", "$dim"), value) for name, value in view.figures]
    return Content("\n").join(lines)


def status_text(view: View, with_score: bool) -> Content:
    """The message, in a line; with the score where the panel does not show it."""
    parts = []
    if with_score:
        best = "" if view.best is None else f"  best {view.best:,}"
        parts.append(Content.styled(f"{view.score:,}{best}", "bold $strong"))
    if view.message:
        parts.append(Content.styled(view.message, "bold $good" if view.over else "bold"))
    return Content("  ").join(parts)


def keys_text(keys: Pairs, width: int) -> Content:
    """Keys and what they do, on as many lines as they need; a pair is not broken."""
    text, room = Content(), width
    for number, (names, what) in enumerate(keys):
        needed = len(names) + 1 + len(what)
        if number:
            breaks = needed + 2 > room
            text, room = text + ("\n" if breaks else "  "), width if breaks else room - 2
        text, room = text + Content.assemble((names, "bold"), " ", (what, "$dim")), room - needed
    return text


def hint_title(hints: Hints) -> str:
    """What the values are, and where their bars start: at the least of several."""
    known = {value for value in hints.values or () if value is not None}
    return f"moves are worth (bars from {min(known):,.1f})" if len(known) > 1 else "what moves are worth"


def hint_lines(hints: Hints) -> list[Content]:
    """A line for each action: its value, a bar, and its difference to the best."""
    names = [f"{arrow} {name:<6}" for arrow, name in zip(ARROWS, ACTION_NAMES, strict=True)]
    if hints.values is None:
        return [Content.styled(f"{name}…", "$dim") for name in names]
    known = [value for value in hints.values if value is not None]
    most, least = max(known, default=0.0), min(known, default=0.0)
    lines = []
    for action, (name, value) in enumerate(zip(names, hints.values, strict=True)):
        if value is None:
            lines.append(Content.styled(f"{name}{'·':>11}", "$dim"))
            continue
        share = 1.0 if most == least else (value - least) / (most - least)
        style = "bold $good" if action == hints.chosen else ""
        loss = "" if value == most else f" -{most - value:,.1f}"
        number = (f"{name}{value:>11,.1f} ", style)
        lines.append(Content.assemble(number, (bar(share), style or "$dim"), (loss, "$dim")))
    return lines


def bar(share: float) -> str:
    """A bar of this share of the longest one; the shortest is an eighth of a character, so that it is seen."""
    eighths = max(1, math.floor(share * BAR * 8 + 0.5))
    return EIGHTHS[8] * (eighths // 8) + EIGHTHS[eighths % 8].strip()
