"""The command `tdl`: which program it starts, with which words, and what it imports.

Trusts the programs themselves, which are tested elsewhere.
"""

import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from support.programs import SMALL, inside, program, result

import tdl
import tdl.__main__ as command
from tdl.cli.evaluate import main as evaluate

ROOT = Path(__file__).parents[2]

HEAVY = ("pandas", "matplotlib", "seaborn")


def tdl_(*words):
    """`tdl WORDS` inside this process."""
    return inside(*words, program=command.main)


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]], ids=" ".join)
def test_it_lists_all_commands(words):
    done = tdl_(*words)
    assert done.returncode in (None, 0)
    listed = re.findall(r"^  (\w+)  ", done.stdout, re.M)
    assert listed == list(command.COMMANDS)
    assert set(command.MODULES) == set(listed)


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (["swepe"], "swepe: no such command; expected one of run, sweep,"),
        (["evalaute"], "did you mean 'evaluate'?"),
        (["alpha=0.1"], "alpha=0.1: a command comes first, as in: tdl run alpha=0.1"),
    ],
    ids=" ".join,
)
def test_an_unknown_command_is_one_line(words, telling):
    done = tdl_(*words)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert telling in line


def test_the_version_says_what_runs_here():
    lines = tdl_("--version").stdout.splitlines()
    assert re.fullmatch(rf"tdl {tdl.__version__}( \(commit [0-9a-f]{{10}}(, with changes)?\))?", lines[0])
    assert f"Python {sys.version.split()[0]}, NumPy {numpy.__version__}, Hydra " in lines[1]
    network = tdl.NTupleNetwork(tdl.Rules(), tdl.tuple_set("2x4"))
    assert lines[2].startswith(f"instruction set {network.instructions}, ")
    assert inside("alpha=0.1", "--version").stdout.splitlines() == lines


def test_a_run_and_a_sweep(tmp_path, monkeypatch):
    """`sweep` is `run -m`, and a folder is enough for the programs that take one."""
    monkeypatch.chdir(tmp_path)
    short = (*SMALL, "episodes=20")
    assert tdl_("run", *short, "name=first").returncode == 0
    done = tdl_("sweep", *short, "seeds=2", "name=several", "evaluate.episodes=0")
    assert done.returncode == 0, done.stderr
    assert len(list(Path("outputs/several").glob("*/result.json"))) == 2
    games = tdl_("evaluate", "outputs/first", "evaluate.episodes=3", "out=games")
    assert games.returncode == 0, games.stderr
    assert result("games")["config"]["checkpoint"] == "outputs/first"


def test_python_m_tdl_is_the_same():
    done = program(ROOT, "--help")
    assert done.returncode == 0
    assert done.stdout == inside("--help").stdout


@pytest.mark.parametrize(
    "words", [["--help"], ["run", "--help"], ["run", "--cfg", "job"], ["--version"]], ids=" ".join
)
def test_nothing_heavy_is_imported_for(words):
    code = (
        f"import sys, tdl.__main__ as command; sys.argv[1:] = {words}\ntry: command.main()\nexcept SystemExit: pass\n"
        f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ["[]"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("learner", ["learner=CHOICE, td if nothing is said", "  tc          Temporal coherence", "n_step: 1  "]),
        ("learner=tc", ["step: coherent"]),
        ("learner.n_step", ["n_step: 1"]),
        ("save", ["save:  ", "  every: null", "# alone stay that it asked for"]),
        ("alpha", ["alpha: ${learner.alpha}"]),
        ("experiment", ["  quick "]),
    ],
)
def test_help_of_one_thing(asked, told):
    done = inside("--help", asked)
    assert done.returncode in (None, 0), done.stderr
    assert not [part for part in told if part not in done.stdout], done.stdout
    if asked != "learner":
        assert "alpha_per:" not in done.stdout
        assert "td_lambda:" not in done.stdout


def test_help_lists_the_groups_that_the_program_uses():
    groups = {program: re.findall(r"^(\w+): .*# ", done.partition("Keys (")[0], re.M)
              for program, done in (("run", inside("--help").stdout),
                                    ("evaluate", inside("--help", program=evaluate).stdout))}  # fmt: skip
    assert groups["evaluate"] == ["tiles", "placer", "search"]
    assert groups["run"] == ["game", "tiles", "tuples", "learner", "placer", "search", "agent", "experiment"]
