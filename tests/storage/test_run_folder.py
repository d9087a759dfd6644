"""The folder of a run: files appear whole or not at all, a result says how the work ended.

Trusts the file system's rename, and json as the reader other programs use.
"""

import contextlib
import errno
import json
import os
from concurrent.futures import ProcessPoolExecutor

import pytest

from tdl.errors import BusyError, Interrupted, TdlError
from tdl.storage.atomic import new_file, new_folder
from tdl.storage.run_folder import RESULT, SWEEP, RunFolder, run_in


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path):
    path = tmp_path / "result.json"
    RunFolder(tmp_path).write_result({"status": "running"})
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with contextlib.suppress(OSError), new_file(path) as file:
        file.write(b"half")
        raise full
    assert json.loads(path.read_text()) == {"status": "running"}
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_filled_leaves_nothing(tmp_path):
    with contextlib.suppress(ValueError), new_folder(tmp_path / "checkpoint") as folder:
        folder.mkdir()
        (folder / "meta.json").write_text("{")
        raise ValueError("fault")
    assert not list(tmp_path.iterdir())


def _write_often(folder, number):
    for _ in range(50):
        RunFolder(folder).write_result({"number": number, "more": [number] * 5000})


def test_several_processes_may_write_one_file(tmp_path):
    """It is whole at any time, and that of one of them in the end."""
    path = tmp_path / "result.json"
    RunFolder(tmp_path).write_result({"number": -1, "more": [-1]})
    with ProcessPoolExecutor(3) as pool:
        writers = [pool.submit(_write_often, tmp_path, number) for number in range(3)]
        while not all(writer.done() for writer in writers):
            content = json.loads(path.read_text())
            assert set(content["more"]) == {content["number"]}
        for writer in writers:
            writer.result()
    assert list(tmp_path.iterdir()) == [path]


def test_the_lock_deletes_what_a_kill_left_half_written(tmp_path):
    (tmp_path / ".result.json.0123abcd.new").write_text("{")
    (tmp_path / ".checkpoint.0123abcd.new").mkdir()
    folder = RunFolder(tmp_path)
    with folder.lock():
        assert not list(tmp_path.iterdir())
        assert folder.is_locked()
        with pytest.raises(BusyError, match="another process"), folder.lock():
            pass
    assert not folder.is_locked()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (None, "finished"),
        (TdlError("a fault"), "failed"),
        (OSError("a disk"), "failed"),
        (Interrupted("stopped", 130), "interrupted"),
        (KeyboardInterrupt("at once"), "interrupted"),
    ],
)
def test_a_result_says_how_the_work_ended(tmp_path, error, status):
    folder, result, games = RunFolder(tmp_path), {"config": {}}, 0
    with contextlib.suppress(type(error)), folder.status_kept(result, lambda: {"games": games}):
        assert folder.read_result() == {"config": {}, "status": "running", "games": 0}
        games = 5
        if error is not None:
            raise error
    said = {} if error is None else {"error": str(error)}
    assert folder.read_result() == {"config": {}, "status": status, "games": 5, **said}


@pytest.mark.parametrize("text", ["{", None])
def test_a_damaged_result_is_refused_or_nothing(tmp_path, text):
    folder = RunFolder(tmp_path)
    if text is not None:
        folder.result.write_text(text)
    assert folder.result_if_whole() == {}
    with pytest.raises(FileNotFoundError if text is None else TdlError, match=r"result\.json"):
        folder.read_result()


@pytest.mark.parametrize(("runs", "sweep", "inner"), [(1, True, "0"), (2, True, "."), (0, True, "."), (1, False, ".")])
def test_a_sweep_of_one_run_is_that_run(tmp_path, runs, sweep, inner):
    for number in range(runs):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / RESULT).touch()
    if sweep:
        (tmp_path / SWEEP).touch()
    assert run_in(tmp_path) == tmp_path / inner


def test_the_newest_checkpoints_come_first(tmp_path):
    folder = RunFolder(tmp_path)
    for episode in (10, 30, 20):
        (folder.kept / f"{episode:010d}").mkdir(parents=True)
    assert not folder.is_used()
    newest = [folder.checkpoint, folder.kept / "0000000030", folder.kept / "0000000020"]
    assert folder.checkpoints(3) == newest
    assert folder.checkpoints(1) == newest[:1]


def test_a_result_that_cannot_be_read_now_is_not_taken_for_none(tmp_path, monkeypatch):
    """Else a finished run would be trained anew, or marked as failed, because too many files are open."""
    folder = RunFolder(tmp_path)
    assert folder.result_if_whole() == {}
    folder.result.write_text("{")
    assert folder.result_if_whole() == {}

    def full(*_, **__):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(OSError, match="Too many open files"):
        folder.result_if_whole()


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(OSError, match=r"No space left on device: '.*/result.json'"), new_file(tmp_path / RESULT):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert not list(tmp_path.iterdir())
