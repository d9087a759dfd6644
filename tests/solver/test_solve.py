"""Solved games as folders and as a program: what is stored, what is answered, and what is refused.

Trusts `tdl.solver.solution.solve`, which `test_solver` holds against its reference.
"""

import csv
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from support.mutations import GONE, forged
from support.programs import ended, inside, only_run, running

from tdl.cli import solve as program
from tdl.errors import CheckpointError, ConfigError
from tdl.game.rules import Rules
from tdl.solver import enumeration
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import load, save, solve
from tdl.storage import checkpoint as storage

TABLE = list(csv.reader((Path(__file__).parents[1] / "data" / "solver_2x3.csv").read_text().splitlines()))[1:]
"""Published answers for 2584 on 2x3: kind, six tile indices, value."""


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("solved")
    save(folder, solve(Rules(rows=2, cols=2)))
    return folder


def test_a_solution_is_stored(tmp_path):
    solution = solve(Rules("2584", 2, 2), "reach", 34)
    save(tmp_path, solution)
    for folder in (tmp_path, tmp_path / "solution"):
        loaded = load(folder)
        assert isinstance(loaded.state_values, np.memmap)
        assert (loaded.rules, loaded.objective, loaded.tile) == (solution.rules, "reach", 34)
        assert (loaded.optimal, loaded.random, loaded.before) == (solution.optimal, solution.random, 2_219)
        assert np.array_equal(loaded.values_of(solution.states), solution.state_values)
        assert evaluate_policy(loaded, np.zeros(1_452)).expected < loaded.optimal


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"kind": "run"}, "holds no solution"),
        ({"rules": {"version": 99}}, "rules"),
        (None, "no solution here"),
    ],
)
def test_a_folder_that_holds_no_solution_is_refused(solved, tmp_path, changed, message):
    folder = shutil.copytree(solved / "solution", tmp_path / "solution")
    if changed is None:
        (folder / "meta.json").unlink()
    else:
        meta = json.loads((folder / "meta.json").read_text()) | changed
        storage.write_checkpoint(folder, {key: meta[key] for key in meta.keys() - {"digest", "arrays", "format"}}, {})
    with pytest.raises(CheckpointError, match=message):
        load(tmp_path)


def solver(cwd, *words):
    """Run `tdl solve WORDS` in the folder `cwd`."""
    with running(cwd, *words, command="solve") as process:
        return ended(process)


def test_the_published_answers(tmp_path):
    save(tmp_path, solve(Rules("2584", 2, 3)))
    (tmp_path / "boards").write_text("".join(" ".join(row[:7]) + "\n" for row in TABLE))
    done = solver(tmp_path, "solution=.", "query=boards")
    assert done.returncode == 0, done.stderr
    assert [float(line) for line in done.stdout.split()] == pytest.approx([float(row[7]) for row in TABLE], abs=1e-3)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["boards", "solution"]


def test_the_program_solves_and_leaves_its_figures(tmp_path):
    done = solver(tmp_path, "game=2584", "size=2x2", "tiles=p90_10")
    assert done.returncode == 0, done.stderr
    printed = dict(line.split() for line in done.stdout.splitlines())
    folder = only_run(tmp_path)
    assert Path(printed["solution"]) == folder
    result = json.loads((folder / "result.json").read_text())
    assert result["status"] == "finished"
    assert result["rules"] == Rules("2584", 2, 2).to_dict()
    assert result["config"]["size"] == "2x2"
    for name in ("optimal", "random", "before", "after", "largest"):
        assert float(printed[name]) == pytest.approx(result[name], rel=1e-11)
    assert load(folder).optimal == result["optimal"]
    again = inside("game=2584", f"hydra.run.dir={folder}", program=program.main)
    assert again.returncode == 2
    assert "holds results already" in again.stderr


MISTAKES = [
    ("gmae=fib", 1, ["gmae: no such key", "did you mean 'game'"]),
    ("size=2x9", 2, ["size: '2x9' is not allowed"]),
    ("game=2584 size=4x4", 2, ["size: '4x4' is not allowed", "at most 64 bits, which is 12 cells"]),
    ("tile=32", 2, ["tile: 32 is not allowed", "objective=reach"]),
    ("tiles.drop=[[15,1.0]]", 2, ["size: a cell holds tiles up to 32768"]),
    ("solution=.", 2, ["query: None is not allowed", "to solve a game, give size=2x3"]),
    ("solution=nowhere query=boards", 2, ["nowhere: no solution here"]),
    ("solution=. query=nowhere", 2, ["nowhere: cannot be read: No such file"]),
    ("solution=. query=boards", 2, ["boards: line 2: begins with 'c'", "b (before a move)"]),
]


