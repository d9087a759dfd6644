"""Weights of other programs: `tdl convert IN OUT`, a weight file to a checkpoint or the other way round."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from tdl.cli.export import check_target
from tdl.cli.messages import CommandParser, one_line_errors
from tdl.errors import ConfigError
from tdl.formats.exchange import FORMATS, Exchanged, export_weights, import_weights
from tdl.formats.unread_files import refuse_unread

SUFFIXES = {form.suffix: name for name, form in FORMATS.items()}

_KNOWN = ", ".join(f"{suffix} ({FORMATS[name].program})" for suffix, name in SUFFIXES.items())


def convert(source: Path, target: Path, form: str | None, *, symmetries: bool = True) -> tuple[bool, Exchanged]:
    """Convert a file (import) or a folder (export): whether it was an import, and what was converted.

    Parameters
    ----------
    form : a name in `FORMATS`; None: by the suffix of the file.
    symmetries : whether the tables are read in all symmetric images of the board.
    """
    if not source.exists():
        raise ConfigError(f"{source}: no such file or folder")
    importing = not source.is_dir()
    if importing:
        refuse_unread(source)
    file = source if importing else target
    if form is None and file.suffix not in SUFFIXES:
        raise ConfigError(f"{file}: a weight file is known by its suffix, {_KNOWN}; or name it with --format")
    if importing and target.suffix in SUFFIXES:
        raise ConfigError(f"{target}: a weight file is imported into a folder; export that in a second step")
    check_target(target)
    work = import_weights if importing else export_weights
    return importing, work(source, target, form or SUFFIXES[file.suffix], symmetries=symmetries)


def _parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = CommandParser(prog="tdl convert", description=__doc__)
    parser.add_argument(
        "source", metavar="IN", type=Path, help="a weight file; or the folder of a run or a checkpoint"
    )
    parser.add_argument("target", metavar="OUT", type=Path, help="the checkpoint folder, or the file, to make")
    parser.add_argument("--format", choices=FORMATS, help=f"the file's; by its suffix unless given: {_KNOWN}")
    parser.add_argument(
        "--no-symmetries",
        dest="symmetries",
        action="store_false",
        help="each table is read once, not in the 8 symmetric images of the board (TDL2048+: 8x4patt, 9x4patt)",
    )
    return parser.parse_args(words)


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl convert`."""
    options = _parse(words)
    importing, done = convert(options.source, options.target, options.format, symmetries=options.symmetries)
    print(_text(options.target, importing, done))


def _text(target: Path, importing: bool, done: Exchanged) -> str:
    sums = {True: "with", False: "without", None: "not with"}[done.sums]
    tables = f"{len(done.tables)} tables ({' '.join(done.tables)}), {done.weights:,} weights"
    text = f"{target}: {tables}, {sums} the accumulators of temporal coherence"
    return text if importing else f"{text}\n{done.program}: {done.words}"
