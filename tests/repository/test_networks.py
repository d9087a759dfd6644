"""What trained the networks that evaluations judge."""

from pathlib import Path

import pandas as pd
from support.programs import inside, train

from tdl.evaluate import main as evaluate


def test_evaluations_are_told_apart_by_the_stages_of_their_networks(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    from experiments.tools import collect

    staged = ("learner.stages=[500]", "learner.stage_by=sum", "learner.stage_downgrade=6")
    for name, words in {"plain": (), "staged": staged}.items():
        train(tmp_path / name, "episodes=40", "block=20", "evaluate.episodes=4", "seed=3", *words)
        folder = f"hydra.run.dir={tmp_path / 'games' / name}"
        words = (f"checkpoint={tmp_path / name}", "evaluate.episodes=5", "evaluate.plies=2", folder)
        assert inside(*words, program=evaluate).returncode == 0
    keys = "learner.stages,learner.stage_downgrade,evaluate.plies"
    collect.main("one", str(tmp_path), f"by={keys}", f"into={tmp_path}")
    rows = pd.read_csv(tmp_path / "results.csv")[[*keys.split(","), "seed", "games"]].astype(object)
    rows = rows.where(rows.notna(), "none")
    assert sorted(map(tuple, rows.to_numpy().tolist())) == [
        ("[500]", 6.0, 1, 3, 4),
        ("[500]", 6.0, 2, 3, 5),
        ("[]", "none", 1, 3, 4),
        ("[]", "none", 2, 3, 5),
    ]
