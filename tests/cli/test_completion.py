"""Completion of words: what may stand last, and that shells ask for it.

Trusts the files of `conf/` and, where they are installed, the shells.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.programs import inside

from tdl.cli import COMMANDS
from tdl.cli.completion import PROGRAMS, SHELLS, candidates, main
from tdl.config.files import group_names


def test_commands():
    assert candidates([""]) == [*COMMANDS, "--help", "--version"]
    assert candidates(["s"]) == ["sweep", "status", "serve", "solve"]
    assert candidates(["completion", "f"]) == ["fish"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("run lear", ["learner.", "learner="]),
        ("run learner.td", ["learner.td_lambda="]),
        ("run learner=t", ["learner=tc", "learner=td"]),
        ("sweep learner=td,o", ["learner=td,otd_tc"]),
        ("run engine=", ["engine=bits", "engine=array"]),
        ("run learner.promotion=t", ["learner.promotion=true"]),
        ("run alpha=", []),
        ("sweep race.o", ["race.on="]),
        ("sweep race.on=", ["race.on=true", "race.on=false"]),
        ("run ou", ["out="]),
        ("evaluate alp", []),
        ("evaluate evaluate.dr", ["evaluate.drops="]),
        ("run alpha=0.1 --mult", ["--multirun"]),
        ("nothing out", []),
    ],
)
def test_words(line, found):
    assert candidates(line.split(" ")) == found


def test_groups_have_all_their_choices():
    assert candidates(["run", "tuples="]) == [f"tuples={name}" for name in group_names("tuples")]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_has_its_keys(program):
    keys = candidates([program, ""])
    assert "size=" in keys or "checkpoint=" in keys
    assert len(set(keys)) == len(keys)


def test_folders(tmp_path, monkeypatch):
    (tmp_path / "outputs" / "first").mkdir(parents=True)
    (tmp_path / "outputs" / ".hidden").mkdir()
    (tmp_path / "game.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    assert candidates(["serve", "outputs/"]) == ["outputs/first/"]
    assert candidates(["evaluate", "checkpoint=outputs/f"]) == ["checkpoint=outputs/first/"]
    assert candidates(["play", "game"]) == ["game.", "game=", "game.jsonl"]
    assert candidates(["report", "out"]) == ["outputs/"]
    assert candidates(["serve", "nowhere/"]) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_it_prints_what_a_shell_needs(shell):
    assert inside(shell, program=main).stdout == SHELLS[shell]


SCRIPTS = {
    "bash": """
ask() { COMP_LINE="$1" COMP_POINT=${#1}; _tdl 2>/dev/null; echo "${COMPREPLY[@]}"; }
ask "tdl run learner=t"; ask "tdl run learner.td"
""",
    # as its completion calls it, with `compadd` in the place of the list on the screen
    "zsh": """
compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- $@ }
ask() { words=($@); CURRENT=$#words; _tdl }
ask tdl run learner=t; ask tdl run learner.td
""",
    "fish": "\ncomplete -C 'tdl run learner=t'; complete -C 'tdl run learner.td'\n",
}
"""Asks for two words after the completion of a shell."""


@pytest.mark.parametrize("shell", SHELLS)
def test_shells_ask(tmp_path, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    program = tmp_path / "bin" / "tdl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m tdl "$@"\n')
    program.chmod(0o755)
    root = Path(__file__).parents[2]
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    env["PYTHONPATH"] = f"{root}:{env.get('PYTHONPATH', '')}"
    words = [shell, "-c", SHELLS[shell] + SCRIPTS[shell]]
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    assert done.stderr == ""
    head = "" if shell == "bash" else "learner="
    assert sorted(done.stdout.split()) == sorted([f"{head}tc", f"{head}td", "learner.td_lambda="])
