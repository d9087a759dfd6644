"""A folder that cannot be filled: what the error names, and that nothing stays."""

import errno

import pytest

from tdl.storage.atomic import new_folder


def fill_a_full_disk(path):
    with new_folder(path) as folder:
        folder.mkdir()
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_names_the_folder_and_leaves_nothing(tmp_path):
    with pytest.raises(OSError, match="No space left") as caught:
        fill_a_full_disk(tmp_path / "net")
    assert caught.value.filename == str(tmp_path / "net")
    assert not [*tmp_path.iterdir()]
