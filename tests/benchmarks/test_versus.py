"""The benchmark `versus` measures in turn; its speeds are not judged here."""

import json

import pytest

from tdl.cli.bench import main


def test_versus_takes_turns_and_gives_the_ratio(capsys):
    one, other = "tuples=[[0,1,2],[4,5]] target=state threads=2", "tuples=2x4 stages=[64] instructions=portable"
    main(["versus", one, other, "--blank", "300", "--pairs", "2", "--json"])
    figures = json.loads(capsys.readouterr().out)
    ratios = [mine / theirs for mine, theirs in zip(figures[one], figures[other], strict=True)]
    assert (figures["ratio_min"], figures["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-4)
    main(["versus", "tuples=2x4", "tuples=2x4 alpha=0.2", "--blank", "100", "--pairs", "1"])
    assert "tuples=2x4 alpha=0.2: " in capsys.readouterr().out
