"""What a sweep says when it ends. Trusts tables written by hand."""

import numpy as np
import pandas as pd
import pytest

from tdl.sweeps.table import MAX_ROWS, summary_text


def jobs(*settings, seeds=3, **columns):
    """Jobs of settings `(learner, alpha, mean)`, 10 points apart; without a mean they diverged."""
    rows = []
    for learner, alpha, mean in settings:
        for seed in range(seeds):
            ended = ("finished", None) if mean is not None else ("failed", "learning diverged: a value left")
            score = np.nan if mean is None else mean + 10.0 * (seed - 1)
            rows.append((f"o/{learner}{alpha}{seed}", learner, alpha, seed, score, *ended))
    names = ["run", "learner", "alpha", "seed", "eval_mean", "status", "error"]
    return pd.DataFrame(rows, columns=names).assign(**columns)


TABLE = jobs(("td", 0.1, 500.0), ("td", 1.0, None), ("tc", 1.0, 3000.0))
TABLE["eval_reach_256"] = [0.5, 0.4, 0.6, *[np.nan] * 3, 0.75, 0.85, 0.8]
TABLE["eval_reach_64"] = 1.0
TABLE["moves_per_second"] = [1e6] * 3 + [np.nan] * 3 + [2e6] * 3


@pytest.fixture
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")


def test_settings_best_first_then_the_answer_and_what_failed(wide):
    assert summary_text(TABLE).splitlines() == [
        "learner alpha  runs           mean score   256   moves/s",
        "     tc     1     3 3,000 [2,975, 3,025] 80.0% 2,000,000",
        "     td   0.1     3       500 [475, 525] 50.0% 1,000,000",
        "",
        "Best: tc, alpha 1, 3,000 [2,975, 3,025], 3 runs. The next, td, alpha 0.1, is 2,500 [2,477, 2,523] lower, "
        "a clear difference (p < 0.001).",
        "95% intervals: Student's t over runs. Differences: Welch's test, p and interval corrected for all pairs "
        "(Holm).",
        "td, alpha 1: 3 of 3 diverged; lower alpha",
    ]


@pytest.mark.parametrize(("columns", "last"), [(60, "moves/s"), (50, "256"), (20, "score")])
def test_a_narrow_terminal_has_fewer_columns(monkeypatch, columns, last):
    monkeypatch.setenv("COLUMNS", str(columns))
    heading, *_ = summary_text(TABLE).splitlines()
    assert heading.split()[-1] == last


def test_many_settings_are_cut(wide):
    table = jobs(*[("td", 0.01 * number, 100.0 * number) for number in range(1, MAX_ROWS + 11)])
    assert "... and 10 settings below these" in summary_text(table).splitlines()


def test_nothing_finished(wide):
    assert summary_text(jobs(("td", 1.0, None), ("tc", 9.0, None))).splitlines() == [
        "tc, alpha 9: 3 of 3 diverged; lower alpha",
        "td, alpha 1: 3 of 3 diverged; lower alpha",
    ]
    assert summary_text(jobs(("td", 1.0, None))) == "3 of 3 runs diverged; lower alpha"


def test_without_games_after_training_the_last_blocks_count(wide, tmp_path):
    table = jobs(("td", 0.1, np.nan), ("tc", 1.0, np.nan)).drop(columns="eval_mean")
    table["run"] = [str(tmp_path / str(number)) for number in range(len(table))]
    for number, run in enumerate(table["run"]):
        write_run(run, [10.0, 100.0 * number])
    said = summary_text(table)
    assert "Best: tc, alpha 1, 400 [152, 648], 3 runs." in said
    assert said.endswith("scores are those of the last block of training.")


def write_run(folder, means):
    """The files of a run that `tdl.results.load` reads."""
    from pathlib import Path

    from tdl.storage.run_folder import RunFolder

    Path(folder).mkdir()
    run = RunFolder(folder)
    run.write_result({"config": {"seed": 0}, "names": {}, "status": "finished"})
    pd.DataFrame({"episode": range(len(means)), "mean": means, "max": means}).to_csv(run.blocks, index=False)
