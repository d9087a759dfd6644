"""The benchmark `merge` and its model; seconds are not judged here."""

import json

import pytest

from tdl.bench import main
from tdl.benchmarks.merging import model_bytes
from tdl.learning.rows import row_width
from tdl.learning.state import CHUNK


def test_one_process_sends_nothing(capsys):
    words = ["merge", "--tuples", "[[0,1,2,3],[4,5]]", "--replicas", "2", "--episodes", "30", "--state", "10"]
    main([*words, "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert figures["sent"] == figures["received"] == 0
    assert 0 < figures["merged"] <= figures["chunks"]
    assert figures["moved_by_a_replica"] <= figures["merged"] <= 2 * figures["moved_by_a_replica"]
    main(words)
    assert "at 100 Gbit/s sent in" in capsys.readouterr().out


def test_the_model_of_two_processes():
    """Of two replicas in two processes each sends the other half of what it moved, and then half of all results."""
    row = 4 * (1 + 3 * CHUNK)
    assert row_width(True) * 4 == row == 772
    assert model_bytes(2, 2, moved=10, merged=16) == pytest.approx((10 / 2 + 16 / 2) * row)
    assert model_bytes(4, 1, moved=10, merged=16) == 0
