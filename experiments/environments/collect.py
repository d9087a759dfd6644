"""Makes findings.csv, and the table of the page, from what `tdl rules --json` says of foreign environments.

    python -m experiments.environments.collect FOLDER [into=FOLDER]

FOLDER has a file NAME.json for each environment, NAME as in `adapters`. Versions and months are those of
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
TABLE = re.compile(r"(<!-- findings.csv -->\n).*?(<!-- end -->)", re.S)
COLUMNS = {"first tiles": "number of first tiles", "actions": "actions", "illegal move": "illegal moves",
           "observation": "observation", "reward": "rewards", "end": "end"}  # fmt: skip
"""Columns of the page's table, and the checks that they are about."""
SHORTER = {r",? in (all )?[\d,]+( games| legal moves)?|; no tile drops|reset puts |\d (?=[udlr])|^[\w.()]+: ": "",
           r"terminated when no move is legal": "no move is legal"}  # fmt: skip
"""What a cell leaves out of a finding, and what it says instead."""


def releases() -> dict[str, tuple[str, str]]:
    """Version and month of each package, by its name as in `adapters`."""
    rows = RELEASE.findall((HOME / "requirements.txt").read_text())
    return {name.replace("-", "_"): (version, month) for name, version, month in rows}


def rows_of(path: Path) -> list[dict[str, Any]]:
    """The findings about an environment."""
    package = next(name for name in releases() if path.stem.startswith(name))
    version, month = releases()[package]
    told = {"environment": path.stem, "version": version, "released": month}
    return [told | finding for finding in json.loads(path.read_text())["findings"]]


def cell(findings: pd.DataFrame, check: str) -> str:
    """What the table says of a check."""
    text = "; ".join(findings.loc[(findings["check"] == check), "text"])
    for pattern, other in SHORTER.items():
        text = re.sub(pattern, other, text)
    return text


def table(findings: pd.DataFrame) -> str:
    """The rows of the page's table."""
    head = ["environment", *COLUMNS, "wrong"]
    lines = [head, ["---"] * len(head)]
    for (name, version, month), part in findings.groupby(["environment", "version", "released"], sort=True):
        wrong = ", ".join(part.loc[part["verdict"] == "wrong", "check"])
        lines.append([f"{name} {version}, {month}", *(cell(part, check) for check in COLUMNS.values()), wrong])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main(*words: str) -> None:
    (folder,), target, _ = arguments("environments", words)
    findings = pd.DataFrame([row for path in sorted(Path(folder).glob("*.json")) for row in rows_of(path)])
    write(target, findings=findings)
    if target == HOME:
        page = HOME / "README.md"
        page.write_text(TABLE.sub(lambda match: match[1] + "\n" + table(findings) + "\n" + match[2], page.read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
