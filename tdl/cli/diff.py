"""What differs between two runs: `tdl diff outputs/A outputs/B`; keys, results and what they ran on."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tdl.cli.messages import one_line_errors


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl diff`."""
    parser = argparse.ArgumentParser(prog="tdl diff", description=__doc__)
    for name in ("A", "B"):
        parser.add_argument(name, type=Path, help="the folder of a run, an evaluation or a solved game")
    options = parser.parse_args(words)
    from tdl.results.difference import difference  # not at the top: `--help` has no use for it

    print(difference((options.A, options.B)), end="")
