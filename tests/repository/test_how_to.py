"""The how-tos do what they say: every command and every piece of Python, one after another, with fewer games."""

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
from support.programs import inside

PAGES = sorted((Path(__file__).parents[2] / "docs" / "howto").glob("*.md"))
STEP = re.compile(
    r"^    python -m (?P<command>tdl\..+?)$|^```python\n(?P<code>.*?)^```|^```yaml\n(?P<yaml>.*?)^```", re.M | re.S
)
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
            fewer = ["episodes=100", "block=50", "evaluate.episodes=20"] if program == "tdl.run" else []
            in_turn = (
                ["hydra/launcher=basic"] if "-m" in words else []
            )  # here, since each process takes a second to start
            done = inside(*words, *fewer, *in_turn, program=import_module(program).main)
            assert not done.returncode, f"{text}: {done.stderr}"
        elif kind == "code":
            exec(text, names)
        else:
            (tmp_path / kind).parent.mkdir(parents=True)
            (tmp_path / kind).write_text(text)
    assert walked >= 2
