"""The benchmark `limit` measures in turn; its speeds are not judged here."""

import json

import pytest

from tdl.bench import main


def test_limit_takes_turns_and_gives_the_ratio(capsys):
    main(["limit", "--tuples", "2x4", "--state", "1000", "--pairs", "2", "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert len(figures["run"]) == len(figures["limit"]) == 2
    ratios = [run / bound for run, bound in zip(figures["run"], figures["limit"], strict=True)]
    assert (figures["ratio_min"], figures["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-4)
    assert (figures["layout"], figures["lanes"]) == ("paired16", 3)
    main(["limit", "--tuples", "[[0,1,2],[4,5]]", "--lanes", "2", "--state", "0", "--pairs", "1"])
    assert "2 lanes\ntraining" in capsys.readouterr().out
