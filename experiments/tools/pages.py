"""Writes the numbers of all pages anew from the csv files: `python -m experiments.tools.pages [--check]`.

With --check nothing is written, and the exit code says whether anything would be. A number asks for its text by a
comment behind it (`experiments.tools.requests`). In a table a comment in a heading asks for a column, and one in the
first cell of a row, without a column, says which rows of the csv file it is about; a row without one is not filled. A
cell's own comment adds to them, or is whole where it has a file and a column. A cell without a number stays. The text
between `<!-- caption FIGURE -->` and `<!-- end -->` is written by `experiments.tools.figures`. Differences
(`experiments.tools.pairs`) and published figures (`experiments.tools.published`) are csv files that this command
writes first.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from experiments.tools import EXPERIMENTS, ROOT
from experiments.tools.pairs import FILE, filled_pairs
from experiments.tools.published import PUBLISHED, published_text
from experiments.tools.requests import COMMENT, FORMS, Request, answer, parsed
from experiments.tools.tables import TableError

END = "<!-- end -->"
TABLE = re.compile(r"(^\|.*\n\|[-:| ]+\|\n(?:\|.*\n?)+)", re.M)
NOTHING = Request()
BAR = re.compile(r"(?<!\\)\|")


def filled(page: Path) -> str:
    """The text of a page with all of its numbers made anew.

    Raises
    ------
    TableError : a request that cannot be met, or has no number before it.
    """
    try:
        parts = TABLE.split(page.read_text())  # every second one is a table
        return "".join((_filled_table if i % 2 else _numbers)(part, page.parent) for i, part in enumerate(parts))
    except TableError as error:
        raise TableError(f"{page.relative_to(ROOT) if page.is_relative_to(ROOT) else page}: {error}") from None


def _numbers(text: str, folder: Path, asked: Request = NOTHING) -> str:
    """A text with the number before each request replaced; `asked` is what its table asks for besides."""
    pieces, start = [], 0
    for comment in COMMENT.finditer(text):
        own = parsed(comment[1])
        request = own if own.file and own.column else own | asked
        if not (request.file and request.column):
            raise TableError(f"{' '.join(comment[1].split())}: no file or no column")
        pieces += [_replaced(text[start : comment.start()], request, folder, at_end=True), comment[0]]
        start = comment.end()
    return "".join([*pieces, text[start:]])


def _replaced(text: str, request: Request, folder: Path, at_end: bool) -> str:
    """The text with its number of the request's form, at its end or the first one, replaced."""
    match = re.search(rf"(?<![\w.,])(?:{FORMS[request.form]}){r'(?=[*_]*$)' if at_end else ''}", text)
    if not match:
        if at_end:
            raise TableError(f"no number before {request}, as its form {request.form} has it")
        return text
    new = answer(request, folder)
    if broken := re.search(r"\s*\n\s*", match[0]):  # a line of the page ends within the number
        place = new.find(" ", max(0, broken.start() - 3))
        new = new[:place] + broken[0] + new[place + 1 :] if place >= 0 else new
    return text[: match.start()] + new + text[match.end() :]


def _filled_table(text: str, folder: Path) -> str:
    """A table with the cells replaced that its headings and first cells ask for."""
    head, line, *rows = text.splitlines(keepends=True)
    columns = [_part(cell) for cell in BAR.split(head)]
    return "".join([head, line, *(_filled_row(row, columns, folder) for row in rows)])


def _filled_row(row: str, columns: list[Request], folder: Path) -> str:
    """A row of a table with its cells replaced."""
    cells = BAR.split(row)
    asked = _part(cells[1])
    for place in range(1, len(cells) - 1):
        request = (Request(where=asked.where) if asked.column else asked) | columns[place]
        if COMMENT.search(cells[place]) and (place > 1 or asked.column):
            cells[place] = _numbers(cells[place], folder, request)
        elif place > 1 and COMMENT.search(cells[1]) and request.file and request.column:
            cells[place] = _replaced(cells[place], request, folder, at_end=False)
    return "|".join(cells)


def _part(cell: str) -> Request:
    """What a heading, or the first cell of a row, asks for."""
    comment = COMMENT.search(cell)
    return parsed(comment[1]) if comment else Request()


def write_caption(folder: Path, figure: str, caption: str) -> None:
    """Write the text beside a figure into the page of its experiment, where it asks for it."""
    page = next((home / "README.md" for home in (folder, folder.parent) if (home / "README.md").exists()), None)
    if page:
        name = re.escape(str((folder / figure).relative_to(page.parent)))
        mark = re.compile(rf"(<!-- caption {name} -->\n).*?({END})", re.S)
        page.write_text(mark.sub(lambda match: f"{match[1]}\n*{caption}*\n\n{match[2]}", page.read_text()))


def pages() -> list[Path]:
    """All pages that may ask for numbers."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted(EXPERIMENTS.rglob("*.md"))]


def main(*words: str) -> int:
    """Write the files that have changed, or count them."""
    stale = 0
    for name, filled_text in (
        *((path, lambda path: filled_pairs(path.parent)) for path in sorted(EXPERIMENTS.rglob(FILE))),
        (EXPERIMENTS / PUBLISHED, lambda path: published_text(path.parent)),
        *((path, filled) for path in pages()),
    ):
        text = filled_text(name)
        if not name.exists() or name.read_text() != text:
            stale += 1
            print(name.relative_to(ROOT))
            if "--check" not in words:
                name.write_text(text)
    return stale if "--check" in words else 0


if __name__ == "__main__":
    try:
        sys.exit(bool(main(*sys.argv[1:])))
    except TableError as error:
        sys.exit(str(error))
