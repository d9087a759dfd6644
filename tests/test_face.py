"""The names that `import tdl` shows, when they are imported, and compiled objects that were never initialised.

Trusts the interpreter: what a fresh one has imported, and how it ends.
"""

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import tdl

SHOWN = [*tdl.__all__, "__version__"]


def python(code):
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def test_dir_shows_what_there_is():
    pytest.importorskip("gymnasium")
    assert dir(tdl) == sorted([*SHOWN, "gym"])
    for name in dir(tdl):
        assert getattr(tdl, name) is not None
    assert tdl.gym is importlib.import_module("tdl.gym")


def test_without_gymnasium_it_is_not_shown():
    code = "import sys; sys.modules['gymnasium'] = None\nimport tdl; print(*dir(tdl))"
    assert python(code) == sorted(SHOWN)


def test_what_is_slow_is_imported_when_it_is_asked_for():
    code = "import sys, tdl; dir(tdl); print(*sys.modules)"
    assert not {"pandas", "hydra", "matplotlib", "gymnasium", "tdl.results", "tdl.picture"} & {*python(code)}


def extension_types():
    """The classes of all compiled modules, each with the module's name."""
    root = Path(tdl.__file__).parent
    paths = (path.relative_to(root.parent).with_suffix("") for path in sorted(root.rglob("*.pyx")))
    modules = [importlib.import_module(".".join(path.parts)) for path in paths]
    return [
        (module.__name__, name)
        for module in modules
        for name, kind in vars(module).items()
        if inspect.isclass(kind) and kind.__module__ == module.__name__
    ]


CALLS = """
import importlib, itertools, sys
kind = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])
try:
    made = kind.__new__(kind)
except TypeError:
    sys.exit()
for name in dir(made):
    for values in itertools.chain.from_iterable(itertools.product([None, 0], repeat=n) for n in range(4)):
        try:
            getattr(made, name)(*values)
        except Exception:
            pass
"""
"""Calls all that an object has which `__init__` never saw; one that needs arguments to be made is refused before."""


@pytest.mark.parametrize(("module", "name"), extension_types())
def test_an_object_that_was_never_initialised_does_not_end_the_process(module, name):
    done = subprocess.run([sys.executable, "-c", CALLS, module, name], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-500:]


def test_all_extension_types_are_tried():
    assert {name for _, name in extension_types()} >= {
        "Engine",
        "Stream",
        "Batch",
        "NTupleNetwork",
        "SelfPlay",
        "Layers",
    }
