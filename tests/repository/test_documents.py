"""The documents say what is: their code runs, their commands compose, their lists are complete."""

import doctest
import pkgutil
import re
import shlex
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.programs import SMALL, inside

import tdl
import tdl.results
import tdl.results.comparison
import tdl.results.frames
from tdl.cli import COMMANDS, MODULES
from tdl.config.hydra_versions import BASE
from tdl.config.schema import RUN
from tdl.config.setup import Setup

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [*DOCUMENTS, ROOT / "outputs" / "README.md", *sorted((ROOT / "experiments").rglob("README.md"))]
NAMES = [str(path.relative_to(ROOT)) for path in DOCUMENTS]

COMPOSED = "(?:run|sweep|solve|evaluate|games|match|play|serve)"
LEFT_OUT = re.compile(r"\.\.\.|--help| (?:resume|solution)=| -(?!m )")
"""Commands that need a run or have a word to fill in."""


def test_python_in_the_readme_runs(capsys):
    (code,), names = re.findall(r"```python\n(.*?)```", README, re.S), {}
    exec(code, names)
    printed = capsys.readouterr().out
    assert "16" in printed  # the board
    assert "nan" in printed  # up is illegal on it
    assert len(names["games"]) == 1000


def test_a_run_of_the_readme_is_an_ordinary_one():
    """`make run` and the first command of the README are the defaults, so that later words can replace them."""
    from hydra import compose, initialize_config_module

    RUN.register()
    with initialize_config_module("tdl.conf", **BASE):
        default, first = (Setup.of(compose("run", words)) for words in ([], ["tuples=4x6", "alpha=0.1"]))
    assert default.network == first.network
    assert default.alpha == first.alpha == 0.1


@pytest.mark.parametrize("name", NAMES)
def test_commands_compose(name):
    text = (ROOT / name).read_text()
    commands = re.findall(rf"`tdl ({COMPOSED} [^`\n]+)`", text)
    for command in {*commands, *re.findall(rf"(?m)^    tdl ({COMPOSED} .+)$", text)}:
        assert LEFT_OUT.search(command) or composed(command) == "", f"{name}: {command}"


@cache
def composed(command):
    """The message of a command that does not compose, for the first run of its sweep."""
    program, *words = shlex.split(command)
    folders = [word for word in words if "=" not in word and word != "-m"]
    words = [word for word in words if word not in ("-m", *folders[1:])]  # of several, those of a sweep, the first
    words = [word.split(",")[0] if "[" not in word and "(" not in word else word for word in words]
    words = [word for word in words if not re.search(r"range\(|interval\(|^seeds=", word)]
    done = inside(*words, "--cfg", "job", program=import_module(MODULES[program]).main)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name):
    document = ROOT / name
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        target, _, anchor = link.partition("#")
        page = document.parent / target if target else document
        if "://" not in link:
            assert page.exists(), f"{name}: {link}"
            assert not anchor or anchor in anchors(page.read_text()), f"{name}: {link}"


def anchors(text):
    """What a link can name in a page: its headings in lower case, without marks, with hyphens for spaces."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", NAMES)
def test_what_is_named_is_there(name):
    """Commands, modules (or what they hold) and files of the repository, but for those with a name to fill in."""
    text = (ROOT / name).read_text()
    commands = re.findall(r"(?:python -m |`|^    )tdl ([a-z]+)", text, re.M)
    assert {*commands} <= {*COMMANDS}
    dotted = {"".join(names) for names in re.findall(r"\b(?:from|import) (tdl[\w.]*)|`(tdl\.[\w.]+)", text)}
    assert not [name for name in dotted if not (needs_torch(name) or named(name))]
    paths = re.findall(r"`((?:tdl|tests|conf|docs|experiments)/[\w./]+)`", text)
    assert not [path for path in paths if "NAME" not in path and not (ROOT / path).exists()]


def test_commands_have_one_form():
    """`tdl run`; the page about running says once that `python -m tdl.run` is the same, which is a module, too."""
    told = {page.name for page in PAGES if "python -m tdl." in page.read_text()}
    assert told == {"run.md", "architecture.md"}


def needs_torch(dotted):
    """Whether a module cannot be imported here, since the extra dqn is not installed."""
    return dotted.startswith("tdl.dqn.") and not find_spec("torch")


def named(dotted):
    """Whether a dotted name is a module of tdl, or what one holds."""
    parts = dotted.strip(".").split(".")
    value = tdl
    for depth, part in enumerate(parts[1:], 2):
        path = ROOT.joinpath(*parts[:depth])
        if path.is_dir() or any(path.with_suffix(suffix).exists() for suffix in (".py", ".pyi")):
            value = import_module(".".join(parts[:depth]))
        elif not hasattr(value, part):
            return False
        else:
            value = getattr(value, part)
    return True


def test_no_paragraph_stands_in_two_files():
    pages = {}
    for page in PAGES:
        for paragraph in {" ".join(paragraph.split()) for paragraph in page.read_text().split("\n\n")}:
            if len(paragraph.split()) > 25 and not re.match(r"\*[^*]", paragraph):  # captions of figures may be alike
                pages.setdefault(paragraph, []).append(page.relative_to(ROOT))
    assert not {paragraph[:60]: where for paragraph, where in pages.items() if len(where) > 1}


def test_the_face_is_small_and_complete():
    assert len(README.splitlines()) <= 110
    assert len(tdl.__all__) <= 17
    assert all(getattr(tdl, name).__doc__ for name in tdl.__all__)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """A folder with the sweep that examples are about: they read it."""
    folder = tmp_path_factory.mktemp("examples")
    words = ("episodes=30", "evaluate.episodes=20", "alpha=0.1,0.3", "seed=0,1")
    assert inside("-m", *SMALL, *words, f"hydra.sweep.dir={folder}/outputs/alpha").returncode == 0
    return folder


@pytest.mark.parametrize("module", [module.name for module in pkgutil.iter_modules(tdl.results.__path__)])
def test_docstring_examples(module, outputs, monkeypatch):
    monkeypatch.chdir(outputs)
    assert doctest.testmod(import_module(f"tdl.results.{module}"), extraglobs={"tdl": tdl}).failed == 0


def test_every_function_of_the_results_has_an_example():
    assert not [name for name in tdl.results.__all__ if ">>>" not in getattr(tdl.results, name).__doc__]
