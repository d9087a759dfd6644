"""Every import and cimport of the package points down the floors, or stays on one.

Trusts nothing but the text of the sources. A new module needs a place in `FLOORS`.
"""

import ast
import re
from pathlib import Path

import pytest

import tdl

SOURCE = Path(tdl.__file__).parent

FLOORS = [  # from top to bottom; names of modules and packages of tdl
    ["run", "evaluate", "bench", "solve", "convert", "report", "play", "serve", "match", "picture"],  # programs
    ["peersearch"],
    [
        "training",
        "kinds",
        "peer",
        "limit",
        "versus",
        "boards",
        "plies",
        "steps",
        "iterations",
        "overhead",
        "serving",
        "signature",
    ],  # one run; comparisons of many
    ["gym"],  # the games for players of other programs
    ["matchconfig"],  # the values of programs that ask agents about single boards
    ["terminal"],  # the games for people
    ["web"],  # a page and what answers it
    ["recording", "evaluation", "thinking"],  # the games of an evaluation, and of people
    ["program"],  # what programs share: Hydra, errors
    ["cluster", "launcher", "jobprocess", "sweeptable", "sweep"],  # many runs
    ["resolvers", "resume"],  # where a run is, and what it goes on with
    [
        "names",
        "config",
        "agentconfig",
        "evaluateconfig",
        "solveconfig",
        "playconfig",
        "serveconfig",
        "schema",
        "groups",
    ],  # the values of one program each
    ["figures", "plots"],  # data frames to figures
    ["results"],  # finished runs to data frames
    ["comparison"],  # data frames to figures with intervals
    ["gamefolder"],  # the games of people
    ["runfiles", "gamefiles", "progress", "interrupts", "runlock", "environment"],  # what a run leaves and shows
    ["statistics", "bootstrap"],  # figures of a set of games
    ["dqn"],  # who learns and plays by a deep network
    ["agents"],  # who plays
    ["search"],  # how value chooses, and what it truly is
    ["learning"],  # how value is learned
    ["network"],  # what a position is worth
    ["game"],  # what the game is
    ["checks", "palette"],  # one value; its colour
    ["errors"],
]

FLOOR = {name: height for height, names in enumerate(reversed(FLOORS)) for name in names}

FACE = {"__version__"}
"""What may be taken from `tdl/__init__.py` itself, which imports from all floors."""

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


def floor_names(path):
    """The module or package of tdl that a source file belongs to."""
    return path.relative_to(SOURCE).parts[0].removesuffix(path.suffix)


def complaints(name, imports):
    """What is wrong with the imports of the module or package `name`."""
    for number, target in imports:
        parts = target.split(".")
        if parts[0] == "":
            yield f"line {number}: {target} is relative; write the full name"
        elif parts[0] == "tdl" and parts[1:] and parts[1] not in FLOOR and parts[1] not in FACE:
            yield f"line {number}: {target} is on no floor"
        elif parts[0] == "tdl" and parts[1:] and FLOOR.get(parts[1], -1) > FLOOR[name]:
            yield f"line {number}: {target} is above {name}"
        elif target == "tdl":
            yield f"line {number}: the package itself imports from all floors"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    if path == SOURCE / "__init__.py":
        pytest.skip("the face shows names of all floors")
    name = floor_names(path)
    assert name in FLOOR, f"tdl/{name} has no place in FLOORS"
    assert not list(complaints(name, imported(path)))


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


@pytest.mark.parametrize(
    ("name", "target", "telling"),
    [
        ("game", "tdl.network.ntuple.NTupleNetwork", "above game"),
        ("learning", "tdl.agents.trainer.Trainer", "above learning"),
        ("network", ".tuples", "relative"),
        ("agents", "tdl.nowhere", "no floor"),
        ("config", "tdl", "all floors"),
    ],
)
def test_a_wrong_import_is_found(name, target, telling):
    (found,) = complaints(name, [(1, target)])
    assert telling in found
