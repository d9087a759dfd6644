"""A checkpoint comes back as it was written, or is refused.

Trusts the arrays that were written, and NumPy as the independent reader. Damage is tried exhaustively: every byte and
every length of a tiny checkpoint.
"""

import errno
import itertools
import mmap
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from support.mutations import forged, sign

from tdl.errors import CheckpointError
from tdl.storage.checkpoint import FORMAT, META, read_array, read_meta, write_checkpoint

DTYPES = ["<f4", "<f8", "<u2", "<i8", "|u1", "|b1"]
ARRAYS = hnp.arrays(st.sampled_from(DTYPES), hnp.array_shapes(max_dims=3, max_side=5))
NAMES = st.sampled_from(["weights", "error", "absolute"])
PLAIN = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.none() | st.lists(st.booleans()))

WEIGHTS = np.linspace(-1, 1, 5, dtype=np.float32)


@pytest.fixture(scope="module", params=[np.float32, np.float16], ids=["plain", "packed"])
def written(tmp_path_factory, request):
    """A tiny checkpoint: 148 bytes of array or fewer, a short description."""
    folder = tmp_path_factory.mktemp("written") / "checkpoint"
    weights = WEIGHTS.astype(request.param)
    write_checkpoint(folder, {"episode": 7, "rules": {"drop": [[1, 0.5], [2, 0.5]]}}, {"weights": weights})
    return folder


@pytest.fixture
def copy(written, tmp_path):
    """The same, to be damaged."""
    return shutil.copytree(written, tmp_path / "checkpoint")


def read(folder, into=None):
    meta = read_meta(folder)
    return meta, read_array(folder, meta, "weights", into=into)


@given(arrays=st.dictionaries(NAMES, ARRAYS, min_size=1), info=PLAIN, keep=st.integers(1, 3))
@settings(max_examples=30)
def test_comes_back_as_written(arrays, info, keep):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "checkpoint"
        write_checkpoint(folder, {"info": info, "episode": 3}, arrays, keep=keep)
        meta = read_meta(folder)
        assert (meta["info"], meta["episode"], meta["format"]) == (info, 3, FORMAT)
        assert set(meta["arrays"]) == set(arrays)
        for name, array in arrays.items():
            path = folder / meta["arrays"][name]["file"]
            into = np.empty_like(array)
            ways = (read_array(folder, meta, name), read_array(folder, meta, name, into=into), into,
                    np.load(path, allow_pickle=False), np.load(path, mmap_mode="r"))  # fmt: skip
            for again in ways:
                assert (again.shape, again.dtype) == (array.shape, array.dtype)
                assert again.tobytes() == array.tobytes()
            assert meta["arrays"][name]["data_offset"] % 64 == 0
            assert path.read_bytes()[meta["arrays"][name]["data_offset"] :] == array.tobytes()


@pytest.mark.parametrize("view", [lambda a: a.T, lambda a: a[:, ::2], lambda a: a[::-1], np.asfortranarray],
                         ids=["transposed", "every second", "backwards", "by columns"])  # fmt: skip
def test_views_are_written_as_they_look(tmp_path, view):
    array = view(np.arange(24, dtype=np.float32).reshape(4, 6))
    write_checkpoint(tmp_path, {"episode": 0}, {"weights": array})
    meta, again = read(tmp_path)
    np.testing.assert_array_equal(again, array)
    np.testing.assert_array_equal(np.load(tmp_path / meta["arrays"]["weights"]["file"]), array)


@pytest.mark.parametrize("written", [np.float32], indirect=True)
def test_mapped_and_read_only(written):
    _, weights = read(written)
    base = weights
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    assert isinstance(base, mmap.mmap)
    assert not weights.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        weights[0] = 1


