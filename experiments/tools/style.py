"""How plainly the pages are written: `python -m experiments.tools.style` prints a row for each page.

Words are those that a reader sees, without comments. A sentence ends with . ! ? or :, or with its paragraph or list
item; code, tables and headings have none. A number of a result has a comma, a point or a percent sign. It is no budget
(10,000 moves, 2.5 hours), no level of an interval (95%) and no setting (TC(.5)). `unsourced` are those without a
request (`experiments.tools.requests`). `tests/repository/test_style.py` sets the limits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from experiments.tools import EXPERIMENTS, ROOT
from experiments.tools.pages import BAR, TABLE
from experiments.tools.requests import COMMENT, FORMS

HIDDEN = re.compile(r"<!--.*?-->", re.S)
CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]+`", re.S | re.M)
NOT_PROSE = re.compile(r"^(?:    |\||#)[^\n]*$", re.M)
RESULT = re.compile(
    r"(?<![\w.,(])[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?%?|\d+\.\d+%?|\d+%)"
    r"(?![\w)]|\s(?:games|moves|episodes|iterations|minutes|hours|h)\b)"
)
NO_RESULT = re.compile(r"[1-9]0*(?:,000)+|95%|0%|100%")
SETTING = re.compile(r"(?:steps?(?: size)?(?: of)?|and|or|alpha|lambda|epsilon|drops of|Python|above|below)\s$")
"""What stands before a decimal that is no result."""

PHRASES = re.compile(
    r"told (?:apart|from)|tell (?:them|it) apart|could hide|(?:a|as a) guess|\bgoe?s? by\b|\bstands? in\b|\bis worth\b"
    r"|\bcom(?:es?|ing) to\b|\bby (?:two|three|four|five|six|eight|ten) (?:seeds|runs)\b|beside other work"
    r"|busy machine|chose nothing|had a part in|as boards are|was decided|without a command here|while this was built"
    r"|\bno longer\b|the former|the latter",
    re.I,
)
"""What has a plainer word: docs/dev/style.md."""


@dataclass(frozen=True)
class Style:
    """What is counted of a page."""

    words: int
    sentences: list[str]
    phrases: list[str]
    rows: int
    sourced: int
    unsourced: list[str]

    @property
    def mean(self) -> float:
        """Words of a sentence, on average."""
        return sum(len(each.split()) for each in self.sentences) / max(1, len(self.sentences))


def style(page: Path) -> Style:
    """Count a page."""
    text = CODE.sub("code", page.read_text())
    shown = HIDDEN.sub("", text)
    prose = NOT_PROSE.sub("", shown)
    sourced, bare = _numbers(text)
    rows = [len(table.splitlines()) - 2 for table in TABLE.findall(shown)]
    words = len(HIDDEN.sub("", page.read_text()).split())
    return Style(words, _sentences(prose), PHRASES.findall(prose), max(rows, default=0), sourced, bare)


def _sentences(prose: str) -> list[str]:
    """The sentences of more than three words."""
    paragraphs = re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", prose)
    found = [part for text in paragraphs for part in re.split(r"(?<=[.!?:])\s+", " ".join(text.split()))]
    return [each for each in found if len(each.split()) > 3]


def _numbers(text: str) -> tuple[int, list[str]]:
    """How many numbers have a request, and the numbers of results that have none."""
    sourced, bare = 0, ""
    for i, part in enumerate(TABLE.split(re.sub(r"\]\([^)]*\)|^(?:#|    ).*$", "]", text, flags=re.M))):
        if i % 2:
            count, part = _without_asked_cells(part)
            sourced += count
        longest = sorted(FORMS.values(), key=len, reverse=True)
        part, count = re.subn(rf"(?:{'|'.join(longest)})[*_]*{COMMENT.pattern}", " ", part, flags=re.S)
        sourced, bare = sourced + count, bare + HIDDEN.sub("", part)
    found = [match for match in RESULT.finditer(bare) if not NO_RESULT.fullmatch(match[0].lstrip("+-"))]
    decimal = re.compile(r"\d*\.\d+")
    settings = [match for match in found if decimal.fullmatch(match[0]) and SETTING.search(bare[: match.start()])]
    return sourced, [match[0] for match in found if match not in settings]


def _without_asked_cells(table: str) -> tuple[int, str]:
    """How many cells of a table its headings ask for, and the table without them."""
    head, line, *rows = table.splitlines()
    asked = [bool(COMMENT.search(cell)) for cell in BAR.split(head)]
    count = 0
    for i, row in enumerate(rows):
        cells = BAR.split(row)
        if not COMMENT.search(cells[1]):
            continue
        for place, wanted in enumerate(asked[: len(cells)]):
            if wanted and place > 1 and re.search(r"\d", HIDDEN.sub("", cells[place])):
                cells[place], count = "", count + 1
        rows[i] = "|".join(cells)
    return count, "\n".join([head, line, *rows])


def all_pages() -> list[Path]:
    """Every page of the repository."""
    homes = [
        ROOT.glob("*.md"),
        (ROOT / "docs").rglob("*.md"),
        EXPERIMENTS.rglob("*.md"),
        (ROOT / "outputs").glob("*.md"),
    ]
    return [page for home in homes for page in sorted(home)]


def main() -> None:
    """Print a row for each page and their sum."""
    print("words  mean  longest  phrases  rows  sourced  unsourced  page")
    total = 0
    for page in all_pages():
        counted = style(page)
        longest = max((len(each.split()) for each in counted.sentences), default=0)
        total += counted.words
        print(
            f"{counted.words:5}  {counted.mean:4.1f}  {longest:7}  {len(counted.phrases):7}  {counted.rows:4}  "
            f"{counted.sourced:7}  {len(counted.unsourced):9}  {page.relative_to(ROOT)}"
        )
    print(f"{total:5}  all")


if __name__ == "__main__":
    main()
