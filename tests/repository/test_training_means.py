"""Means of training games along a run."""

from pathlib import Path

import pandas as pd
import pytest
from support.programs import blocks_of, train

import tdl.results


def test_parts_hold_the_games_of_their_moves(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools.training_means import main

    run = train(tmp_path / "run", "episodes=400", "block=30", "evaluate.episodes=0", "seed=3")
    total = blocks_of(run)["moves"].sum()
    every = total // 3
    main(str(run), f"every={every}", f"into={tmp_path / 'all.csv'}")
    rows = pd.read_csv(tmp_path / "all.csv")
    assert list(rows["episode"])[-1] == 400
    assert rows["moves"].iloc[-1] == total
    assert (rows["moves"].iloc[:-1] <= every * pd.RangeIndex(1, len(rows))).all()
    games = tdl.results.episodes(run)
    first = 0
    for _, row in rows.iterrows():
        scores = games.query(f"{first} <= episode < {row['episode']}")
        assert row["mean"] == pytest.approx(scores["score"].mean(), abs=0.051)
        assert row["reach_16384"] == 0
        assert scores["moves"].sum() == row["moves"] - (rows["moves"].shift(fill_value=0)[row.name])
        first = row["episode"]
    main(str(run), f"every={every}", f"since={every}", f"until={2 * every}", f"into={tmp_path / 'some.csv'}")
    some = pd.read_csv(tmp_path / "some.csv")
    pd.testing.assert_frame_equal(some, rows[rows["moves"].between(every, 2 * every)].reset_index(drop=True))
