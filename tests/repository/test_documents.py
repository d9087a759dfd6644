"""The documents say what is: their code runs, their commands compose, their lists are complete."""

import doctest
import re
import shlex
from importlib import import_module
from inspect import isfunction
from pathlib import Path

import pytest
from support.programs import SMALL, inside

import tdl
import tdl.results
import tdl.results.comparison
import tdl.results.frames
from tdl.config import build
from tdl.config import run as run_config
from tdl.config.compose import register

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_python_in_the_readme_runs(capsys):
    code = re.findall(r"```python\n(.*?)```", README, re.S)
    assert len(code) == 1
    names = {}
    exec(code[0], names)
    printed = capsys.readouterr().out
    assert "16" in printed  # the board
    assert "nan" in printed  # up is illegal on it
    assert len(names["games"]) == 1000


def test_a_run_of_the_readme_is_an_ordinary_one():
    """`make run` and the first command of the README are the defaults, so that later words can replace them."""
    from hydra import compose, initialize_config_module

    register()
    with initialize_config_module("tdl.conf", version_base="1.3"):
        plain, first = (run_config.read(compose("run", words)) for words in ([], ["tuples=4x6", "alpha=0.1"]))
    assert plain.tuples == first.tuples
    assert build.alpha(plain) == first.alpha == 0.1


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_compose(document):
    text = document.read_text()
    commands = set(re.findall(r"`(?:python -m tdl\.|tdl-)(run|solve|evaluate|match|play|serve) ([^`\n]+)`", text))
    commands |= set(
        re.findall(r"^    (?:python -m tdl\.|tdl-)(run|solve|evaluate|match|play|serve) (.+)$", text, re.M)
    )
    for program, command in sorted(commands):
        words = [word for word in shlex.split(command) if word not in ("-m", "...", "--help")]
        if any(word.startswith(("resume=", "solution=")) or "..." in word or word.startswith("-") for word in words):
            continue
        words = [word.split(",")[0] if "[" not in word and "(" not in word else word for word in words]
        words = [word for word in words if "range(" not in word]
        done = inside(*words, "--cfg", "job", program=import_module(f"tdl.{program}").main)
        assert done.returncode == 0, f"{document.name}: {command}: {done.stderr}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text()):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.name}: {target}"


def test_the_readme_lists_every_choice():
    for group in ("game", "tiles", "tuples", "learner", "placer", "search", "agent", "experiment"):
        row = next(line for line in README.splitlines() if line.startswith(f"| `{group}`"))
        choices = {path.stem for path in (ROOT / "conf" / group).glob("*.yaml")}
        assert choices <= set(re.findall(r"`([\w]+)`", row)), group


def test_the_face_is_small_and_complete():
    assert len(tdl.__all__) <= 15
    assert all(getattr(tdl, name).__doc__ for name in tdl.__all__)


@pytest.fixture
def swept(tmp_path, monkeypatch):
    """A folder with the sweep that examples are about."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tdl.results.figures.save_curve", lambda folder: None)
    words = ("episodes=30", "evaluate.episodes=20", "alpha=0.1,0.3", "seed=0,1", "hydra.sweep.dir=outputs/alpha")
    assert inside("-m", *SMALL, *words).returncode == 0


@pytest.mark.parametrize("module", [tdl.results.frames, tdl.results.comparison], ids=lambda module: module.__name__)
def test_docstring_examples(module, swept):
    told = doctest.testmod(module, extraglobs={"tdl": tdl})
    assert told.attempted > 5
    assert told.failed == 0


def test_every_function_of_the_results_has_an_example():
    assert not [name for name in tdl.results.__all__ if ">>>" not in getattr(tdl.results, name).__doc__]
    public = [name for name, each in vars(tdl.results.frames).items() if isfunction(each) and not name.startswith("_")]
    assert set(tdl.results.__all__) == {*public} - {"score_bands"}


def test_python_in_the_documents_of_sweeps_runs(swept, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "guide" / "sweeps.md").read_text(), re.S)
    exec(code.replace('"alpha", 0.5', '"alpha", 0.3'), {})
    assert "improvement" in capsys.readouterr().out
