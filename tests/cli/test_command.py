"""The command `tdl`: which program it starts, with which words, what it imports, and what `--help` says.

Trusts the programs themselves, which are tested elsewhere.
"""

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy
import pytest
from support.programs import inside

import tdl
import tdl.__main__ as command
from tdl.cli.evaluate import main as evaluate
from tdl.cli.help import described
from tdl.errors import ConfigError

HEAVY = ("pandas", "matplotlib", "seaborn")


def tdl_(*words):
    """`tdl WORDS` inside this process."""
    return inside(*words, program=command.main)


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]], ids=" ".join)
def test_it_lists_all_commands(words):
    assert re.findall(r"^  (\w+)  ", tdl_(*words).stdout, re.M) == list(command.COMMANDS)


@pytest.mark.parametrize(
    ("words", "module", "line"),
    [
        (["run", "seed=1"], "tdl.cli.run", ["seed=1"]),
        (["sweep", "seeds=2"], "tdl.cli.run", ["--multirun", "seeds=2"]),
        (["help", "evaluate"], "tdl.cli.evaluate", ["--help"]),
    ],
)
def test_a_command_is_its_module(monkeypatch, words, module, line):
    called = []

    def found(name):
        return SimpleNamespace(main=lambda: called.append((name, sys.argv[1:])))

    monkeypatch.setattr(command, "import_module", found)
    tdl_(*words)
    assert called == [(module, line)]


@pytest.mark.parametrize(
    ("word", "telling"),
    [
        ("swepe", "swepe: no such command; expected one of run, sweep,"),
        ("evalaute", "did you mean 'evaluate'?"),
        ("alpha=0.1", "alpha=0.1: a command comes first, as in: tdl run alpha=0.1"),
    ],
)
def test_an_unknown_command_is_one_line(word, telling):
    done = tdl_(word)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert telling in line


def test_an_import_that_finds_no_memory_is_one_line(monkeypatch):
    def no_memory(_name):
        raise MemoryError

    monkeypatch.setattr(command, "import_module", no_memory)
    done = tdl_("run")
    assert (done.returncode, done.stderr) == (2, "tdl: out of memory\n")


def test_the_version_says_what_runs_here():
    lines = tdl_("--version").stdout.splitlines()
    assert re.fullmatch(rf"tdl {tdl.__version__}( \(commit [0-9a-f]{{10}}(, with changes)?\))?", lines[0])
    assert f"Python {sys.version.split()[0]}, NumPy {numpy.__version__}, Hydra " in lines[1]
    network = tdl.NTupleNetwork(tdl.Rules(), tdl.tuple_set("2x4"))
    assert lines[2].startswith(f"instruction set {network.instructions}, ")
    assert inside("alpha=0.1", "--version").stdout.splitlines() == lines


def test_modules_and_settings_of_the_current_folder_are_not_read(tmp_path):
    """They may be anybody's; matplotlib would wait for ever for a pipe."""
    for name in ("typing", "numpy", "matplotlib"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('read')")
    os.mkfifo(tmp_path / "matplotlibrc")
    for words in (["tdl", "report", "missing"], ["tdl.run", "alpha=x"]):
        done = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.stderr.startswith("tdl: "), done.stderr


def test_nothing_heavy_is_imported_for_questions():
    code = f"""
import sys, tdl.__main__ as command
for words in (["--help"], ["--version"], ["run", "--help"], ["run", "--cfg", "job"]):
    sys.argv[1:] = words
    try: command.main()
    except SystemExit: pass
print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ["[]"]


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("learner", ["learner=CHOICE, td if nothing is said", "  tc          Temporal coherence", "n_step: 1  "]),
        ("learner=tc", ["step: coherent"]),
        ("learner.n_step", ["n_step: 1"]),
        ("save", ["save:  ", "  every: null", "# alone stay that it asked for"]),
        ("alpha", ["alpha: ${learner.alpha}"]),
        ("experiment", ["  quick "]),
        (
            "race",
            ["race:                   # of", "\n  on: false             # true: ", "\n  first: 2              # "],
        ),
    ],
)
def test_help_of_one_thing(word, parts):
    text = described("run", word)
    assert not [part for part in parts if part not in text], text
    if word != "learner":
        assert "alpha_per:" not in text
        assert "td_lambda:" not in text


def test_help_of_nothing():
    with pytest.raises(ConfigError, match="--help lernr: neither a group nor a key of this program; did you mean 'le"):
        described("run", "lernr")


def test_help_lists_the_groups_that_the_program_uses():
    groups = {program: re.findall(r"^(\w+): .*# ", done.partition("Keys (")[0], re.M)
              for program, done in (("run", inside("--help").stdout),
                                    ("evaluate", inside("--help", program=evaluate).stdout))}  # fmt: skip
    assert groups["evaluate"] == ["tiles", "placer", "search"]
    assert groups["run"] == ["game", "tiles", "tuples", "placer", "search", "learner", "agent", "experiment"]


@pytest.mark.parametrize(("streams", "code"), [(">&-", 2), ("2>&-", 0), ("| true", 141)])
def test_a_sweep_without_its_streams_has_its_jobs_and_its_table(tmp_path, streams, code):
    words = "tuples.cells=[[0,1,2]] episodes=20 block=10 evaluate.episodes=2 seeds=2 out=sweep"
    line = f"set -o pipefail; {sys.executable} -m tdl sweep {words} {streams}"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    rows = (tmp_path / "sweep" / "sweep.csv").read_text().splitlines()
    assert [row.count("finished") for row in rows[1:]] == [1, 1]
