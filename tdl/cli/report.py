"""A page about runs: `tdl report FOLDER` writes `report.html`, figures inside, and `report.md`."""

import os
from collections.abc import Sequence
from pathlib import Path

from tdl.base.machine import require_memory_for_pictures
from tdl.cli.messages import CommandParser, one_line_errors
from tdl.errors import printable
from tdl.storage.atomic import new_file
from tdl.sweeps.table import jobs_in, table_of


def write(folders: Sequence[Path], out: Path) -> list[Path]:
    """Write the page and the tables beside it; the two paths."""
    require_memory_for_pictures()
    from tdl.results.report_page import as_html, as_markdown  # not at the top: templates and figures take a second
    from tdl.results.report_sections import Source, sections

    title = printable(", ".join(os.path.basename(os.path.realpath(folder)) for folder in folders))
    jobs = jobs_in(folders)
    parts = sections(Source(folders, jobs, table_of(jobs), Path(os.path.realpath(out)).parent))
    paths = [out.with_suffix(".html"), out.with_suffix(".md")]
    for path, text in zip(paths, (as_html(title, parts), as_markdown(title, parts)), strict=True):
        with new_file(path) as file:  # what has the name may be a link elsewhere
            file.write(text.encode())
    return paths


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl report`."""
    parser = CommandParser(prog="tdl report", description=__doc__)
    parser.add_argument("folders", metavar="FOLDER", type=Path, nargs="+", help="of a run, a sweep, or of several")
    parser.add_argument("--out", type=Path, help="where to write; the suffixes .html and .md are added "
                        "(default: report in the first folder)")  # fmt: skip
    options = parser.parse_args(words)
    for path in write(options.folders, options.out or options.folders[0] / "report"):
        print(path)
