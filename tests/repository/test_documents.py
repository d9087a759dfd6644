"""The documents say what is: their code runs, their commands compose, their lists are complete."""

import doctest
import re
import shlex
from importlib import import_module
from importlib.util import find_spec
from inspect import isfunction
from pathlib import Path

import pytest
from support.programs import SMALL, inside

import tdl
import tdl.results
import tdl.results.comparison
import tdl.results.frames
from tdl.cli import COMMANDS
from tdl.config.compose import register
from tdl.config.hydra_versions import BASE
from tdl.config.setup import Setup

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [*DOCUMENTS, ROOT / "outputs" / "README.md", *sorted((ROOT / "experiments").rglob("README.md"))]


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
    with initialize_config_module("tdl.conf", **BASE):
        plain, first = (Setup.of(compose("run", words)) for words in ([], ["tuples=4x6", "alpha=0.1"]))
    assert plain.network == first.network
    assert plain.alpha == first.alpha == 0.1


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_compose(document):
    text = document.read_text()
    start = r"(?:python -m tdl[. ]|tdl[- ])(run|sweep|solve|evaluate|match|play|serve)"
    commands = set(re.findall(rf"`{start} ([^`\n]+)`", text)) | set(re.findall(rf"^    {start} (.+)$", text, re.M))
    for name, command in sorted(commands):
        program = "run" if name == "sweep" else name
        words = [word for word in shlex.split(command) if word not in ("-m", "...", "--help")]
        if any(word.startswith(("resume=", "solution=")) or "..." in word or word.startswith("-") for word in words):
            continue
        if "--help" in command:
            continue
        folders = [word for word in words if "=" not in word]
        words = [word for word in words if word not in folders[1:]]  # of several, those of a sweep, the first
        words = [word.split(",")[0] if "[" not in word and "(" not in word else word for word in words]
        words = [word for word in words if not re.search(r"range\(|interval\(|^seeds=", word)]
        if "hydra/sweeper=tune" in words and not find_spec("optuna"):  # its file builds on that of the plugin
            continue
        done = inside(*words, "--cfg", "job", program=import_module(f"tdl.{program}").main)
        assert done.returncode == 0, f"{document.name}: {command}: {done.stderr}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text()):
        target, _, anchor = link.partition("#")
        page = document.parent / target if target else document
        if "://" not in link:
            assert page.exists(), f"{document.name}: {link}"
            assert not anchor or anchor in anchors(page.read_text()), f"{document.name}: {link}"


def anchors(text):
    """What a link can name in a page: its headings in lower case, without marks, with hyphens for spaces."""
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_what_is_named_is_there(document):
    """Programs, modules (or what they hold) and files of the repository, but for those with a name to fill in."""
    text = document.read_text()
    for program in re.findall(r"python -m tdl\.([a-z]+)", text):
        assert (ROOT / "tdl" / f"{program}.py").exists(), f"{document.name}: {program}"
    for command in re.findall(r"(?:python -m |`|^    )tdl ([a-z]+)", text, re.M):
        assert command in COMMANDS, f"{document.name}: {command}"
    for name in re.findall(r"\b(?:from|import) (tdl[\w.]*)|`(tdl\.[\w.]+)", text):
        assert needs_torch("".join(name)) or named("".join(name)), f"{document.name}: {name}"
    for path in re.findall(r"`((?:tdl|tests|conf|docs|experiments)/[\w./]+)`", text):
        assert "NAME" in path or (ROOT / path).exists(), f"{document.name}: {path}"


def test_commands_have_one_form():
    """`tdl run`; the page about running says once that `python -m tdl.run` is the same."""
    told = {page: re.findall(r"python -m tdl\.", page.read_text()) for page in PAGES}
    assert [page.name for page, found in told.items() if found] == ["run.md"]


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
        paragraphs = {" ".join(paragraph.split()) for paragraph in page.read_text().split("\n\n")}
        for paragraph in paragraphs:
            if len(paragraph.split()) > 25 and not re.match(r"\*[^*]", paragraph):  # captions of figures may be alike
                pages.setdefault(paragraph, []).append(page.relative_to(ROOT))
    assert not {paragraph[:60]: where for paragraph, where in pages.items() if len(where) > 1}


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 110


def test_the_face_is_small_and_complete():
    assert len(tdl.__all__) <= 15
    assert all(getattr(tdl, name).__doc__ for name in tdl.__all__)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """A folder with the sweep that examples are about: they read it."""
    folder = tmp_path_factory.mktemp("examples")
    words = ("episodes=30", "evaluate.episodes=20", "alpha=0.1,0.3", "seed=0,1")
    assert inside("-m", *SMALL, *words, f"hydra.sweep.dir={folder}/outputs/alpha").returncode == 0
    return folder


@pytest.fixture
def swept(outputs, monkeypatch):
    """Work where that folder is."""
    monkeypatch.chdir(outputs)


NAMES = ("frames", "comparison", "answers", "tables", "titles", "tuning")
RESULTS = [import_module(f"tdl.results.{name}") for name in NAMES]
DRAWING = [import_module(f"tdl.results.{name}") for name in ("captions", "labels", "palette")]


@pytest.mark.parametrize("module", [*RESULTS, *DRAWING], ids=lambda module: module.__name__)
def test_docstring_examples(module, swept):
    told = doctest.testmod(module, extraglobs={"tdl": tdl})
    assert told.attempted >= 1
    assert told.failed == 0


def test_every_function_of_the_results_has_an_example():
    assert not [name for name in tdl.results.__all__ if ">>>" not in getattr(tdl.results, name).__doc__]
    public = {
        name
        for module in RESULTS
        for name, value in vars(module).items()
        if isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }
    inner = {"begun_in", "blocks_of", "last_blocks", "hashable", "follows", "reach_columns", "run_mean", "in_words",
             "reach_in_words", "figures_in_words", "intervals_in_words"}  # fmt: skip
    assert set(tdl.results.__all__) == public - inner
