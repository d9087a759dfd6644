"""Benchmarks, `tdl bench NAME`: how fast, and against what. Each NAME is a file of tdl/benchmarks."""

import argparse
import json
import sys
from collections.abc import Sequence

from tdl.benchmarks.registry import BENCHMARKS, benchmark
from tdl.errors import TdlError


def main(words: Sequence[str] | None = None) -> None:
    """The console script `tdl-bench`."""
    try:
        options = _parse(sys.argv[1:] if words is None else words)
        report = benchmark(options.program).measure(options)
    except TdlError as error:
        print(f"tdl: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    print(json.dumps(report.figures, indent=1) if options.json else report.text)


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of the benchmark that the words name; no other benchmark is imported."""
    parser = argparse.ArgumentParser(prog="tdl bench", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    programs = parser.add_subparsers(dest="program", required=True)
    program = next((word for word in words if word in BENCHMARKS), None)
    for name, (_, summary) in BENCHMARKS.items():
        part = programs.add_parser(name, help=summary)
        if name == program:
            benchmark(name).arguments(part)
            part.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
