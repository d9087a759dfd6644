"""The user's own folder of configurations: its choices are like tdl's, and its games are registered.

Trusts the runs themselves, which are tested elsewhere.
"""

import os

import pytest
from support.programs import SMALL, inside, program, result
from support.sweeps import rows_of

import tdl
from tdl.config import files
from tdl.config.files import OWN, group_names, own_folder
from tdl.game.merge_laws import GAMES

TUPLES = "# Two lines.\nboard: 4x4\ncells: [[0, 1, 2, 3], [4, 5, 6]]\nsymmetries: true\nshare: true\n"

TILES = "# Often a large one.\ndrop: [[1, 0.5], [2, 0.5]]\nstart: [drop, drop]\n"

SHORT = ("episodes=20", "block=10", "evaluate.episodes=5")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder `conf` of a user, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(OWN, "")
    monkeypatch.delenv(OWN)
    conf = tmp_path / "conf"
    for name, text in {"tuples/mine": TUPLES, "tiles/half": TILES}.items():
        (conf / f"{name}.yaml").parent.mkdir(parents=True)
        (conf / f"{name}.yaml").write_text(text)
    return conf


@pytest.fixture
def game(folder):
    """The same with a game of the user's."""
    code = "import tdl\ntdl.register_game('pow7', [7**i for i in range(1, 9)], lambda a, b: 7 * a if a == b else 0)\n"
    (folder / "games.py").write_text(code)
    yield folder
    GAMES.pop("pow7", None)
    files._loaded.clear()


def test_choices_of_the_folder(folder):
    folder.rename(folder.with_name("mine"))
    assert own_folder() is None
    done = inside(*SHORT, "tuples=mine", "tiles=half", "out=run", "--config-dir", "mine")
    assert done.returncode == 0, done.stderr
    told = result("run")
    assert (told["names"]["tuples"], told["names"]["tiles"]) == ("mine", "half")
    assert told["config"]["tuples"]["cells"] == [[0, 1, 2, 3], [4, 5, 6]]
    assert own_folder() is None  # it was that of the program


def test_in_python(folder):
    assert tdl.tuple_set("mine").cells == ((0, 1, 2, 3), (4, 5, 6))
    assert {"mine", "4x6"} <= set(group_names("tuples"))
    assert "mine" in inside("--help", "tuples").stdout


def test_a_folder_named_conf_is_used_without_a_word(folder):
    assert inside(*SHORT, "tuples=mine", "out=run").returncode == 0


def test_games_are_those_of_every_process(game):
    """In the processes of jobs that are not forked, as on macOS, and of a program that reads the checkpoint."""
    words = (
        *SHORT,
        "--config-dir",
        "conf",
        "game=pow7",
        "tuples=mine",
        "tiles=half",
        "seed=0,1",
        "hydra.sweep.dir=sweep",
    )
    done = program(game.parent, "-m", *words, env={**os.environ, "TDL_LINUX": "0"})
    assert done.returncode == 0, done.stderr
    rows = rows_of("sweep")
    assert [(row["game"], row["tuples"], row["status"]) for row in rows] == [("pow7", "mine", "finished")] * 2
    words = (rows[0]["run"], "evaluate.episodes=3", "--config-dir", "conf")
    done = program(game.parent, *words, command="evaluate")
    assert done.returncode == 0, done.stderr


def test_no_program_of_the_current_folder_is_run_without_a_word(game):
    done = inside(*SHORT)
    assert done.returncode == 2
    assert done.stderr == "tdl: conf/games.py: is run only from a folder that is named; add --config-dir conf\n"


def test_names_of_tdl_are_not_taken(folder):
    (folder / "tuples" / "4x6.yaml").write_text(TUPLES)
    done = inside(*SMALL, *SHORT)
    assert done.returncode == 2
    assert "tuples/4x6.yaml: tdl has tuples=4x6 itself; give the file another name" in done.stderr


@pytest.mark.parametrize(
    ("code", "telling"),
    [
        ("1 / 0", "games.py: ZeroDivisionError: division by zero"),
        ("import tdl\ntdl.register_game('2048', [1, 2], max)", "games.py: "),
    ],
)
def test_games_that_cannot_be_registered_are_one_line(folder, code, telling):
    (folder / "games.py").write_text(code)
    done = inside(*SMALL, *SHORT, "--config-dir", "conf")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert telling in line


def test_a_folder_that_is_not_there(folder):
    done = inside(*SMALL, *SHORT, "--config-dir", "nowhere")
    assert done.returncode == 2
    assert done.stderr == "tdl: --config-dir nowhere: no such folder\n"


def test_another_folder_of_that_name_is_left_alone(tmp_path, monkeypatch):
    """As that of a web server, or the source of tdl."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(OWN, "")
    monkeypatch.delenv(OWN)
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "nginx.yaml").touch()
    assert own_folder() is None
    (tmp_path / "conf" / "tuples").mkdir()
    (tmp_path / "conf" / "tuples" / "mine.yaml").touch()
    assert own_folder() is not None
    (tmp_path / "conf" / "run.yaml").touch()
    assert own_folder() is None
