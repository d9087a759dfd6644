"""The benchmark of searched games counts rightly; its speeds are not judged here."""

import json

import pytest

from tdl.bench import main


def test_search_by_plies_tables_and_threads(capsys):
    words = "search --tuples [[0,1],[4,5]] --state 20 --plies 1 2 3 --games 2 --rounds 2 --threads 2"
    main([*words.split(), "--json"])
    one, two, three = json.loads(capsys.readouterr().out)
    assert [row["plies"] for row in (one, two, three)] == [1, 2, 3]
    assert len(two["none"]) == len(two["table"]) == 2
    assert two["ratio_max"] == pytest.approx(max(t / n for t, n in zip(two["table"], two["none"], strict=True)))
    assert 0 == one["boards"] < two["boards"] < three["boards"]
    assert 0 == one["found"] <= two["found"] < three["found"] < 1
    assert two["threads"]["ratio_min"] > 0
    main(words.split())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("16 features")
    assert "2 threads" in lines[2]
