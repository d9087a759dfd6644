"""The file of a race: read as it was written, and refused where no race wrote it."""

import math

import pytest

from tdl.errors import ConfigError
from tdl.storage.race_file import DIVERGES, LEADS, RACE, WORSE, RaceRow, read_race, write_race

ROWS = [
    RaceRow(1, 2, 0.1, "alpha=0.5", "alpha0.5-seed0_1a2b3c4d", 812.125, 0.0, 0.4, LEADS),
    RaceRow(1, 2, 0.1, "alpha=1", "alpha1-seed0_1a2b3c4d", -math.inf, 1.0, 0.4, DIVERGES),
    RaceRow(2, 3, 1.0, "alpha=0.1", "alpha0.1-seed0_1a2b3c4d", 512.0, 0.369, 0.099, WORSE),
]


def test_what_is_written_is_read(tmp_path):
    assert read_race(tmp_path) == []
    write_race(tmp_path, ROWS)
    assert read_race(tmp_path) == ROWS
    assert [row.why() for row in ROWS if row.stops] == [
        "after 2 seeds to 10% of the budget: diverged", "after 3 seeds: 37% behind, 9.9% were enough"]  # fmt: skip


@pytest.mark.parametrize(
    "row",
    ["1", "1,2,x,a,b,1,1,1,worse", "0,2,1,a,b,1,1,1,worse", "1,-5,1,a,b,1,1,1,worse", "1,2,nan,a,b,1,1,1,worse",
     "1,2,1,a,b,1,nan,1,worse", "1,2,1,a,b,1,1,inf,worse", "1,2,0,a,b,1,1,1,worse", "1,2,1,a,b,1,1,1,won"],
)  # fmt: skip
def test_what_no_race_writes_is_refused(tmp_path, row):
    (tmp_path / RACE).write_text(f"{','.join(RaceRow._fields)}\n{row}\n")
    with pytest.raises(ConfigError, match=r"race\.csv: cut or corrupt: not the looks of a race"):
        read_race(tmp_path)
