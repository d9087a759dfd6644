"""The user's own folder of configurations: its choices are like tdl's, and its games are registered.

Trusts the runs themselves, which are tested elsewhere.
"""

import os

import hydra
import pytest
from hydra.core.global_hydra import GlobalHydra
from support.programs import inside, program, result
from support.sweeps import rows_of

import tdl
from tdl.cli.picture import main as picture
from tdl.cli.python_runs import compose_run
from tdl.config import files, hydra_versions
from tdl.config.files import OWN, group_names, own_folder, use_folder
from tdl.errors import ConfigError
from tdl.game.merge_laws import GAMES

TUPLES = "# Two lines.\nboard: 4x4\ncells: [[0, 1, 2, 3], [4, 5, 6]]\nsymmetries: true\nshare: true\n"

TILES = "# Often a large one.\ndrop: [[1, 0.5], [2, 0.5]]\nstart: [drop, drop]\n"

SHORT = ("episodes=20", "block=10", "evaluate.episodes=5", "tuples=mine", "tiles=half")


GLOBAL = "# @package _global_\n"

CALLED = "os.system"

CALL = f"{{_target_: {CALLED}, command: 'touch reached'}}"

SWEEP = "{mode: MULTIRUN, sweeper: {params: {seed: '0,1'}}}"


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
    done = program(game.parent, *SHORT, "--config-dir", "conf", "game=pow7", "out=run")
    assert [line[-18:] for line in done.stdout.splitlines()[-2:]] == [" --config-dir conf"] * 2
    rows = rows_of("sweep")
    assert [(row["game"], row["tuples"], row["status"]) for row in rows] == [("pow7", "mine", "finished")] * 2
    words = (rows[0]["run"], "evaluate.episodes=3", "--config-dir", "conf")
    done = program(game.parent, *words, command="evaluate")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("tuples/a", f"{GLOBAL}hydra: {{callbacks: {CALL}}}", "hydra: a choice of tuples sets keys of tuples alone"),
        ("tuples/a", f"{GLOBAL}episodes: 3", "episodes: a choice of tuples sets keys of tuples alone"),
        ("tuples/a", f"# @package hydra.callbacks\ne: {CALL}", "@package: 'hydra.callbacks' is not allowed"),
        ("tuples/a", f"cells: {CALL}", "cells._target_: a choice calls nothing"),
        ("tuples/a", "cells: !!python/object/apply:os.getcwd []", "a reference or a tag"),
        ("tuples/a", "cells: &a [[0, 1]]\norders: *a", "a reference or a tag"),
        ("tuples/a", "defaults: [mine, a]", "tuples=a: it builds on itself: a, a"),
        ("tuples/a", "defaults: [../hydra/launcher/joblib]", "defaults: '../hydra/launcher/joblib' is not allowed"),
        ("tuples/a", "[[0, 1]]", "expected names with values"),
        ("tuples/a", "cells: [", "not YAML: .*line 2"),
        ("tuples/a", "cells: [[0, 1]]\nlines: 3", "tuples.lines: no such key"),
        ("agent/a", f"{GLOBAL}hydra: {{job: {{chdir: true}}}}", "hydra: a choice of agent sets keys of a run alone"),
        ("experiment/a", f"{GLOBAL}defaults: [{{override /hydra/launcher: joblib}}]", "defaults: .*joblib.* is not"),
        ("experiment/a", f"{GLOBAL}defaults: [{{/tuples@hydra.callbacks: mine}}]", "defaults: .* is not allowed"),
        ("experiment/a", f"{GLOBAL}hydra: {{sweeper: {CALL}}}", "hydra: an experiment sets hydra.mode and"),
        ("experiment/a", f"{GLOBAL}hydra: {{sweeper: {{params: {{+hydra.job.num: 1}}}}}}", "params: .*hydra.job.num"),
        ("experiment/a", f"{GLOBAL}init: ${{oc.env:HOME}}", "init: .* expected a value that calls nothing"),
        ("experiment/a", f"{GLOBAL}init: $\\{{oc.env:HOME\\}}", "init: .* expected a value that calls nothing"),
        ("experiment/a", f"{GLOBAL}init: ${{${{x}}:HOME}}", "init: .* expected a value that calls nothing"),
    ],
)
def test_a_choice_sets_keys_of_its_group_and_calls_nothing(folder, path, text, message):
    """What lies in the current folder may come from anybody. In Hydra's hands, and where tdl itself reads the file."""
    (folder / path).parent.mkdir(exist_ok=True)
    (folder / f"{path}.yaml").write_text(text)
    group, name = path.split("/")
    with pytest.raises(ConfigError, match=message):
        compose_run([f"{group}={name}"])
    if group == "tuples":
        with pytest.raises(ConfigError, match=message):
            tdl.tuple_set(name)


