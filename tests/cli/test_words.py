"""Words of a command line, before Hydra reads them."""

import json

import pytest
from support.programs import inside, train
from support.sweeps import SHORT, rows_of, sweep

from tdl.cli.words import with_game_names
from tdl.solve import main as solve


@pytest.mark.parametrize(
    ("word", "read"),
    [
        ("game=2048", "game=pow2"),
        ("game=2584", "game=fib"),
        ("game=2048,fib,threes_law", "game=pow2,fib,threes_law"),
        ("game=choice(2584, 2048)", "game=choice(fib, pow2)"),
        ("game=20480", "game=20480"),
        ("game=pow2", "game=pow2"),
        ("seed=2048", "seed=2048"),
        ("hydra.run.dir=game=2048", "hydra.run.dir=game=2048"),
    ],
)
def test_a_game_is_also_named_by_its_title(word, read):
    assert with_game_names([word]) == [read]


def test_runs_by_a_title_are_those_by_the_name(tmp_path):
    """With the same hash, and the name in results: tables and checkpoints have one word for a game."""
    files = [train(tmp_path / game, *SHORT, f"game={game}") / "result.json" for game in ("2048", "pow2")]
    one, other = (json.loads(path.read_text()) for path in files)
    assert one["config_hash"] == other["config_hash"]
    assert one["names"]["game"] == other["names"]["game"] == "pow2"
    assert inside("game=2584", "size=2x2", f"hydra.run.dir={tmp_path / 'solved'}", program=solve).returncode == 0
    (meta,) = (tmp_path / "solved").rglob("meta.json")
    assert json.loads(meta.read_text())["rules"]["game"] == "fib"


def test_a_sweep_over_titles(tmp_path):
    done = sweep(tmp_path, *SHORT, "game=2048,2584")
    assert done.returncode == 0
    assert {row["game"] for row in rows_of(tmp_path)} == {"pow2", "fib"}
    assert "2584" in done.stdout
    assert "pow2" not in done.stdout  # the table on the screen has what people call them
