"""Benchmarks, `tdl bench NAME`: how fast, and against what. Each NAME is a file of tdl/benchmarks."""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module

from tdl.benchmarks import BENCHMARKS, SCRIPTS, Report
from tdl.cli.messages import CommandParser, one_line_errors
from tdl.errors import ConfigError


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl bench`."""
    options = _parse(sys.argv[1:] if words is None else words)
    report: Report = import_module(f"tdl.benchmarks.{options.program}").measure(options)
    print(json.dumps(report.figures, indent=1) if options.json else report.text)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of the benchmark that the words name; no other benchmark is imported."""
    program = next((word for word in words if word in (*BENCHMARKS, *SCRIPTS)), None)
    if program in SCRIPTS:
        raise ConfigError(f"bench {program}: in a checkout it is python -m experiments.benchmarks.{program}")
    parser = CommandParser(prog="tdl bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    programs = parser.add_subparsers(dest="program", required=True)
    for name, summary in BENCHMARKS.items():
        part = programs.add_parser(name, help=summary)
        if name == program:
            import_module(f"tdl.benchmarks.{name}").arguments(part)
            part.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return parser.parse_args(words)
