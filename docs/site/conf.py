"""The documentation's site, built by `make docs` with Sphinx and MyST: settings.

The pages are those of the repository, where they lie; only the reference is made when the site is built.
"""

import sys
from pathlib import Path
from typing import Any

import tdl
from tdl.players.kinds import SMALL
from tdl.web.exported_page import export

sys.path.insert(0, str(Path(__file__).parent))

project = "tdl"
author = "the authors of tdl"
release = version = tdl.__version__

root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "experiments/**.md",
    "tdl/small/card.md",
    "outputs/README.md",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
]
exclude_patterns = [".*", "build", "outputs/[!R]*", "tests", "conf", "**/node_modules"]
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "docstrings",
    "stubs",
    "keys",
]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_theme = "furo"
html_title = f"tdl {release}"
html_extra_path = ["extra"]  # index.html, which leads to the first page
html_static_path = ["static"]
html_css_files = ["wide.css"]
html_copy_source = False

autodoc_use_legacy_class_based = True  # the other way drops the signatures that `stubs` gives to compiled classes
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autodoc_mock_imports = ["mpi4py"]
add_module_names = False
python_use_unqualified_type_names = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
default_role = "py:obj"  # `name` in a docstring is a link where there is something of that name


TRY_IT = """
<iframe class="try" src="../try.html" loading="lazy" title="A trained network plays 2048"></iframe>
<p>Press Play, or move by arrow keys and swipes. <a href="../try.html">The same page alone</a></p>

"""
"""Below the first page's title, in place of the picture; `export` makes the page in it."""

PICTURE = "![A trained agent at play in the browser](serve.png)\n"


def setup(app: Any) -> None:
    """The first page opens with a game, the list of experiments has their pages below it; GitHub shows neither."""

    def write_page(_app: Any) -> None:
        if app.builder.format == "html":
            export(SMALL, Path(app.outdir) / "try.html")

    def read(_app: Any, name: str, source: list[str]) -> None:
        if name == "experiments/README":
            source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n*/README\n```\n"
        if name == root_doc and app.builder.format == "html":
            title, _, text = source[0].partition("\n")
            source[0] = title + "\n" + TRY_IT + text.replace(PICTURE, "")

    app.connect("builder-inited", write_page)
    app.connect("source-read", read)
