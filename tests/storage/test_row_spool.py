"""Rows that come in turns lie group by group in the archive, however few are kept in memory."""

import io
from contextlib import closing

import numpy as np
import pytest

from tdl.storage import row_spool
from tdl.storage.row_spool import RowSpool, new_archive, write_array

ROW = np.dtype([("numbers", "<i4"), ("pairs", "u1", (2,))])


@pytest.mark.parametrize("turns", [0, 1, 40])
def test_rows_lie_by_group_and_in_their_order(tmp_path, monkeypatch, turns):
    monkeypatch.setattr(row_spool, "BLOCK", 16)
    expected, rng = [], np.random.default_rng(0)
    file = io.BytesIO()
    with closing(RowSpool(ROW, tmp_path)) as spool, new_archive(file) as archive:
        for turn in range(turns):
            groups = rng.permutation(12)[: rng.integers(0, 12)]
            numbers = 100 * turn + groups
            spool.add(groups, {"numbers": numbers, "pairs": np.stack([groups, groups + 1], axis=1)})
            expected += zip(groups.tolist(), numbers.tolist(), strict=True)
        spool.pack(archive)
        write_array(archive, "text", np.array("a text"))
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        assert arrays["numbers"].tolist() == [number for _, number in sorted(expected)]
        assert arrays["pairs"].tolist() == [[group, group + 1] for group, _ in sorted(expected)]
        assert (arrays["numbers"].dtype, arrays["pairs"].dtype) == (np.int32, np.uint8)
        assert str(arrays["text"]) == "a text"
    assert not [*tmp_path.iterdir()]
