"""Every import and cimport of the package points down the layers, or stays in one.

Trusts nothing but the text of the sources. A new module needs a place in `LAYERS`.
"""

import ast
import re
from pathlib import Path

import tdl

SOURCE = Path(tdl.__file__).parent

LAYERS = [  # from top to bottom
    "__main__", "run", "cli", "benchmarks", "web", "terminal", "gym",
    "sweeps", "formats", "runs", "config", "results", "conformance", "statistics", "sessions",
    "dqn", "players", "training", "solver", "search", "learning", "cuda", "network", "storage", "game",
    "base", "errors",
]  # fmt: skip

DOCUMENT = Path(__file__).parents[2] / "docs" / "dev" / "architecture.md"

LAYER = {name: height for height, name in enumerate(reversed(LAYERS))}

FACE = {"__version__"}
"""What may be taken from `tdl/__init__.py` itself, which imports from all layers."""

IMPORT = re.compile(r"^\s*(?:from\s+(\S+)\s+c?import\s+(.*)|c?import\s+(.*))$")

FILES = sorted(path for suffix in ("py", "pyi", "pyx", "pxd", "pxi") for path in SOURCE.rglob(f"*.{suffix}"))


def imported(path):
    """What a source file imports, as (line, dotted name with the name taken from it)."""
    read = _python_imports if path.suffix in (".py", ".pyi") else _cython_imports
    return list(read(path.read_text()))


def _python_imports(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def _cython_imports(text):
    for number, line in enumerate(text.splitlines(), 1):
        if found := IMPORT.match(line.split("#")[0].rstrip()):
            module, names, modules = found.groups()
            for name in (names or modules).strip("(").split(","):
                name = name.split(" as ")[0].strip()
                yield number, f"{module}.{name}" if module else name


def layer_of(path):
    """The module or package of tdl that a source file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(path.suffix)


def complaints(name, imports):
    """What is wrong with the imports of the module or package `name`."""
    for number, target in imports:
        parts = target.split(".")
        if parts[0] == "":
            yield f"line {number}: {target} is relative; write the full name"
        elif parts[0] == "tdl" and parts[1:] and parts[1] not in LAYER and parts[1] not in FACE:
            yield f"line {number}: {target} is in no layer"
        elif parts[0] == "tdl" and parts[1:] and LAYER.get(parts[1], -1) > LAYER[name]:
            yield f"line {number}: {target} is above {name}"
        elif target == "tdl":
            yield f"line {number}: the package itself imports from all layers"
        elif parts[0] == "tdl" and any(is_reference(part) for part in parts):
            yield f"line {number}: {target} is a reference implementation, which is for tests"


def is_reference(module):
    """Whether a module holds reference implementations; only other ones may import it."""
    return module == "reference" or module.endswith("_reference")


def test_imports_point_down():
    complained = []
    for path in FILES:
        if path != SOURCE / "__init__.py":  # the face shows names of all layers
            lines = complaints(layer_of(path), imported(path))
            own = is_reference(path.stem)
            complained += [f"{path}: {line}" for line in lines if not (own and line.endswith("for tests"))]
    assert complained == []
    assert {layer_of(path) for path in FILES} - {"__init__"} == {*LAYERS}


def test_no_module_imports_itself_in_a_circle():
    modules = [path for path in FILES if path.suffix == ".py"]
    files = {".".join(path.relative_to(SOURCE.parent).with_suffix("").parts): path for path in modules}
    imports = {}
    for module, path in files.items():
        targets = [target for _, target in imported(path)]
        named = {name for target in targets for name in (target, target.rpartition(".")[0]) if name in files}
        imports[module] = named - {module, "tdl"}
    assert not circles(imports)
    assert set(circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()})) == {"a", "b", "c"}


def circles(imports):
    """The modules that are left when those are taken away, again and again, that import none of the others."""
    left = dict(imports)
    while free := [module for module, targets in left.items() if not targets & left.keys()]:
        for module in free:
            del left[module]
    return left


def test_the_readers_see_imports():
    """Against sources whose imports are known: a reader that saw nothing would pass everything."""
    python = "from __future__ import annotations\nimport numpy, tdl.game.rules\ndef f():\n    from tdl import run\n"
    assert list(_python_imports(python)) == [
        (1, "__future__.annotations"), (2, "numpy"), (2, "tdl.game.rules"), (4, "tdl.run")
    ]  # fmt: skip
    cython = "cimport tdl.game.board\nfrom tdl.learning.td cimport (A as B, C)  # x\n    from tdl import run\nx = 1\n"
    assert [name.rstrip(")") for _, name in _cython_imports(cython)] == [
        "tdl.game.board", "tdl.learning.td.A", "tdl.learning.td.C", "tdl.run"
    ]  # fmt: skip
    assert sum(len(imported(path)) for path in FILES if path.suffix in (".pyx", ".pxd")) > 50


def test_a_wrong_import_is_found():
    for name, target, telling in (
        ("game", "tdl.network.ntuple.NTupleNetwork", "above game"),
        ("network", ".tuples", "relative"),
        ("training", "tdl.nowhere", "no layer"),
        ("config", "tdl", "all layers"),
        ("training", "tdl.training.episode_reference.Play", "for tests"),
    ):
        (line,) = complaints(name, [(1, target)])
        assert telling in line


def description(name):
    """The first line of the docstring of a package or module of tdl."""
    path = SOURCE / name / "__init__.py" if (SOURCE / name).is_dir() else SOURCE / f"{name}.py"
    docstring = ast.get_docstring(ast.parse(path.read_text()))
    return docstring.splitlines()[0] if docstring else ""


def test_the_diagram_of_the_document_is_made_of_the_layers():
    """Each with its description. Headings begin at the margin, and lines may be filled."""
    block = DOCUMENT.read_text().split("<!-- layers -->\n```text\n")[1].split("```\n<!-- end -->")[0]
    written = " ".join(line for line in block.splitlines() if line.startswith(" "))
    lines = "\n".join(f"{name} {description(name)}" for name in LAYERS)
    assert all(description(name).endswith(".") for name in LAYERS)
    assert written.split() == lines.split(), lines
