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


COLUMNS = ["episode", "mean", "max"]


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("a,b\n", "'a': no such column"),
        ("episode,mean\n", "not the blocks of a run"),
        ("episode,mean,max\n10,x,1\n", "could not convert string 'x'"),
        ("episode,mean,max\n10,1\n", "cut or corrupt"),
        ("episode,mean,max,median\n10,1,1,1\n", "columns of another run: 'episode,mean,max,median'"),
        ("episode,mean,max,reach_2\n", "columns of another run"),
    ],
)
def test_blocks_of_somebody_else_are_refused(folder, text, telling):
    """Before anything is changed or played: the rows of this run would stand under them."""
    folder.blocks.write_text(text)
    before = {path.name: path.read_bytes() for path in folder.path.iterdir() if path.is_file()}
    with pytest.raises(CheckpointError, match=f"blocks.csv: .*{telling}"):
        EpisodeLog(folder, 20, COLUMNS)
    assert {path.name: path.read_bytes() for path in folder.path.iterdir() if path.is_file()} == before


@pytest.mark.parametrize("text", ["", "episode,mean,max\n", "episode,mean,max\n10,1,2\n30,a broken"])
def test_blocks_that_go_on(folder, text):
    """An empty file, and whatever stands behind the checkpoint."""
    folder.blocks.write_text(text)
    EpisodeLog(folder, 20, COLUMNS).close()
    assert folder.blocks.read_text() == text.partition("30,")[0]
