"""Docstrings of this project for Sphinx: `name : meaning` on a line, and the headings of Gymnasium's environments.

numpydoc takes what stands behind the name for a type, and, in the docstring of an attribute, what stands before its
first colon.
"""

import re
from typing import Any

SECTION = re.compile(r"(Parameters|Attributes|Raises|Returns|Yields)$")
HEADING = re.compile(r"## (?P<title>.+)")
ENTRY = re.compile(r"(?P<name>\S.*?) : (?P<meaning>.+)")
COLON = "\ue000"
"""Stands for a colon that numpydoc is not to see."""


def for_numpydoc(lines: list[str]) -> list[str]:
    """The same lines with the meaning of each entry of a section indented below its name."""
    changed: list[str] = []
    section = False
    for line, below in zip(lines, [*lines[1:], ""], strict=False):
        heading = HEADING.match(line)
        if heading:
            section = heading["title"] == "Arguments"
            changed += [f".. rubric:: {heading['title']}"]
            continue
        if below and set(below) == {"-"}:
            section = bool(SECTION.match(line))
        entry = ENTRY.match(line) if section else None
        changed += [entry["name"], f"    {entry['meaning']}"] if entry else [line]
    return changed


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx, before and after numpydoc's sections are read."""

    def before(_app: Any, what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
        lines[:] = for_numpydoc(lines)
        if what in ("property", "attribute", "data") and lines:
            lines[0] = lines[0].replace(":", COLON)

    def after(_app: Any, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
        lines[:] = [line.replace(COLON, ":") for line in lines]

    app.connect("autodoc-process-docstring", before, priority=100)
    app.connect("autodoc-process-docstring", after, priority=900)
    return {"parallel_read_safe": True}
