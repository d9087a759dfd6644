"""The user's own folder of configurations: its choices are like tdl's, and its games are registered.

Trusts the runs themselves, which are tested elsewhere.
"""

import os

import pytest
from support.programs import inside, program, result
from support.sweeps import rows_of

import tdl
from tdl.config import files
from tdl.config.files import OWN, group_names, own_folder, use_folder
from tdl.errors import ConfigError
from tdl.game.merge_laws import GAMES

TUPLES = "# Two lines.\nboard: 4x4\ncells: [[0, 1, 2, 3], [4, 5, 6]]\nsymmetries: true\nshare: true\n"

TILES = "# Often a large one.\ndrop: [[1, 0.5], [2, 0.5]]\nstart: [drop, drop]\n"

SHORT = ("episodes=20", "block=10", "evaluate.episodes=5", "tuples=mine", "tiles=half")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder `conf` of a user, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(OWN, "")  # so that it is put back
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


def test_choices_of_a_folder_that_is_named(folder):
    folder.rename(folder.with_name("mine"))
    assert own_folder() is None
    done = inside(*SHORT, "out=run", "--config-dir", "mine")
    assert done.returncode == 0, done.stderr
    names, config = (result("run")[key] for key in ("names", "config"))
    assert (names["tuples"], names["tiles"]) == ("mine", "half")
    assert config["tuples"]["cells"] == [[0, 1, 2, 3], [4, 5, 6]]
    assert own_folder() is None  # it was that of the program


def test_a_folder_named_conf_is_used_without_a_word(folder):
    assert tdl.tuple_set("mine").cells == ((0, 1, 2, 3), (4, 5, 6))
    assert {"mine", "4x6"} <= set(group_names("tuples"))
    assert "mine" in inside("--help", "tuples").stdout


def test_games_are_those_of_every_process(game):
    """In the processes of jobs that are not forked, as on macOS, and of a program that reads the checkpoint."""
    words = ("--config-dir", "conf", "game=pow7", "seed=0,1", "hydra.sweep.dir=sweep")
    done = program(game.parent, "-m", *SHORT, *words, env={**os.environ, "TDL_LINUX": "0"})
    assert done.returncode == 0, done.stderr
    rows = rows_of("sweep")
    assert [(row["game"], row["tuples"], row["status"]) for row in rows] == [("pow7", "mine", "finished")] * 2
    words = (rows[0]["run"], "evaluate.episodes=3", "--config-dir", "conf")
    done = program(game.parent, *words, command="evaluate")
    assert done.returncode == 0, done.stderr


def test_no_program_of_the_current_folder_is_run_without_a_word(game):
    with pytest.raises(
        ConfigError, match=r"^conf/games.py: is run only from a folder that is named; add --config-dir"
    ):
        use_folder(None)
    assert "pow7" not in GAMES


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("tuples/4x6.yaml", TUPLES, "tuples/4x6.yaml: tdl has tuples=4x6 itself; give the file another name"),
        ("games.py", "1 / 0", "games.py: ZeroDivisionError: division by zero"),
        ("games.py", "import tdl\ntdl.register_game('2048', [1, 2], max)", "games.py: [^Z]"),
    ],
)
def test_files_that_cannot_be_used(folder, path, text, message):
    (folder / path).write_text(text)
    with pytest.raises(ConfigError, match=message):
        use_folder("conf")


def test_another_folder_of_that_name_is_left_alone(folder):
    """As that of a web server, or the source of tdl."""
    with pytest.raises(ConfigError, match=r"^--config-dir nowhere: no such folder$"):
        use_folder("nowhere")
    assert own_folder() is not None
    (folder / "run.yaml").touch()
    assert own_folder() is None
    folder.rename(folder.with_name("mine"))
    folder.mkdir()
    (folder / "nginx.yaml").touch()
    assert own_folder() is None
