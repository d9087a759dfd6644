"""A page of sections, tables and figures, as HTML and as Markdown. Both are made by templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tdl.errors import printable

NUMBER = re.compile(r"best|[-+]?[\d.,]+%?( \[.*\])?")  # A cell of figures: "0.5", "1,234 [1,100, 1,368]", "12%"


@dataclass(frozen=True)
class Link:
    """A cell that leads to a file; `href` is relative to the page."""

    text: str
    href: str


@dataclass(frozen=True)
class Table:
    """Cells of texts and links; `best` are the numbers of rows to mark."""

    caption: str
    cells: pd.DataFrame
    best: Sequence[int] = ()

    def aligned(self) -> dict[str, str]:
        """Where the cells of each column stand: figures at the right."""
        sides = {}
        for name, column in self.cells.items():
            texts = [cell for cell in column if cell != ""]
            numbers = texts and all(isinstance(text, str) and NUMBER.fullmatch(text) for text in texts)
            sides[str(name)] = "right" if numbers else "left"
        return sides


@dataclass(frozen=True)
class Drawing:
    """The shapes of an SVG with its `viewBox`, and what is seen there, in a sentence or two."""

    box: str
    shapes: str
    seen: str


@dataclass(frozen=True)
class Section:
    """A part of the page; what it has is shown in the order of the fields."""

    title: str
    texts: Sequence[str] = ()
    items: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    commands: Sequence[str] = ()
    table: Table | None = None
    drawing: Drawing | None = None

    @property
    def slug(self) -> str:
        """The name of the section in addresses."""
        return re.sub(r"\W+", "-", self.title.lower())


def as_html(title: str, sections: Sequence[Section]) -> str:
    """The page, with its style and figures inside; only links lead out of it."""
    return _templates(autoescape=True).get_template("report.html.j2").render(title=title, sections=sections)


def as_markdown(title: str, sections: Sequence[Section]) -> str:
    """The same without figures."""
    shown = [section for section in sections if section.drawing is None]
    return _templates(autoescape=False).get_template("report.md.j2").render(title=title, sections=shown)


def escaped(text: object) -> str:
    r"""A text as Markdown shows it letter by letter, on one line.

    >>> print(escaped("a|b <i> p90_10"))
    a\|b \<i\> p90_10
    """
    line = printable(" ".join(str(text).split()))
    return re.sub(r"([\\`*|<>&#~]|\](?=[(\[:])|(?<!\w)_|_(?!\w))", r"\\\1", line)


def markdown_table(table: Table) -> str:
    """A table of Markdown; rows to mark are bold."""
    cells = table.cells.apply(lambda column: column.map(_markdown_cell)).astype(str)
    for row in table.best:
        cells.iloc[row] = [f"**{cell}**" if cell else "" for cell in cells.iloc[row]]
    cells.columns = pd.Index([escaped(name) for name in cells.columns])
    text = cells.to_markdown(index=False, disable_numparse=True, colalign=tuple(table.aligned().values()))
    return str(text)


def fenced(lines: Iterable[str]) -> str:
    """Lines of code; the fence is longer than any within."""
    text = "\n".join(map(printable, lines))
    fence = "`" * max(3, *(len(ticks) + 1 for ticks in re.findall("`+", text)), 3)
    return f"{fence}sh\n{text}\n{fence}"


def _markdown_cell(cell: object) -> str:
    if isinstance(cell, Link):
        return f"[{escaped(cell.text)}]({cell.href})"
    return escaped(cell)


def _templates(*, autoescape: bool) -> Environment:
    environment = Environment(loader=PackageLoader("tdl.results"), autoescape=autoescape, undefined=StrictUndefined,
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)  # fmt: skip
    environment.globals["zip"] = zip
    environment.tests["link"] = lambda cell: isinstance(cell, Link)
    environment.filters |= {"md": escaped, "md_table": markdown_table, "fenced": fenced, "svg": Markup}
    return environment
