"""Weight files of TDL2048+ become checkpoints and come back, value for value.

Trusts `data/2x4patt_td.w`, which TDL2048+ wrote, and the values it printed of 200 boards with it.
"""

import hashlib

import numpy as np
import pytest
from support.programs import SMALL, checkpoint, inside
from support.weight_files import (
    PAIRS,
    PEER_FILE,
    SMALL_TC,
    SMALL_TD,
    TINY,
    container,
    converted,
    floats,
    held,
    network_of,
    saved,
    sums_of,
    table,
    written,
)

import tdl
from tdl.learning.state import ACCUMULATORS


def test_values_are_those_that_the_peer_printed(imported):
    """Ours are added up in another order: 2 units in the last place of a float32, 0.0005 points of 5,000."""
    values = tdl.load(imported).network.values(np.array([int(board, 16) for board, _ in PAIRS], np.uint64))
    printed = np.array([value for _, value in PAIRS], np.float64).astype(np.float32)
    assert len(PAIRS) == 200
    assert (np.abs(values - printed) <= 2 * np.spacing(printed)).all()


def test_weights_are_those_that_the_peer_added_up(imported):
    """In its order of summation (images by a flip and a transposition in turn) all 9 digits are those it printed."""
    network = tdl.load(imported).network
    tables = [network.table(0), network.table(1)]
    for text, printed in PAIRS:
        rows = np.array([int(digit, 16) for digit in text[::-1]]).reshape(4, 4)
        total = np.float32(0)
        for image in range(8):
            rows = rows if image == 0 else rows[::-1] if image % 2 else rows.T
            board = rows.reshape(-1)
            entries = [sum(int(board[4 * row + j]) << 4 * j for j in range(4)) for row in range(2)]
            total += tables[0][entries[0]] + tables[1][entries[1]]
        assert float(f"{total:.9g}") == float(printed)


def test_it_says_where_it_came_from_and_plays(imported):
    meta, arrays = held(imported)
    told = {
        "program": "TDL2048+",
        "file": PEER_FILE.name,
        "sha256": hashlib.sha256(PEER_FILE.read_bytes()).hexdigest(),
    }
    assert meta["imported"] == told
    assert list(arrays) == ["weights"]
    player = tdl.load(imported)
    assert (player.gamma, player.target, player.network.rules) == (1.0, "afterstate", tdl.Rules())
    assert player.network.tuples.cells == ((0, 1, 2, 3), (4, 5, 6, 7))
    assert player.evaluate(50)["score"].mean() > 2000  # random play: 1,100


def test_exported_again_it_is_the_same_file(imported, tmp_path):
    again, told = converted(imported, tmp_path / "again.w")
    assert again.read_bytes() == PEER_FILE.read_bytes()
    assert told.splitlines() == [
        f"{again}: 2 tables (0123 4567), 131,072 weights, without the accumulators of temporal coherence",
        "TDL2048+: -n 0123 4567",
    ]
    tagged, _ = converted(imported, tmp_path / "again.bin", "--format=tdl2048")
    assert tagged.read_bytes() == b"w" + PEER_FILE.read_bytes()
    back, _ = converted(tagged, tmp_path / "back", "--format=tdl2048")
    assert held(back)[1]["weights"].tobytes() == held(imported)[1]["weights"].tobytes()


# There and back


@pytest.mark.parametrize("content", [SMALL_TC, SMALL_TD, container(table("01234567"[:1], floats(0, 16)))])
def test_files_come_back_byte_for_byte(tmp_path, content):
    folder, _ = converted(written(tmp_path / "in.w", content), tmp_path / "net")
    assert converted(folder, tmp_path / "out.w")[0].read_bytes() == content


def test_accumulators_of_entries_that_never_moved_are_0_here(tmp_path):
    signed, absolute = sums_of(0, 256)
    old = [np.where(each == TINY, 0, each) for each in (signed, absolute)]  # as old files have them
    found = []
    for name, sums in (("new.w", (signed, absolute)), ("old.w", old)):
        path = written(tmp_path / name, container(table("01", floats(0, 256), *sums)))
        folder, _ = converted(path, tmp_path / name.replace(".", "_"))
        network, sums = tdl.load(folder).network, held(folder)[1][ACCUMULATORS]
        where = network.layout.map(0, np.arange(256, dtype=np.uint32))
        np.testing.assert_array_equal(sums[where], np.column_stack(old))
        found.append(sums.tobytes())
    assert found[0] == found[1]


@pytest.mark.parametrize("learner", ["td", "tc"])
def test_a_run_comes_back(tmp_path, learner):
    run = tmp_path / "run"
    done = inside(*SMALL, "episodes=20", f"learner={learner}", f"hydra.run.dir={run}")
    assert done.returncode == 0, done.stderr
    file, told = converted(run, tmp_path / "net.w")
    assert f"{'with' if learner == 'tc' else 'without'} the accumulators" in told
    again = held(converted(file, tmp_path / "again")[0])[1]
    before = checkpoint(run)[1]
    assert {name: array.tobytes() for name, array in again.items()} == {
        name: array.tobytes() for name, array in before.items()
    }


def test_a_checkpoint_of_a_run_may_be_named_itself(tmp_path):
    run = saved(tmp_path / "run" / "checkpoint", network_of(((0, 1),))).parent
    assert (
        converted(run, tmp_path / "a.w")[0].read_bytes()
        == converted(run / "checkpoint", tmp_path / "b.w")[0].read_bytes()
    )


def test_learning_goes_on_with_imported_accumulators(tmp_path):
    """As if it had never been a file: the same weights after further games."""
    before = network_of(((0, 1, 2), (4, 5)))
    trainer = tdl.Trainer(before, alpha=1.0, step="coherent", seed=1)
    trainer.train(20)
    source = saved(tmp_path / "net", before, trainer.state[ACCUMULATORS])
    _, arrays = held(converted(converted(source, tmp_path / "net.w")[0], tmp_path / "again")[0])
    after = tdl.NTupleNetwork(before.rules, before.tuples, weights=arrays["weights"].copy())
    further = tdl.Trainer(after, alpha=1.0, step="coherent", seed=1, episode=20)
    further.state[ACCUMULATORS][:] = arrays[ACCUMULATORS]
    assert further.train(20).tobytes() == trainer.train(20).tobytes()
    assert after.weights.tobytes() == before.weights.tobytes()
