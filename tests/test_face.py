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
for path in sys.argv[1:]:
    module, _, name = path.rpartition(".")
    kind = getattr(importlib.import_module(module), name)
    try:
        made = kind.__new__(kind)
    except (TypeError, ValueError):
        continue
    print(path, flush=True)
    for name in dir(made):
        for values in itertools.chain.from_iterable(itertools.product([None, 0], repeat=n) for n in range(4)):
            try:
                getattr(made, name)(*values)
            except Exception:
                pass
"""
"""Calls all that objects have which `__init__` never saw; one that needs arguments to be made is refused before."""


def test_objects_that_were_never_initialised_do_not_end_the_process():
    paths = [f"{module}.{name}" for module, name in extension_types()]
    names = {path.rpartition(".")[2] for path in paths}
    assert names >= {"Engine", "Stream", "Batch", "NTupleNetwork", "SelfPlay", "Layers"}
    done = subprocess.run([sys.executable, "-c", CALLS, *paths], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout.splitlines()[-1:]} {done.stderr[-500:]}"
