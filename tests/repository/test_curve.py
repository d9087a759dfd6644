"""Networks judged along their training, in a table and a figure."""

from pathlib import Path

import pandas as pd
import pytest
from support.programs import blocks_of, inside, train

from tdl.evaluate import main as evaluate


def test_a_row_has_what_trained_the_network_and_its_games(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools.curve import main

    words = ("episodes=1000", "block=20", "budget.moves=9000", "save.moves=[3000]", "evaluate.episodes=4")
    folders = [train(tmp_path / f"run{seed}", *words, f"seed={seed}") for seed in (1, 2)]
    kept = [next((folder / "kept").iterdir()) for folder in folders]
    for seed, checkpoint in enumerate(kept, 1):
        folder = f"hydra.run.dir={tmp_path / 'games' / str(seed)}"
        words = (f"checkpoint={checkpoint}", "evaluate.episodes=3", "evaluate.plies=2", folder)
        assert inside(*words, program=evaluate).returncode == 0
    main("curve", str(tmp_path), f"into={tmp_path / 'made'}")
    rows = pd.read_csv(tmp_path / "made" / "results.csv")
    assert list(rows["plies"]) == [1, 1, 2, 2]
    assert list(rows["seed"]) == [1, 2, 1, 2]
    assert list(rows["games"]) == [4, 4, 3, 3]
    for (_, row), folder in zip(rows.iterrows(), folders * 2, strict=True):
        blocks = blocks_of(folder)
        trained = blocks[blocks["episode"] <= row["episodes"]]
        assert row["moves"] == trained["moves"].sum()
        assert row["core_seconds"] == pytest.approx(trained["seconds"].sum(), abs=0.001)
        assert row["budget"] <= row["moves"] < row["budget"] + 10 ** (len(str(row["budget"])) - 1)
    assert (rows[rows["plies"] == 2]["moves"] < rows[rows["plies"] == 1]["moves"].to_numpy()).all()
    assert (tmp_path / "made" / "figure.png").stat().st_size > 10_000


def test_what_trained_the_network_of_init_counts(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools.curve import rows_of

    first = train(tmp_path / "first", "episodes=60", "block=20", "save.every=20", "save.keep=9", "evaluate.episodes=0")
    kept = sorted((first / "kept").iterdir())[0]
    words = ("episodes=40", "block=20", "learner.start=milestone", "evaluate.episodes=4", "seed=7")
    runs = [train(tmp_path / name, f"init={source}", *words) for name, source in (("a", kept), ("b", first))]
    episodes = int(kept.name), 60
    rows = rows_of([str(run) for run in runs])
    for (_, row), run, until in zip(rows.sort_values("episodes").iterrows(), runs, episodes, strict=True):
        before = blocks_of(first)
        before = before[before["episode"] <= until]
        assert (row["episodes"], row["seed"], row["start"]) == (until + 40, 7, "milestone")
        own = blocks_of(run)
        assert row["moves"] == before["moves"].sum() + own["moves"].sum()
        assert row["core_seconds"] == pytest.approx(before["seconds"].sum() + own["seconds"].sum(), abs=0.002)


def test_what_trained_the_network_of_an_init_of_an_init_counts(tmp_path, monkeypatch):
    """The folders are numbers, which are no names of checkpoints."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools.curve import rows_of

    words = ("episodes=60", "block=20", "save.every=20", "save.keep=9", "evaluate.episodes=4")
    first = train(tmp_path / "1", *words)
    second = train(tmp_path / "2", f"init={first}", *words)
    third = train(tmp_path / "3", f"init={sorted((second / 'kept').iterdir())[1]}", *words)
    (row,) = rows_of([str(third)]).to_dict("records")
    spent = [blocks_of(first), blocks_of(second)[:2], blocks_of(third)]
    assert row["episodes"] == 60 + 40 + 60
    assert row["moves"] == sum(blocks["moves"].sum() for blocks in spent)


@pytest.mark.parametrize(("moves", "budget"), [(1e6, 1_000_000), (1.99e6, 1_000_000), (2.2e9, 2_000_000_000), (9, 9)])
def test_a_budget_is_told_by_its_first_digit(moves, budget, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools.curve import first_digit

    assert first_digit(moves) == budget


def test_rows_of_2584_have_its_tiles(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools.curve import TILES, rows_of

    run = train(tmp_path / "run", "game=2584", "episodes=200", "block=20", "evaluate.episodes=50")
    (row,) = rows_of([str(run)]).to_dict("records")
    assert [name for name in row if name.startswith("reach_")] == [f"reach_{tile}" for tile in TILES["2584"]]
    assert row["reach_75025"] == 0
