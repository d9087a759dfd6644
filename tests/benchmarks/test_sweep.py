"""The benchmark of sweeps counts rightly; its times are not judged here."""

import json

import pytest

from tdl.bench import main


def test_what_a_sweep_costs(capsys):
    main(["sweep", "--jobs", "2", "--seconds", "0.05", "--json"])
    figures = json.loads(capsys.readouterr().out)
    for name in ("one core", "all cores"):
        assert 0.1 < figures[name]["played"] < figures[name]["wall"] * figures["cores"]
    one = figures["one core"]
    assert one["added"] == pytest.approx((one["wall"] - one["played"]) / 2)
