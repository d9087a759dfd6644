"""The tables of a run are cut to its checkpoint, whatever follows. Trusts a small run that is changed here."""

import os
import shutil

import pytest

from tdl.errors import CheckpointError
from tdl.runs.episode_log import EpisodeLog
from tdl.storage.run_folder import RunFolder

each_table = pytest.mark.parametrize(("name", "separator"), [("blocks.csv", ","), ("train.log", "\t")])


@pytest.fixture
def folder(small_run, tmp_path):
    return RunFolder(shutil.copytree(small_run("episodes=20"), tmp_path / "run"))


@each_table
@pytest.mark.parametrize(
    ("more", "telling"), [("9" * 20_000, "a line of more than"), ("10,1\n", "of episode 10 comes after that of 20")]
)
def test_what_no_run_has_left_is_refused(folder, name, separator, more, telling):
    path = folder.path / name
    path.write_text(path.read_text() + more.replace(",", separator))
    content = path.read_bytes()
    with pytest.raises(CheckpointError, match=f"{name}: .*{telling}"):
        EpisodeLog(folder, 20)
    assert path.read_bytes() == content


@each_table
def test_the_rest_of_a_huge_table_is_not_read(folder, name, separator):
    """What lies behind the checkpoint may be anything: here a hole of 10 GB."""
    path = folder.path / name
    content = path.read_bytes()
    with path.open("a") as file:
        file.write(f"30{separator}1\n")
    os.truncate(path, 10 << 30)
    EpisodeLog(folder, 20).close()
    assert path.read_bytes() == content
