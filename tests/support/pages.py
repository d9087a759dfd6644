"""Reports for tests: the page taken apart by a parser of HTML, the tables of the Markdown beside it."""

import contextlib
import io
import re
from html.parser import HTMLParser
from pathlib import Path

from tdl.cli.report import main

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """The elements of a page as (tag, attributes, text within), in their order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        assert len({name for name, _ in attrs}) == len(attrs), f"{tag} has an attribute twice"
        element = (tag, dict(attrs), [])
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        last, *_ = self.open.pop()
        assert last == tag, f"{tag} ends where {last} is open"

    def handle_data(self, data):
        for _, _, texts in self.open:
            texts.append(data)

    def all(self, tag):
        """The attributes and texts of elements of a kind."""
        return [
            (attributes, " ".join("".join(texts).split())) for name, attributes, texts in self.elements if name == tag
        ]

    def texts(self, tag):
        return [text for _, text in self.all(tag)]

    def ids(self):
        return [attributes["id"] for _, attributes, _ in self.elements if "id" in attributes]


def written(folder, *words):
    """The page and the Markdown that `tdl report FOLDER` writes."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        main([str(folder), *map(str, words)])
    page, tables = out.getvalue().splitlines()
    return Path(page).read_text(), Path(tables).read_text()


def tables_of(markdown):
    """The tables by the title of their section: rows of cells as they are read, the first that of the names."""
    tables = {}
    for section in re.split("^## ", markdown, flags=re.M)[1:]:
        lines = [line for line in section.splitlines() if line.startswith("|")]
        rows = [[_read(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        if rows:
            assert {len(row) for row in rows} == {len(rows[0])}, f"rows of different lengths: {lines}"
            assert all(re.fullmatch(":?-+:?", cell) for cell in rows[1])
            tables[section.splitlines()[0]] = [rows[0], *rows[2:]]
    return tables


def _read(cell):
    """What one reads of a cell: bold, links and backslashes are gone."""
    cell = re.sub(r"^\*\*(.*)\*\*$", r"\1", cell.strip())
    cell = re.sub(r"^\[(.*)\]\([^)]*\)$", r"\1", cell)
    return re.sub(r"\\(.)", r"\1", cell)


def columns(table, *names):
    """Some columns of a table, row by row."""
    return [tuple(row[table[0].index(name)] for name in names) for row in table[1:]]


def titles(page):
    return Page(page).texts("h2")


def facts(page):
    parsed = Page(page)
    return dict(zip(parsed.texts("dt"), parsed.texts("dd"), strict=True))


def commands(page):
    return Page(page).texts("code")
