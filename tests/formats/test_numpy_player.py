"""A network taken along as one Python file and one .npz: its values, its moves, and what it needs.

Trusts `Player.values`.
"""

import ast
import io
import json
import os
import runpy
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from support.learners import STAGES
from support.networks import random_network
from support.programs import inside
from support.shapes import RULES, played_boards, small_tuples, telling_boards
from support.weight_files import saved

import tdl
from tdl.cli.export import main
from tdl.formats.numpy_player import arrays_of
from tdl.game.boards import pack
from tdl.network.stages import Stages

SETS = [*small_tuples(RULES["4x4"])]


def exported(source, target, *words):
    return inside(source, target, "--format=numpy", *words, program=main)


def loaded(folder):
    return SimpleNamespace(**runpy.run_path(str(folder / "player.py")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A checkpoint; its player is in `ours` (our order of actions) and `course` (up, down, left, right)."""
    folder = tmp_path_factory.mktemp("taken")
    saved(folder / "net", random_network(None, "2x4"))
    done = exported(folder / "net", folder / "ours")
    assert done.returncode is None, done.stderr
    assert done.stdout.splitlines()[1] == "In this folder: from player import best, values, get_action"
    assert exported(folder / "net", folder / "course", "--actions", "up,down,left,right").returncode is None
    return folder


@pytest.fixture(scope="module")
def standalone(folder):
    """The class in the file, which plays by other arrays, too."""
    return loaded(folder / "ours").Player


def assert_same_values(standalone, player, precision=np.float32):
    file, arrays = io.BytesIO(), arrays_of(player)
    np.savez(file, **arrays | {"weights": arrays["weights"].astype(precision)})
    file.seek(0)
    taken_along, rules = standalone(file), player.rules
    for board in [*played_boards(rules, 20), *(pack(tiles, rules) for tiles in telling_boards(rules, 20))]:
        tiles = player.engine.array(board)
        if player.engine.afterstates(board):
            assert taken_along.values(tiles).tobytes() == player.values(board).tobytes()
        assert taken_along.best(tiles) == player.best(board)


@pytest.mark.parametrize("target", ["afterstate", "state"])
@pytest.mark.parametrize("number", range(len(RULES)), ids=RULES)
def test_values_to_the_last_bit(standalone, number, target):
    """There are fewer sets of tuples than rules."""
    rules = [*RULES.values()][number]
    tuples = small_tuples(rules)[SETS[number % len(SETS)]]
    assert_same_values(standalone, tdl.Player(random_network(rules, tuples), 0.9, target))


@pytest.mark.parametrize("name", [name for name, stages in STAGES.items() if stages.downgrade is None])
def test_stages(standalone, name):
    stages = Stages((16, 32, 64), share=0.7) if name == "stages" else STAGES[name]
    network = random_network(RULES["3x3"], small_tuples(RULES["3x3"])["orders and counts"], stages)
    assert_same_values(standalone, tdl.Player(network))


def test_half_precision(standalone):
    assert_same_values(standalone, tdl.Player(random_network(None, "2x4", precision=np.float16)), np.float16)


def test_an_order_feature_that_compares_a_pair_twice(standalone):
    tuples = tdl.TupleSet(((0, 1),), orders=(((0, 1, 2), (1, 2), (0, 4)),))
    assert_same_values(standalone, tdl.Player(random_network(None, tuples)))


def test_a_game_of_ones_own(standalone):
    tdl.register_game("pow3", [3**i for i in range(1, 11)], lambda a, b: 3 * a if a == b else 0)
    assert_same_values(standalone, tdl.Player(random_network(tdl.Rules("pow3"), tdl.TupleSet(((0, 1, 2),)))))


def test_a_folder_is_imported_from_anywhere(folder, monkeypatch):
    monkeypatch.chdir("/")
    player, ours = tdl.load(folder / "net"), loaded(folder / "ours")
    course = loaded(folder / "course")
    assert {path.name for path in (folder / "ours").iterdir()} >= {"player.py", "player.npz"}
    for board in played_boards(player.rules, 50):
        tiles, best = player.engine.array(board), player.best(board)
        for state in (tiles, tiles.tolist(), tiles.ravel(), tiles.ravel().tolist(), list(map(list, tiles))):
            assert ours.best(state) == ours.get_action(state, 0) == best
        assert course.get_action(tiles, 0) == [0, 3, 1, 2][best]


def test_where_the_game_is_over(folder):
    ours, over = loaded(folder / "ours"), [[2, 4, 2, 4], [4, 2, 4, 2]] * 2
    assert (ours.best(over), ours.get_action(over, 9)) == (None, 0)
    assert np.isnan(ours.values(over)).all()


@pytest.mark.parametrize(
    ("board", "telling"),
    [
        ([[2, 4], [2, 4]], r"a board of shape \(2, 2\); expected \(4, 4\)"),
        ([3] * 16, r"3 is no tile; expected one of \[0, 2, 4, .* 32768\]"),
        ([65536] * 16, "65536 is no tile"),
        ([[2.5] * 4] * 4, "2.5 is no tile"),
    ],
)
def test_boards_that_are_refused(folder, board, telling):
    with pytest.raises(ValueError, match=telling):
        loaded(folder / "ours").best(board)


def test_the_file_needs_numpy_alone_and_an_old_python(folder):
    tree = ast.parse((folder / "course" / "player.py").read_text(), feature_version=(3, 8))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {getattr(node, "module", None) or node.names[0].name for node in imports}
    assert names == {"os", "numpy"}


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (("--actions=up,down,left",), "--actions: 'up,down,left' is not allowed; expected up,right,down,left in any"),
        (("--actions=up,up,left,right",), "--actions: 'up,up,left,right' is not allowed"),
        (("--actions=up,right,down,left", "--format=compact"), "expected --format=numpy with it, not compact"),
        (("--games=0",), "--games: 0 is not allowed; expected --format=compact with it, not numpy"),
    ],
)
def test_what_is_refused(folder, tmp_path, words, telling):
    done = exported(folder / "net", tmp_path / "out", *words)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout, [*tmp_path.iterdir()]) == (2, "", [])
    assert telling in line


def test_tiles_that_are_lowered_are_refused(tmp_path):
    source = saved(tmp_path / "net", tdl.NTupleNetwork(None, "2x4", stages=Stages((64,), downgrade=3)))
    done = exported(source, tmp_path / "out")
    assert (done.returncode, (tmp_path / "out").exists()) == (2, False)
    assert (
        done.stderr
        == "tdl: learner.stage_downgrade: 3 is not allowed; expected null: what is exported reads boards as they are\n"
    )


OLD = shutil.which("python3.8")

PRINT_VALUES = "import json, player, sys; print(json.dumps([player.values(b).tolist() for b in json.load(sys.stdin)]))"


@pytest.mark.extra
@pytest.mark.skipif(
    OLD is None or subprocess.run([OLD, "-c", "import numpy"], capture_output=True).returncode != 0,
    reason="needs python3.8 with NumPy",
)
def test_the_oldest_python(folder):
    player = tdl.load(folder / "net")
    boards = [player.engine.array(board).tolist() for board in played_boards(player.rules, 200)]
    done = subprocess.run(
        [OLD, "-c", PRINT_VALUES], cwd=folder / "ours", input=json.dumps(boards), capture_output=True, text=True,
        env={"PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(json.loads(done.stdout), [player.values(board) for board in boards])
