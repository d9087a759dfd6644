"""How plainly the pages are written: `python -m experiments.tools.style` prints a row for each page.

Words are those that a reader sees, without comments. A sentence ends with . ! ? or :, or with its paragraph or list
item; code, tables and headings have none. A number of a result has a comma, a point or a percent sign. It is no budget
(10,000 moves, 2.5 hours), no level of an interval (95%) and no setting (TC(.5)). `unsourced` are those without a
request (`experiments.tools.requests`). `tests/repository/test_style.py` sets the limits.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from experiments.tools import ROOT
from experiments.tools.pages import TABLE, filled_text, pages

HIDDEN = re.compile(r"<!--.*?-->", re.S)
CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]+`", re.S | re.M)
NOT_PROSE = re.compile(r"^(?:    |\||#)[^\n]*$", re.M)
NO_NUMBERS = re.compile(r"\]\([^)]*\)|^(?:#|    ).*$", re.M)  # links, headings and commands
RESULT = re.compile(
    r"(?<![\w.,(])[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?%?|\d+\.\d+%?|\d+%)"
    r"(?![\w)]|\s(?:games|moves|episodes|iterations|minutes|hours|h)\b)"
)
NO_RESULT = re.compile(r"[+-]?(?:[1-9]0*(?:,000)+|95%|0%|100%)")
SETTING = re.compile(r"(?:steps?(?: size)?(?: of)?|and|or|alpha|lambda|epsilon|drops of|Python|above|below)\s$")
SOURCED = "\N{CHECK MARK}"  # what is written in the place of a number that has a request
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
        return sum(len(sentence.split()) for sentence in self.sentences) / max(1, len(self.sentences))


def style(page: Path) -> Style:
    """Count a page."""
    text = CODE.sub("code", page.read_text())
    shown = HIDDEN.sub("", text)
    prose = NOT_PROSE.sub("", shown)
    rows = [len(table.splitlines()) - 2 for table in TABLE.findall(shown)]
    words = len(HIDDEN.sub("", page.read_text()).split())
    return Style(words, _sentences(prose), PHRASES.findall(prose), max(rows, default=0), *_numbers(text))


def _sentences(prose: str) -> list[str]:
    """The sentences of more than three words."""
    paragraphs = re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", prose)
    sentences = [part for text in paragraphs for part in re.split(r"(?<=[.!?:])\s+", " ".join(text.split()))]
    return [sentence for sentence in sentences if len(sentence.split()) > 3]


def _numbers(text: str) -> tuple[int, list[str]]:
    """How many numbers have a request, and the numbers of results that have none."""
    marked = filled_text(NO_NUMBERS.sub("]", text), lambda request: SOURCED)
    rest = HIDDEN.sub("", marked.replace(SOURCED, " "))
    numbers = [match for match in RESULT.finditer(rest) if not NO_RESULT.fullmatch(match[0])]
    decimals = [match for match in numbers if re.fullmatch(r"\d*\.\d+", match[0])]
    settings = [match for match in decimals if SETTING.search(rest[: match.start()])]
    return marked.count(SOURCED), [match[0] for match in numbers if match not in settings]


def main() -> None:
    rows = []
    for page in pages():
        counted = style(page)
        longest = max((len(sentence.split()) for sentence in counted.sentences), default=0)
        lengths = {"words": counted.words, "mean": round(counted.mean, 1), "longest": longest, "rows": counted.rows}
        lists = {name: len(getattr(counted, name)) for name in ("phrases", "unsourced")}
        rows.append(lengths | lists | {"sourced": counted.sourced, "page": page.relative_to(ROOT)})
    table = pd.DataFrame(rows)
    print(table.to_string(index=False), f"{table['words'].sum()} words", sep="\n")


if __name__ == "__main__":
    main()