@pytest.mark.parametrize("name", ["array", "meta"])
def test_a_flipped_bit_of_any_byte_is_refused(copy, name):
    path = copy / META if name == "meta" else next(copy.glob("weights-*"))
    good = path.read_bytes()
    for place in range(len(good)):
        bad = bytearray(good)
        bad[place] ^= 1 << place % 8
        path.write_bytes(bad)
        with pytest.raises(CheckpointError, match=path.name):
            read(copy)
    path.write_bytes(good)
    again = read(copy)[1]
    assert again.tobytes() == WEIGHTS.astype(again.dtype).tobytes()


@pytest.mark.parametrize("into", [None, "memory"])
@pytest.mark.parametrize("name", ["array", "meta"])
def test_every_other_length_is_refused(copy, name, into):
    path = copy / META if name == "meta" else next(copy.glob("weights-*"))
    for size in (path.stat().st_size + 7, *range(path.stat().st_size - 1, -1, -1)):
        os.truncate(path, size)
        with pytest.raises(CheckpointError, match=path.name):
            read(copy, None if into is None else np.empty(5, read_meta(copy)["arrays"]["weights"]["dtype"]))


@pytest.mark.parametrize("into", [np.empty(4, np.float32), np.empty((5, 1), np.float32), np.empty(5, np.float64)],
                         ids=["shorter", "another shape", "another type"])  # fmt: skip
def test_memory_of_another_shape_is_refused(written, into):
    with pytest.raises(CheckpointError, match="this network"):
        read(written, into)


@pytest.mark.parametrize("content", ["", "null", "[]", "3", "{}{}", '{"episode": 7}', '{"format": "checkpoint-0"}'])
def test_other_files_are_refused(copy, content):
    (copy / META).write_text(content)
    with pytest.raises(CheckpointError, match=META):
        read_meta(copy)


def test_nothing_or_a_folder_in_place_of_a_file(copy):
    (copy / META).unlink()
    with pytest.raises(CheckpointError, match=f"{copy}: no checkpoint here"):
        read_meta(copy)
    (copy / META).mkdir()
    with pytest.raises(CheckpointError, match=f"{META}: cannot be read"):
        read_meta(copy)


@pytest.mark.parametrize("written", [np.float16], indirect=True)
@pytest.mark.parametrize(("entries", "reason"), [
    ({"arrays.weights.shape": [6]}, "cut|fewer than 12 bytes"), ({"arrays.weights.shape": [4]}, "more than 8 bytes"),
    ({"arrays.weights.shape": [2**40, 2**20]}, "memory: .* numbers need"),
    ({"arrays.weights.dtype": "<f4"}, "packed array"), ({"arrays.weights.dtype": "|O"}, "packed array"),
])  # fmt: skip
def test_packed_arrays_that_are_signed_and_not_as_they_should_be(copy, entries, reason):
    forged(copy, entries)
    with pytest.raises(CheckpointError, match=rf"\.planes: .*({reason})"):
        read(copy)


def test_packed_and_read_only(tmp_path):
    weights = np.linspace(-1, 1, 6, dtype=np.float16).reshape(2, 3)
    for _ in range(2):
        write_checkpoint(tmp_path, {"episode": 0}, {"weights": weights})
    meta, again = read(tmp_path)
    assert [path.name for path in tmp_path.glob("weights-*")] == [meta["arrays"]["weights"]["file"]]
    assert (again.tobytes(), again.dtype, again.shape) == (weights.tobytes(), weights.dtype, weights.shape)
    assert not again.flags.writeable
    into = np.empty_like(weights)
    read(tmp_path, into)
    assert into.flags.writeable
    assert into.tobytes() == weights.tobytes()


HEADS = {
    "objects": {"descr": "|O", "fortran_order": False, "shape": (2,)},
    "by columns": {"descr": "<f4", "fortran_order": True, "shape": (2, 2)},
    "too many": {"descr": "<f4", "fortran_order": False, "shape": (5,)},
    "fewer than none": {"descr": "<f4", "fortran_order": False, "shape": (-1,)},
    "more than any memory": {"descr": "<f4", "fortran_order": False, "shape": (2**40, 2**40)},
    "another type": {"descr": "<i4", "fortran_order": False, "shape": (4,)},
}


