"""Makes the csv files and the table of the page, from what `tdl rules --json` says of foreign environments.

    python -m experiments.environments.collect FOLDER [into=FOLDER]

FOLDER has a file NAME.json for each environment, NAME as in `adapters`. findings.csv has a row for each finding,
conventions.csv one for each environment; the page has those that are wrong. Versions and months are those of
requirements.txt. Each wrong finding needs its lines in reproductions.txt.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from experiments.tools import EXPERIMENTS, arguments, write

HOME = EXPERIMENTS / "environments"
RELEASE = re.compile(r"^([\w-]+)==(\S+)\s+# (\d{4}-\d{2})", re.M)
TABLE = re.compile(r"(<!-- conventions.csv -->\n).*?(<!-- end -->)", re.S)
COLUMNS = {"first tiles": "number of first tiles", "actions": "actions", "illegal move": "illegal moves",
           "observation": "observation", "reward": "rewards", "end": "end"}  # fmt: skip
"""Columns of conventions.csv, and the checks that they are about."""
SHOWN = ["first tiles", "illegal move", "wrong"]
SHORTER = {
    r", in (all )?[\d,]+( games| legal moves)?|; no tile drops|; the last board has one more tile": "",
    r"reset puts |\d (?=[udlr])|^[\w.()]+: ": "",
    r"terminated when no move is legal": "no move is legal",
}
"""What a cell leaves out of a finding, and what it says instead."""


def releases() -> dict[str, tuple[str, str]]:
    """Version and month of each package, by its name as in `adapters`."""
    rows = RELEASE.findall((HOME / "requirements.txt").read_text())
    return {name.replace("-", "_"): (version, month) for name, version, month in rows}


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The findings about an environment."""
    package = next(name for name in releases() if path.stem.startswith(name))
    version, month = releases()[package]
    about, text = {"environment": path.stem, "version": version, "released": month}, path.read_text()
    return [about | finding for finding in json.loads(text[text.index("{") :])["findings"]]


def cell(findings: pd.DataFrame, check: str) -> str:
    """What conventions.csv says of a check."""
    part = findings[findings["check"] == check]
    text = "wrong" if (part["verdict"] == "wrong").any() else "; ".join(part["text"])
    for pattern, other in SHORTER.items():
        text = re.sub(pattern, other, text)
    return text


def conventions(findings: pd.DataFrame) -> pd.DataFrame:
    """A row for each environment."""
    keys, rows = ["environment", "version", "released"], []
    for names, part in findings.groupby(keys, sort=True):
        cells = {column: cell(part, check) for column, check in COLUMNS.items()}
        wrong = ", ".join(part.loc[part["verdict"] == "wrong", "check"])
        rows.append(dict(zip(keys, names, strict=True)) | cells | {"wrong": wrong})
    return pd.DataFrame(rows)


def table(rows: pd.DataFrame) -> str:
    """The page's table, of the environments with something wrong."""
    head = ["environment", *SHOWN]
    lines = [head, ["---"] * len(head)]
    for row in rows[rows["wrong"].fillna("") != ""].fillna("").to_dict("records"):
        lines.append([f"{row['environment']} v{row['version']}, {row['released']}", *(row[name] for name in SHOWN)])
    return "".join(f"|{'|'.join(line)}|\n" for line in lines)


def page_text(text: str) -> str:
    """The text of the page with its table made anew."""
    rows = pd.read_csv(HOME / "conventions.csv", dtype=str)
    return TABLE.sub(lambda match: f"{match[1]}\n{table(rows)}\n{match[2]}", text)


def main(*words: str) -> None:
    (folder,), target, _ = arguments("environments", words)
    findings = pd.DataFrame([row for path in sorted(Path(folder).glob("*.json")) for row in rows_of(path)])
    write(target, findings=findings, conventions=conventions(findings))
    if target == HOME:
        (page := HOME / "README.md").write_text(page_text(page.read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
