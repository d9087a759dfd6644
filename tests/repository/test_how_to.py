"""The tutorial and the how-tos do what they say: every command and piece of Python, in turn, with fewer games."""

import contextlib
import io
import re
import shlex
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from support.programs import UNDRAWN, inside
from support.shapes import played_boards

import tdl
from tdl.cli import MODULES
from tdl.players.baselines import play_random

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL = sorted((DOCS / "tutorial").glob("*.md"), key=Path.read_text)
"""One walk, for a page needs the folders of those before it. Their titles are numbered."""

WALKS = {"tutorial": TUTORIAL}
WALKS |= {name: [DOCS / "howto" / f"{name}.md"] for name in ("sweeps", "new_tuples", "new_game", "figure", "games")}

STEP = re.compile(r"^    (?P<command>tdl .+?)$|^```(?P<kind>python|yaml|)\n(?P<text>.*?)^```", re.M | re.S)
FILE = re.compile(r"file\s+`([\w/.]+)`\s+in\s+a\s+folder\s+of\s+yours,\s+say\s+`(\w+)`")

LESS = {
    r"seeds=\d+": "seeds=2",
    r"trials.number=\d+": "trials.number=2",
    r"range\(5,10\)": "range(5,7)",
    ",1,1.5 ": " ",  # alpha, of which 1.5 diverges
    "0.1,0.3,0.5": "0.1,0.5",
    r"--move \d+": "--move 9",
    "agent, 1000": "agent, 10",
}
SHORT = ("episodes=40", "block=20", "evaluate.episodes=10", "tuples.radix=6")
"""Tables of a megabyte: those of the pages take seconds each to be written."""

WORDS = {
    "run": SHORT,
    "sweep": ("-m", *SHORT, "hydra/launcher=basic"),  # each process takes a second to start
    "evaluate": ("evaluate.episodes=2",),
    "games": ("games=2",),
    "play": ("--cfg", "job"),  # these two go on until somebody ends them
    "serve": ("--cfg", "job"),
}


def call(command):
    """Do a command of a page with the words that make it short; it must end well. Gives what it prints."""
    program, *words = shlex.split(command)[1:]
    main = UNDRAWN if program in ("run", "sweep") else import_module(MODULES[program]).main
    done = inside(*words, *WORDS.get(program, ()), program=main)
    assert not done.returncode, f"{command}: {done.stderr}"
    return "" if program in ("play", "serve") else done.stdout


def execute(code, names):
    """Do a piece of Python. Gives what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(code, names)
    return out.getvalue()


def write(file, text):
    """Write a file of a page, of which the page says the name and the folder."""
    name, folder = file
    path = Path(folder) / name
    path.parent.mkdir(parents=True)
    path.write_text(text)


def compare(page, shown, printed):
    """The words that begin the lines which a page shows must be printed, too; the figures are of fewer games."""
    first = set(re.findall(r"^ *([A-Za-z]{4,})\b", shown, re.M)) if printed else set()
    assert first <= set(re.findall(r"\w+", printed)), f"{page.name}: {shown}"


def walk(page):
    """Do all steps of a page. Gives how many there are."""
    text, names, printed, steps = page.read_text(), {}, "", 0
    files = iter(FILE.findall(text))
    for pattern, less in LESS.items():
        text = re.sub(pattern, less, text)
    for step in STEP.finditer(text):
        steps += 1
        if step["command"]:
            printed = call(step["command"])
        elif step["kind"] == "python":
            printed = execute(step["text"], names)
        elif step["kind"] == "yaml":
            write(next(files), step["text"])
        else:
            compare(page, step["text"], printed)
    return steps


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_through_the_pages(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert all(walk(page) >= 2 for page in WALKS[name])


def test_the_searches_of_the_page_about_chance():
    """The expectimax has the values of ours, which are float32; the tree search scores twice what random play does."""
    steps = STEP.finditer((DOCS / "guide" / "chance.md").read_text())
    one, many, tree = (step["text"] for step in steps)
    names = {}
    execute(one + many, names)
    player, boards = names["player"], played_boards(tdl.Rules(), 400)[::40] + [0x1121212112121212]
    expected = [player.values(board, plies=2) for board in boards]
    np.testing.assert_allclose([names["expectimax"](board, 2) for board in boards], expected, rtol=1e-6)
    np.testing.assert_allclose(names["two_plies"](np.array(boards, np.uint64)), expected, rtol=1e-6)
    execute(tree, names)
    games, random = names["games"], play_random(names["engine"].rules, 1000)
    assert games["score"].mean() > 2 * random["score"].mean()
    assert round(random["score"].mean()) == 175  # as the page says