@pytest.mark.parametrize(("words", "code", "telling"), MISTAKES, ids=[words for words, _, _ in MISTAKES])
def test_mistakes_end_in_one_line_and_leave_nothing(tmp_path, monkeypatch, words, code, telling):
    monkeypatch.chdir(tmp_path)
    save(tmp_path, solve(Rules(rows=2, cols=2)))
    (tmp_path / "boards").write_text("b 1 1 0 0\nc 1 1 0 0\n")
    done = inside(*words.split(), program=program.main)
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    assert not [part for part in telling if part not in line], line
    assert not list(tmp_path.rglob(".hydra"))


@pytest.mark.parametrize(
    ("line", "telling"),
    [
        ("b 1 1 0", "line 1: 3 cells; expected the 4"),
        ("1 1 0 0", "line 1: begins with '1'"),
        ("b 1 1 x 0", "line 1: 'x' is not a tile index"),
        ("a 1 0 0 \xb2", "line 1: '\xb2' is not a tile index"),
    ],
)
def test_a_line_that_asks_for_nothing(tmp_path, line, telling):
    (tmp_path / "boards").write_text(line, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"boards: " + telling):
        program.read_queries(tmp_path / "boards", 4)


def test_a_byte_order_mark_and_ends_of_lines_of_windows_are_no_part_of_a_question(tmp_path):
    (tmp_path / "boards").write_text("b 1 1 0 0\r\na 1 0 0 0\r\n", encoding="utf-8-sig")
    assert [query.after for query in program.read_queries(tmp_path / "boards", 4)] == [False, True]


@pytest.mark.parametrize(
    ("name", "telling"),
    [("/dev/zero", "not a regular file"), ("pipe", "not a regular file"), (".", "not a regular file"),
     ("long", "more than 100 bytes"), ("bytes", "not a text file")],
)  # fmt: skip
def test_a_file_of_questions_is_a_file_of_some_length(tmp_path, monkeypatch, name, telling):
    monkeypatch.setattr(program, "MAX_QUERIES", 100)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long").write_text("b 1 1 0 0\n" * 11)
    (tmp_path / "bytes").write_bytes(b"\xff\n")
    with pytest.raises(ConfigError, match=rf"{name}: .*{telling}"):
        program.read_queries(tmp_path / name, 4)


def test_questions_from_a_pipe_that_the_command_names(tmp_path):
    reader, writer = os.pipe()
    os.write(writer, "\ufeffb 1 1 0 0\n".encode())
    os.close(writer)
    assert program.read_queries(Path(f"/dev/fd/{reader}"), 4) == [program.Query(False, (1, 1, 0, 0))]
    os.close(reader)


def test_an_interrupt_ends_it(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(enumeration, "moved", interrupted)
    monkeypatch.chdir(tmp_path)
    done = inside(program=program.main)
    assert (done.returncode, done.stderr) == (130, "tdl: interrupted\n")
    assert not list(tmp_path.rglob(".hydra"))


WRONG_ENTRIES = [
    ("folded", "x"), ("optimal", "x"), ("largest", None), ("objective", []), ("tile", 8), ("rules.drop", [[1]]),
    ("arrays", {}), ("arrays.states.dtype", "<i8"), ("arrays.states.shape", []), ("arrays.states-first", GONE),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), WRONG_ENTRIES)
def test_a_description_with_a_wrong_entry_is_refused_by_name(solved, tmp_path, key, value):
    folder = forged(shutil.copytree(solved / "solution", tmp_path / "solution"), {key: value})
    with pytest.raises(CheckpointError, match=rf"meta\.json: .*{key.split('.')[0]}|states"):
        load(folder)


def test_layers_that_do_not_fit_together_are_refused(solved, tmp_path):
    """A kernel searches them without a look at their ends."""
    folder = shutil.copytree(solved / "solution", tmp_path / "solution")
    meta = storage.read_meta(folder)
    arrays = {name: np.array(storage.read_array(folder, meta, name)) for name in meta["arrays"]}
    arrays["states-first"][1] = 10**12
    storage.write_checkpoint(folder, meta, arrays)
    with pytest.raises(CheckpointError, match="layers: "):
        load(folder)
