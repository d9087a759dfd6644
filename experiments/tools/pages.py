"""Makes the tables of all pages anew from the csv files: experiments, their index, docs/results.md and README.md.

    python -m experiments.tools.pages [--check]

With --check nothing is written, and the exit code says whether anything would be. A page asks for a table by a line,
and the lines up to `<!-- end -->` are replaced:

    <!-- table FILE: KEY KEY | COLUMN COLUMN -->
    <!-- beside FILE PUBLISHED: KEY KEY | KEY -->
    <!-- peers FILE PEERS: KEY KEY | COLUMN COLUMN -->
    <!-- less COLUMN COLUMN: FILE KEY=VALUE KEY=VALUE - FILE KEY=VALUE + FILE KEY=VALUE | FILE ... -->
    <!-- caption FIGURE -->
    <!-- index CHAPTER -->
    <!-- published CHAPTER | CHAPTER -->
    <!-- compared CHAPTER | CHAPTER -->
    <!-- verdicts all -->

`table` has a row for each setting of the keys, with means over the rows of the file (one for each run) and 95%
intervals over them; where a setting has a single row, the interval that the file has for it (`mean_low`, `mean_high`:
over games). `runs` among the columns is their number, `finished` how many did not diverge. `beside` has a row for
each published figure, with ours under the values of the last keys; PUBLISHED names a `source` and has figures in
columns of the same names as FILE. `peers` has a row for each figure of another program, whose runs are the rows of
PEERS (`experiments.tools.peers`), with ours and the difference. `less` has a row for each figure of two sets of runs:
the first one's mean less the second one's; `+` joins runs of several files. `caption` has the
text beside a figure, which `experiments.tools.figures` writes as it draws it. `index` and `published` have the rows of
chapters of index.yaml, `compared` and `verdicts` those of its `peers` and `verdicts`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from experiments.tools import EXPERIMENTS, ROOT
from experiments.tools.index import compared_rows, index_rows, less_rows, published_rows
from experiments.tools.tables import TableError, beside, compared, markdown, read_table, table
from experiments.tools.verdicts import verdict_rows

DOCUMENTS = [
    ROOT / "README.md",
    EXPERIMENTS / "README.md",
    *(ROOT / "docs" / f"{name}.md" for name in ("results", "published")),
]
"""Pages that are not those of an experiment."""

END = "<!-- end -->"
MARK = re.compile(
    rf"(<!-- (table|beside|peers|less|index|published|compared|verdicts|caption) (.*?) -->\n).*?({END})", re.S
)


def filled(page: Path) -> str:
    """The text of a page with all of its tables made anew.

    Raises
    ------
    TableError : a file or column that is not there.
    """

    def filled_table(match: re.Match[str]) -> str:
        opening, kind, request, closing = match.groups()
        if kind == "caption":
            return match[0]
        try:
            return f"{opening}\n{markdown(_rows(page.parent, kind, request))}\n\n{closing}"
        except KeyError as error:
            raise TableError(f"{page}: {request}: no column {error}") from None

    text = page.read_text()
    if text.count(END) != len(MARK.findall(text)):
        raise TableError(f"{page}: a table's first or last line is wrong")
    return MARK.sub(filled_table, text)


def write_caption(folder: Path, figure: str, caption: str) -> None:
    """Write the text beside a figure into the page of an experiment, where it asks for it."""
    page = folder / "README.md"
    if page.exists():
        mark = re.compile(rf"(<!-- caption {re.escape(figure)} -->\n).*?({END})", re.S)
        page.write_text(mark.sub(lambda match: f"{match[1]}\n*{caption}*\n\n{match[2]}", page.read_text()))


def _rows(folder: Path, kind: str, request: str) -> list[list[str]]:
    """The rows of one table."""
    if kind == "index":
        return index_rows(request)
    if kind == "published":
        return published_rows(request.split(" | "))
    if kind == "compared":
        return compared_rows(request.split(" | "))
    if kind == "verdicts":
        return verdict_rows()
    files, keys = request.split(":", 1)
    if kind == "less":
        return less_rows(folder, files.split(), keys.split(" | "))
    frames = [read_table(folder / file) for file in files.split()]
    first, second = (words.split() for words in keys.split("|"))
    if kind == "table":
        return table(*frames, first, second)
    return (beside if kind == "beside" else compared)(*frames, first, second)


def main(*words: str) -> int:
    """Write the pages that have changed, or count them."""
    texts = {page: filled(page) for page in [*sorted(EXPERIMENTS.glob("*/README.md")), *DOCUMENTS]}
    stale = [page for page, text in texts.items() if page.read_text() != text]
    for page in stale:
        print(page.relative_to(ROOT))
        if "--check" not in words:
            page.write_text(texts[page])
    return len(stale) if "--check" in words else 0


if __name__ == "__main__":
    try:
        sys.exit(bool(main(*sys.argv[1:])))
    except TableError as error:
        sys.exit(str(error))
