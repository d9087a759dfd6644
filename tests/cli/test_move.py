"""`tdl move` answers people and programs, and the clients of its page work.

Trusts `read_board`, `MoveLines` and `judged`, which have tests of their own.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import PATIENCE
from support.programs import inside, train

import tdl
from tdl.cli.move import main
from tdl.sessions.game_file import save
from tdl.sessions.judged_board import answer_text, judged
from tdl.sessions.session import record_game

BOARD = "2 4 8 16/4 0 0 0/0 0 0 0/0 0 0 2"
OVER = "2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2"
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "move.md"
NAMES = ("up", "right", "down", "left")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return train(tmp_path_factory.mktemp("move") / "outputs" / "a run", "episodes=300")


def ask(*words):
    return inside(*map(str, words), program=main)


@pytest.mark.parametrize("plies", [1, 2])
def test_the_best_direction_and_what_the_others_lose(folder, plies):
    player = tdl.load(folder)
    answer = judged(player.values(BOARD, plies))
    assert answer["best"] == NAMES[player.best(BOARD, plies)]
    assert ask(BOARD, folder, f"plies={plies}").stdout == f"{answer_text(answer)}\n"
    answer |= {"board": player.engine.array(BOARD).tolist(), "plies": plies, "checkpoint": str(folder)}
    assert json.loads(ask(BOARD, folder, f"plies={plies}", "--json").stdout) == answer


def test_where_the_board_stands(folder, tmp_path, monkeypatch):
    best = ask(BOARD, folder).stdout
    file = tmp_path / "a board.txt"
    file.write_text(BOARD.replace("/", "\n"))
    game = record_game(tdl.load(folder), seed=1)
    save(tmp_path / "game.jsonl", game)
    assert ask(*BOARD.replace("/", " ").split(), folder).stdout == best
    assert ask(file, folder).stdout == ask(folder, file).stdout == best
    assert ask(*BOARD.replace("/", " / ").replace("0", ".").split(), folder).stdout == best
    assert ask("2,4,8,16,4,null,null,null,0,0,0,0,0,0,nan,2", folder).stdout == best
    assert ask("const board = [[2,4,8,16], [4,0,0,0], [0,0,0,0], [0,0,0,2]];", folder).stdout == best
    state = tmp_path / "state.json"
    state.write_text(json.dumps({"board": tdl.Engine().array(BOARD).tolist()}))
    assert ask(state, folder).stdout == ask(state.read_text(), folder).stdout == best
    assert ask(tmp_path / "game.jsonl", folder).stdout == "none: the game is over\n"
    third = ask(tmp_path / "game.jsonl", folder, "--move=3").stdout
    assert third.startswith(NAMES[game.moves[3].action])
    monkeypatch.chdir(folder.parents[1])
    usual = ask(BOARD)
    assert usual.stderr == "tdl: no checkpoint is named, so the agent is tdl:small\n"
    assert (usual.stdout, ask(BOARD, "tdl:small").stderr) == (ask(BOARD, "tdl:small").stdout, "")


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        ([], "BOARD is missing; expected numbers in reading order"),
        (["{folder}"], "BOARD is missing"),
        (["2 4", "{folder}"], "board: 2 cells; expected 16 cells in 4 rows of 4"),
        ([BOARD, "outputs/nothing"], "outputs/nothing: no checkpoint here"),
        ([BOARD, "tdl:smal"], "tdl:smal: no such network; expected a folder, or tdl:small"),
        ([BOARD, "{folder}", "--move", "3"], "--move: only the file of a recorded game has moves"),
        ([BOARD, "{folder}", "--move", "x"], "--move: invalid int value: 'x'"),
        ([BOARD, "{folder}", "--stdin"], "with --stdin boards are read from standard input"),
        ([BOARD, "{folder}", "plies=0"], "plies: 0 is not allowed"),
        ([BOARD, "{folder}", "-m"], "-m: one board is one question"),
        ([BOARD, "{folder}", "{folder}/checkpoint"], "one folder is taken"),
        (["nothing.jsonl", "{folder}"], "nothing.jsonl: cannot be read"),
    ],
    ids=repr,
)
def test_mistakes_are_one_line(folder, tmp_path, monkeypatch, words, telling):
    monkeypatch.chdir(tmp_path)
    done = ask(*[word.format(folder=folder) for word in words])
    assert done.returncode == 2
    assert telling in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("language", "command"), [("bash", ["bash", "-c"]), ("js", ["node", "-e"])])
def test_the_clients_of_the_page_work(folder, tmp_path, language, command):
    (code,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.S)
    (tmp_path / "tdl").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tdl "$@"\n')
    (tmp_path / "tdl").chmod(0o755)
    code = code.replace("outputs/FOLDER", str(folder).replace(" ", "\\ ") if language == "bash" else str(folder))
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = subprocess.run([*command, code], capture_output=True, text=True, timeout=PATIENCE, check=True, env=path)
    best = tdl.load(folder).best("1234200000000001")
    assert done.stdout.split() == [NAMES[best], "none"]
