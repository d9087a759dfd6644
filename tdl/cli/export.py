"""A player to take along: `tdl export RUN OUT --format=compact|numpy|web`."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

from tdl.cli.messages import one_line_errors
from tdl.errors import ConfigError, refuse
from tdl.game.rules import ACTION_NAMES

FORMATS = {
    "compact": "tdl.formats.compact:export",
    "numpy": "tdl.formats.numpy_player:export",
    "web": "tdl.web.exported_page:export",
}
"""What makes each format: called with the folder of a checkpoint, the path to make and the words of the command line
for it, it gives the lines to print."""

OF_ONE = {"actions": "numpy", "step": "compact", "games": "compact"}
"""The format that reads each further flag."""

ORDER = ",".join(ACTION_NAMES)


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tdl export", description=__doc__)
    parser.add_argument("source", metavar="RUN", help="the folder of a run or a checkpoint")
    parser.add_argument("target", metavar="OUT", type=Path, help="what is made: it must not exist")
    parser.add_argument("--format", choices=FORMATS, required=True, help="what is made of it")
    parser.add_argument("--actions", metavar="NAMES", help=f"numpy: what get_action counts; {ORDER} unless given")
    parser.add_argument("--step", type=float, default=0.0, help="compact: weights are multiples of so many points")
    parser.add_argument("--games", type=int, default=1000, help="compact: games that tell what the rounding cost")
    options = parser.parse_args(words)
    for name, form in OF_ONE.items():
        if options.format != form and (value := getattr(options, name)) != parser.get_default(name):
            raise refuse(f"--{name}", value, f"it with --format={form} alone, not {options.format}")
    return options


def check_target(target: Path) -> None:
    """Refuse to write over what is there, or where there is no folder."""
    if os.path.lexists(target):
        raise ConfigError(f"{target}: exists already, and is not overwritten; name another")
    if not target.parent.is_dir():
        raise ConfigError(f"{target}: there is no folder {target.parent}")


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl export`."""
    options = _parse(words)
    check_target(options.target)
    print(resolve_name(FORMATS[options.format])(options.source, options.target, options))
