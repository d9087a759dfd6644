"""A player to take along: `tdl export RUN OUT --format=compact|numpy|web`."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from pkgutil import resolve_name

from tdl.cli.messages import CommandParser, one_line_errors
from tdl.errors import ConfigError, refuse
from tdl.game.rules import ACTION_NAMES

FORMATS = {
    "compact": "tdl.formats.compact:export",
    "numpy": "tdl.formats.numpy_player:export",
    "web": "tdl.web.exported_page:export",
}
"""What makes each format: called with the folder of a checkpoint, the path to make and the words of the command line
for it, it gives the lines to print."""

FLAGS = {
    "actions": ("numpy", ",".join(ACTION_NAMES), "the order in which get_action counts them"),
    "step": ("compact", 0.0, "weights are multiples of so many points"),
    "games": ("compact", 1000, "games that tell what the rounding cost"),
}
"""Flags of one format alone: which, the default, and what they are."""


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = CommandParser(prog="tdl export", description=__doc__)
    parser.add_argument("source", metavar="RUN", help="the folder of a run or a checkpoint")
    parser.add_argument("target", metavar="OUT", type=Path, help="what is made: it must not exist")
    parser.add_argument("--format", choices=FORMATS, required=True, help="what is made of it")
    for flag, (kind, default, text) in FLAGS.items():
        parser.add_argument(f"--{flag}", type=type(default), help=f"{kind}: {text}; {default} unless given")
    return parser.parse_args(words)


def _settle_flags(options: argparse.Namespace) -> None:
    """Refuse flags of another format, and give those that are left out their defaults."""
    for flag, (kind, default, _) in FLAGS.items():
        value = getattr(options, flag)
        if value is None:
            setattr(options, flag, default)
        elif options.format != kind:
            raise refuse(f"--{flag}", value, f"--format={kind} with it, not {options.format}")


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
    _settle_flags(options)
    check_target(options.target)
    print(resolve_name(FORMATS[options.format])(options.source, options.target, options))
