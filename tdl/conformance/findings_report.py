"""Findings as text, JSON and a data frame."""

import json
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, fields

import pandas as pd

from tdl.conformance.finding import VERDICTS, Finding
from tdl.errors import printable

WIDTH = 119


def frame(findings: Sequence[Finding], **attributes: object) -> pd.DataFrame:
    """A row for each finding; what is wrong comes first."""
    rows = [asdict(finding) for finding in sorted(findings, key=lambda finding: VERDICTS.index(finding.verdict))]
    table = pd.DataFrame(rows, columns=[field.name for field in fields(Finding)])
    table.attrs.update(attributes)
    return table


def as_json(table: pd.DataFrame, environment: str, rules: str) -> str:
    """The findings with what they are about."""
    findings = table.to_dict("records")
    return json.dumps({"environment": environment, "rules": rules, **table.attrs, "findings": findings}, indent=1)


def as_text(table: pd.DataFrame, environment: str, rules: str) -> str:
    """The findings by verdict, each in a sentence, with the smallest board and how to meet it again."""
    lines = [f"{environment}: {table.attrs['steps']:,} steps, against {rules}"]
    width = 2 + table.check.str.len().max()
    for verdict in VERDICTS:
        part = table[table.verdict == verdict]
        lines += ["", f"{verdict} ({len(part)})"] if len(part) else []
        for row in map(Finding, *(part[column] for column in part)):
            first, *rest = textwrap.wrap(printable(row.text), WIDTH - width - 2) or [""]
            lines += [f"  {row.check:{width}}{first}", *(" " * (width + 2) + line for line in rest)]
            lines += [f"{' ' * (width + 2)}smallest: {row.board}"] if row.board else []
            lines += [f"      {printable(line)}" for line in row.reproduction.splitlines()]
    error = f"A right environment is called wrong with a probability of at most {table.attrs['error']:g}."
    return "\n".join([*lines, "", error])
