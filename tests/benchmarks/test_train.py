"""The benchmark of training counts rightly; its speeds are not judged here."""

import json
from pathlib import Path

import pytest

import tdl
from tdl.cli.bench import main


def test_train_says_radix_and_memory(capsys):
    words = ["train", "--game=2584", "--radix=21", "--tuples=[[0,1,2],[4,5]]", "--blank=100", "--state=0"]
    main([*words, "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert (figures["game"], figures["radix"]) == ("2584", 21)
    source = Path(tdl.__file__).parents[1]
    assert (figures["commit"] is not None) == (source / ".git").exists()
    assert figures["weights_mib"] == pytest.approx(4 * (21**3 + 21**2 + 7936) / 2**20, abs=0.01)
    main(words)
    assert "radix 21, 0 MiB of weights" in capsys.readouterr().out


def test_train_counts_blank_and_later_state(capsys):
    main(["train", "--tuples", "2x4", "--blank", "1000", "--state", "2000", "--measured", "1000", "--json"])
    figures = json.loads(capsys.readouterr().out)
    for part in (figures["blank"], figures["after_2000"]):
        assert part["episodes"] == 1000
        assert part["moves_per_second"] == pytest.approx(part["moves"] / part["seconds"], rel=0.01)
    assert figures["after_2000"]["last_block_mean"] > figures["blank"]["last_block_mean"]
