"""Writes the numbers of all pages anew from the csv files: `python -m experiments.tools.pages [--check]`.

With --check nothing is written, and the exit code says whether anything would be. A number asks for its text by a
comment behind it (`experiments.tools.requests`). In a table a comment in a heading asks for a column, and one in the
first cell of a row, without a column, says which rows of the csv file it is about; a row without one is not filled. A
cell's own comment adds to them, or is whole where it has a file and a column. A cell without a number stays. First of
all the csv files of differences (`experiments.tools.contrasts`) and published figures (`index`) are written.
"""

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from experiments.tools import EXPERIMENTS, ROOT
from experiments.tools.contrasts import PAIRS, filled_pairs
from experiments.tools.index import PUBLISHED, published_text
from experiments.tools.requests import COMMENT, FORMS, Request, answer, parsed
from experiments.tools.tables import TableError

TABLE = re.compile(r"(^\|.*\n\|[-:| ]+\|\n(?:\|.*\n?)+)", re.M)
BAR = re.compile(r"(?<!\\)\|")
NUMBERS = {form: rf"(?<![\w.,])(?:{number})" for form, number in FORMS.items()}
NOTHING = Request()
Answer = Callable[[Request], str]


def filled(page: Path) -> str:
    """The text of a page with all of its numbers made anew. A TableError names a request that cannot be met."""
    try:
        return filled_text(page.read_text(), partial(answer, folder=page.parent))
    except TableError as error:
        raise TableError(f"{page.relative_to(ROOT) if page.is_relative_to(ROOT) else page}: {error}") from None


def filled_text(text: str, give: Answer) -> str:
    """The same of a text, with what `give` has for a request in the place of its number."""
    parts = TABLE.split(text)  # every second one is a table
    return "".join((_filled_table if i % 2 else _numbers)(part, give) for i, part in enumerate(parts))


def _numbers(text: str, give: Answer, asked: Request = NOTHING) -> str:
    """A text with the number before each request replaced; `asked` is what its table asks for besides."""
    pieces, start = [], 0
    for comment in COMMENT.finditer(text):
        own = parsed(comment[1])
        request = (own if own.file and own.column else own | asked).with_file()
        if not request.column:
            raise TableError(f"{' '.join(comment[1].split())}: no column")
        before = text[start : comment.start()]
        match = re.search(rf"{NUMBERS[request.form]}(?=[*_]*$)", before)
        if not match:
            raise TableError(f"no number before {request}, as its form {request.form} has it")
        pieces += [_replaced(before, match, give(request)), comment[0]]
        start = comment.end()
    return "".join([*pieces, text[start:]])


def _replaced(text: str, match: re.Match[str], new: str) -> str:
    """The text with another number; a line of the page that ended within the number ends there again."""
    broken = re.search(r"\s*\n\s*", match[0])
    place = new.find(" ", max(0, broken.start() - 3)) if broken else -1
    if broken and place >= 0:
        new = new[:place] + broken[0] + new[place + 1 :]
    return text[: match.start()] + new + text[match.end() :]


def _filled_table(text: str, give: Answer) -> str:
    """A table with the cells replaced that its headings and first cells ask for."""
    head, line, *rows = text.splitlines(keepends=True)
    columns = [_part(cell) for cell in BAR.split(head)]
    return "".join([head, line, *(_filled_row(row, columns, give) for row in rows)])


def _filled_row(row: str, columns: list[Request], give: Answer) -> str:
    """A row of a table with its cells replaced."""
    cells = BAR.split(row)
    asked = _part(cells[1])
    for place in range(1, len(cells) - 1):
        request = (Request(where=asked.where) if asked.column else asked) | columns[place]
        number = re.search(NUMBERS[request.form], cells[place])
        if COMMENT.search(cells[place]) and (place > 1 or asked.column):
            cells[place] = _numbers(cells[place], give, request)
        elif place > 1 and COMMENT.search(cells[1]) and request.file and request.column and number:
            cells[place] = _replaced(cells[place], number, give(request))
    return "|".join(cells)


def _part(cell: str) -> Request:
    """What a heading, or the first cell of a row, asks for."""
    comment = COMMENT.search(cell)
    return parsed(comment[1]) if comment else NOTHING


def page_of(folder: Path) -> Path | None:
    """The page of an experiment, its own or that which it shares with others, if it is written."""
    homes = [folder, *([folder.parent] if (folder.parent / "commands.sh").exists() else [])]
    return next((home / "README.md" for home in homes if (home / "README.md").exists()), None)


def is_shown(folder: Path, figure: str) -> bool:
    """Whether a page shows or links the figure of an experiment, or may yet, since it is not written."""
    page = page_of(folder)
    return page is None or f"({(folder / figure).relative_to(page.parent)})" in page.read_text()


def write_caption(folder: Path, figure: str, caption: str) -> None:
    """Write the text beside a figure into the page of its experiment, where it asks for it."""
    if page := page_of(folder):
        name = re.escape(str((folder / figure).relative_to(page.parent)))
        mark = re.compile(rf"(<!-- caption {name} -->\n).*?(<!-- end -->)", re.S)
        page.write_text(mark.sub(lambda match: f"{match[1]}\n*{caption}*\n\n{match[2]}", page.read_text()))


def pages() -> list[Path]:
    """Every page of the repository."""
    homes = ("*.md", "docs/**/*.md", "experiments/**/*.md", "outputs/*.md", "tdl/**/*.md")
    return [page for home in homes for page in sorted(ROOT.glob(home))]


def main(*words: str) -> int:
    make = dict.fromkeys(sorted(EXPERIMENTS.rglob(PAIRS)), lambda path: filled_pairs(path.parent))
    make |= {EXPERIMENTS / PUBLISHED: lambda path: published_text(path.parent)} | dict.fromkeys(pages(), filled)
    stale = 0
    for path, text_of in make.items():
        text = text_of(path)
        if not path.exists() or path.read_text() != text:
            stale += 1
            print(path.relative_to(ROOT))
            if "--check" not in words:
                path.write_text(text)
    return stale if "--check" in words else 0


if __name__ == "__main__":
    try:
        sys.exit(bool(main(*sys.argv[1:])))
    except TableError as error:
        sys.exit(str(error))