@pytest.mark.parametrize("written", [np.float32], indirect=True)
@pytest.mark.parametrize("name", HEADS)
def test_arrays_that_are_signed_and_not_as_they_should_be(copy, name):
    """Pickled objects are never loaded; no number is read from beside the file."""
    (path,) = copy.glob("*.npy")
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, HEADS[name])
        file.write(bytes(16))
    dtype = "<f4" if name == "another type" else HEADS[name]["descr"]
    forged(copy, {"arrays.weights.dtype": dtype, "arrays.weights.shape": list(HEADS[name]["shape"])})
    sign(path)
    with pytest.raises(CheckpointError, match=r"\.npy: |shape"):
        read(copy)


@pytest.mark.parametrize("written", [np.float32], indirect=True)
@pytest.mark.parametrize(
    "text", ["", "[" * 9000, "-" * 9000, "{" * 100, "f()", "{'descr': 7, 'shape': 1}", "9" * 9000]
)
def test_heads_that_are_none(copy, text):
    (path,) = copy.glob("*.npy")
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(20))
    sign(path)
    with pytest.raises(CheckpointError, match=r"weights-\d+\.npy: cut or corrupt") as refused:
        read(copy)
    assert len(str(refused.value)) < 500


def test_the_same_episode_again_never_overwrites_what_is_good(tmp_path):
    for value in (1, 2, 3):
        before = set(tmp_path.iterdir())
        write_checkpoint(tmp_path, {"episode": 5}, {"weights": WEIGHTS * value})
        after = {path for path in tmp_path.iterdir() if path.suffix == ".npy"}
        assert len(after) == 1
        assert not after & before
        assert read(tmp_path)[1].tobytes() == (WEIGHTS * value).tobytes()


@pytest.mark.parametrize("keep", [1, 2, 4])
def test_keeps_as_many_as_asked(tmp_path, keep):
    for episode in range(10, 70, 10):
        write_checkpoint(tmp_path / "checkpoint", {"episode": episode}, {"weights": WEIGHTS * episode}, keep=keep)
    kept = sorted(tmp_path.glob("kept/*"))
    for folder, episode in zip([*kept, tmp_path / "checkpoint"], range(70 - 10 * keep, 70, 10), strict=True):
        meta, weights = read(folder)
        assert meta["episode"] == episode
        assert weights.tobytes() == (WEIGHTS * episode).tobytes()


def test_what_others_left_is_cleared(tmp_path):
    """Arrays and temporary files of a crash go with the next checkpoint; files of other kinds stay."""
    for name in ("weights-0000000003.npy", "weights-0000000003.planes", "meta.json.new", "notes.txt"):
        (tmp_path / name).write_text("left behind")
    write_checkpoint(tmp_path, {"episode": 5}, {"weights": WEIGHTS})
    assert {path.name for path in tmp_path.iterdir()} == {META, "weights-0000000005.npy", "notes.txt"}


@pytest.mark.parametrize("failing", range(4))
def test_too_many_open_files_change_nothing_in_silence(tmp_path, monkeypatch, failing):
    """Whichever file cannot be opened: the older checkpoints stay, or it is said that nothing was written."""
    folder = tmp_path / "checkpoint"
    for episode in (1, 2):
        write_checkpoint(folder, {"episode": episode}, {"weights": np.ones(3)}, keep=3)
    real, calls = os.open, itertools.count()

    def few(*words, **options):
        if next(calls) == failing:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return real(*words, **options)

    monkeypatch.setattr(os, "open", few)
    failed = ""
    try:
        write_checkpoint(folder, {"episode": 3}, {"weights": np.ones(3)}, keep=3)
    except CheckpointError as error:
        failed = str(error)
    monkeypatch.undo()
    assert read_meta(folder)["episode"] == (2 if failed else 3)
    assert not failed or "Too many open files; the one of episode 2 is intact" in failed
    kept = [path.name for path in sorted((tmp_path / "kept").glob("[0-9]*"))]
    assert kept[:1] == ["0000000001"]
    assert failed or kept == ["0000000001", "0000000002"]
