"""A `result.json` that somebody else wrote is what a run writes, or is refused with the file and the entry named."""

import json
import os

import pytest

from tdl.errors import TdlError
from tdl.storage.reading import MAX_DEPTH, MAX_JSON
from tdl.storage.result_file import has_deleted_weights, lack, read_result

GOOD = {
    "config": {"seed": 3, "evaluate": {"plies": 1}}, "names": {"game": "2048"}, "status": "finished", "alpha": 0.1,
    "episodes": 20, "moves": 300, "seconds": 1.5, "moves_per_second": None, "weights": "deleted",
    "evaluation": {"episodes": 2, "mean": 3.0, "mean_ci95": None, "reach": {"64": {"rate": 0.5}}},
}  # fmt: skip

WRONG = [
    ("config", []), ("config", {"seed": "x"}), ("config", {"eval_reach_x": 1}), ("config", {"a": {"b\n": 1}}),
    ("config", {"checkpoint": "a"}), ("config", {"evaluate": {"episodes": "x"}}),
    ("config", {f"a{i}": 0 for i in range(2000)}), ("names", {"game": 7}), ("names", {"game": "a\nb"}),
    ("status", "great"), ("error", 7), ("seed", -1), ("alpha", float("inf")), ("episodes", None), ("moves", 10**18),
    ("moves_per_second", "fast"), ("weights", "gone"), ("checkpoints", [{"path": 7}]), ("versions", {"tdl": 1}),
    ("evaluation", 7), ("evaluation", {"exact": {}}), ("evaluation", {"episodes": 2}),
    ("evaluation", {"episodes": 2, "mean": "x", "mean_ci95": None, "reach": {}}),
    ("evaluation", {"episodes": 2, "mean": 1, "mean_ci95": [1], "reach": {}}),
    ("evaluation", {"episodes": 2, "mean": 1, "mean_ci95": [2, 3], "reach": {}}),
    ("evaluation", {"episodes": 2, "mean": 1, "mean_ci95": None, "reach": {"x": {"rate": 1}}}),
    ("evaluation", {"episodes": 2, "mean": 1, "mean_ci95": None, "reach": {"64": {"rate": 7}}}),
    ("evaluation", {"episodes": 2, "mean": 1, "mean_ci95": None, "reach": {str(i): {"rate": 1} for i in range(99)}}),
]  # fmt: skip


@pytest.fixture
def path(tmp_path):
    return tmp_path / "result.json"


def test_what_a_run_writes_is_read(path):
    path.write_text(json.dumps(GOOD))
    assert read_result(path) == GOOD
    assert has_deleted_weights(path.parent)


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_wrong_entries_are_refused_by_name(path, key, value):
    path.write_text(json.dumps(GOOD | {key: value}))
    with pytest.raises(TdlError, match=rf"result\.json: {key}"):
        read_result(path)
    assert not has_deleted_weights(path.parent)


@pytest.mark.parametrize(
    ("content", "telling"),
    [
        (b"", "cut or corrupt"),
        (b"\xff", "cut or corrupt"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"config": ' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}", "nested too deeply"),
        (b'{"config": {"a": "\\ud800"}}', "cut or corrupt"),
        (b" " * (MAX_JSON + 1), "more than 4,194,304 bytes"),
        (b'{"config": {}, "seed": ' + b"9" * 5000 + b"}", "cut or corrupt"),
        (b"{}", "not the result of a run"),
    ],
)
def test_what_is_no_result_is_refused(path, content, telling):
    path.write_bytes(content)
    with pytest.raises(TdlError, match=rf"result\.json: .*{telling}") as refused:
        read_result(path)
    assert "\n" not in str(refused.value)


def test_a_pipe_is_no_file(path):
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a regular file"):
        read_result(path)
    assert not has_deleted_weights(path.parent)


@pytest.mark.parametrize(
    ("folder", "why"),
    [("best", "no meta.json"), ("bst", "no such folder; did you mean 'best'?"), ("none/run", "no such folder")],
)
def test_a_folder_that_is_not_there_and_one_without_the_file_are_told_apart(tmp_path, folder, why):
    (tmp_path / "best").mkdir()
    assert lack(tmp_path / folder, "meta.json") == why