@pytest.mark.parametrize("path", ["schema", "hydra/config", "hydra/sweeper/basic", "hydra/launcher/mine"])
def test_other_files_of_the_current_folder_are_not_read(folder, path):
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / f"{path}.yaml").write_text(f"callbacks: {{e: {CALL}}}")
    assert use_folder(None) is None
    hydra = compose_run(["tuples=mine"]).hydra
    assert list(hydra.callbacks) == ["sweep"]
    assert CALLED not in str(hydra)
    with pytest.raises(ConfigError, match="hydra/launcher=mine: no such choice"):
        compose_run(["hydra/launcher=mine"])


def test_choices_that_are_no_files_end_in_a_line(folder):
    (folder / "tuples" / "endless.yaml").symlink_to("/dev/zero")
    (folder / "tuples" / "missing.yaml").symlink_to("nowhere")
    os.mkfifo(folder / "tuples" / "pipe.yaml")
    for name, reason in (("endless", "not a regular file"), ("missing", "No such file"), ("pipe", "not a regular")):
        with pytest.raises(ConfigError, match=f"{name}.yaml: cannot be read: {reason}"):
            compose_run([f"tuples={name}"])
    assert compose_run(["tuples=mine"]).tuples.cells == [[0, 1, 2, 3], [4, 5, 6]]  # others stay what they are


def test_an_experiment_of_ones_own_is_a_sweep(folder):
    """Also where an editor has put a byte order mark at the beginning."""
    (folder / "experiment").mkdir()
    text = f"{GLOBAL}defaults: [{{override /tuples: mine}}]\nepisodes: 7\nhydra: {SWEEP}\n"
    (folder / "experiment" / "both.yaml").write_text(text, encoding="utf-8-sig")
    cfg = compose_run(["experiment=both"])
    assert (cfg.episodes, cfg.hydra.runtime.choices.tuples) == (7, "mine")
    assert (cfg.hydra.mode.name, cfg.hydra.sweeper.params) == ("MULTIRUN", {"seed": "0,1"})


def test_a_set_of_ones_own_may_say_its_group(folder):
    (folder / "tuples" / "wide.yaml").write_text(f"{GLOBAL}tuples: {{cells: [[0, 1]], share: true}}\n")
    assert compose_run(["tuples=wide"]).tuples.cells == [[0, 1]]
    assert tdl.tuple_set("wide").cells == ((0, 1),)


def test_training_from_python_sees_the_folder_and_registered_games(folder):
    tdl.register_game("pow5", [5**i for i in range(1, 9)], lambda a, b: 5 * a if a == b else 0)
    table = tdl.train(game="pow5", tuples="mine", episodes=5, block=5, evaluate_episodes=2, out="run", progress=False)
    assert list(table["status"]) == ["finished"]
    assert (result("run")["names"]["game"], result("run")["names"]["tuples"]) == ("pow5", "mine")


def test_other_programs_do_not_see_the_folder(folder):
    compose_run(["tuples=mine"])
    with hydra.initialize_config_dir(str(folder), **hydra_versions.BASE):
        assert "own" not in [source.provider for source in GlobalHydra.instance().config_loader().get_sources()]


def test_no_program_of_the_current_folder_is_run_without_a_word(game):
    with pytest.raises(
        ConfigError, match=r"^conf/games.py: is run only from a folder that is named; add --config-dir"
    ):
        use_folder(None)
    picture(["[[2,4],[0,8]]"])
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
