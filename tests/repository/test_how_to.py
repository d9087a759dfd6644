"""README and the how-tos do what they say: every command and piece of Python, one after another, with fewer games.

The Python of README is in `test_documents.py`.
"""

import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from support.programs import inside

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "howto").glob("*.md"))
SMALL = "tuples.radix=6"
"""Tables of a megabyte: those of the pages take seconds each to be written."""

FEWER = f"episodes=20 block=10 evaluate.episodes=5 {SMALL}"
STEP = re.compile(r"^    tdl (?P<command>.+?)$|^```python\n(?P<code>.*?)^```|^```yaml\n(?P<yaml>.*?)^```", re.M | re.S)
FILE = re.compile(r"file `([\w/.]+)` in a folder of\s+yours, say `(\w+)`")


def steps(text):
    """Commands, pieces of Python, and files with their names, in the order of the page."""
    names = iter(f"{folder}/{name}" for name, folder in FILE.findall(text))
    for step in STEP.finditer(text):
        if step["command"]:
            yield "command", step["command"]
        elif step["code"]:
            yield "code", step["code"]
        else:
            yield next(names), step["yaml"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_walk_through_the_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, walked = {}, 0
    for kind, text in steps(page.read_text()):
        walked += 1
        if kind == "command":
            program, *words = shlex.split(text)
            fewer = ["episodes=100", "block=50", "evaluate.episodes=20", SMALL] if program == "run" else []
            in_turn = ["hydra/launcher=basic"] if "-m" in words else []  # each process takes a second to start
            done = inside(*words, *fewer, *in_turn, program=import_module(f"tdl.{program}").main)
            assert not done.returncode, f"{text}: {done.stderr}"
        elif kind == "code":
            exec(text, names)
        else:
            (tmp_path / kind).parent.mkdir(parents=True)
            (tmp_path / kind).write_text(text)
    assert walked >= 2


def test_a_walk_through_the_readme(tmp_path):
    """Its commands in an activated environment; FOLDER is that of the first run; the sweep is a smaller one."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    folder, walked = "", []
    for command in re.findall(r"^    (?:next: |      )?(tdl .+)$", (ROOT / "README.md").read_text(), re.M):
        program = command.split()[1]
        if program == "serve":  # until somebody stops it; tests/web has its tests
            continue
        more = {"run": FEWER, "sweep": f"{FEWER} hydra/launcher=basic", "evaluate": "evaluate.episodes=2"}[program]
        line = f"{command} {more}".replace("outputs/FOLDER", folder)
        line = line.replace("4x6,8x6", "2x4,17x4").replace("seeds=5", "seeds=1")
        done = subprocess.run(line, shell=True, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True)
        assert not done.returncode, f"{line}: {done.stderr.decode()}"
        folder = folder or str(next((tmp_path / "outputs").iterdir()))
        walked.append(program)
    assert {*walked} == {"run", "sweep", "evaluate"}
