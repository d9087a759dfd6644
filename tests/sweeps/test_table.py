"""The table of a sweep: a row for each job, whatever became of it; and what a sweep says when it ends."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.programs import SMALL, inside
from support.sweeps import SHORT, WRITTEN, folder_of, mark, rows_of, states, sweep

from tdl.cli.run import main
from tdl.errors import CheckpointError
from tdl.players.kinds import checkpoint_folder
from tdl.players.player import load
from tdl.runs.resume import resumed_folder
from tdl.storage.run_folder import RunFolder, lock_folder
from tdl.sweeps.table import MAX_ROWS, job_folders, summary_text, table_of


def test_a_row_for_a_failed_job_too(tmp_path):
    missing = tmp_path / "missing"
    done = inside("-m", *SMALL, "episodes=10", "alpha=0.1,5", "placer=adversary", f"placer.network=null,{missing}",
                  f"hydra.sweep.dir={tmp_path / 'sweep'}")  # fmt: skip
    assert done.returncode in (1, 2)  # of the first that failed
    rows = rows_of(tmp_path / "sweep")
    jobs = {(float(row["alpha"]), bool(row["placer.network"])): row for row in rows}
    assert len(rows) == len(jobs) == 4
    assert {key for key, row in jobs.items() if row["status"] == "finished"} == {(0.1, False)}
    assert {row["status"] for row in rows} == {"finished", "failed"}
    good, bad, diverged = jobs[0.1, False], jobs[0.1, True], jobs[5, False]
    assert float(good["eval_mean"]) > 0
    assert good["error"] == bad["eval_mean"] == ""
    assert "no checkpoint here" in bad["error"]
    assert "learning diverged" in diverged["error"]
    assert len(done.stderr.split("tdl: ")) == 5  # a line for each job that failed, and the last one
    assert "sweep.csv" in done.stdout


def test_a_sweep_leaves_its_figure_and_a_table_for_a_paper(tmp_path):
    done = inside("-m", *SMALL, "episodes=10", "seed=0,1", f"hydra.sweep.dir={tmp_path}", program=main)
    assert done.returncode == 0, done.stderr
    assert states(tmp_path) == dict.fromkeys("01", "finished")
    assert {path.name for path in tmp_path.glob("*.*") if path.is_file()} == WRITTEN
    starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml", "tex": b"\\begin{tabular}", "txt": b"2048 on 4x4"}
    for kind, start in starts.items():
        assert (tmp_path / f"sweep.{kind}").read_bytes().startswith(start), kind


def test_the_folder_of_a_sweep_of_one_run_is_a_player(tmp_path):
    """It is also a run to go on with; of a sweep of several the error names one."""
    folder = tmp_path / "sweep"
    done = inside("-m", *SMALL, "episodes=10", "seed=0", f"hydra.sweep.dir={folder}", program=main)
    programs = [line.split()[-2:] for line in done.stdout.splitlines()[-3:]]
    assert programs == [["serve", str(folder)], [str(folder), "evaluate.plies=2"], ["report", str(folder)]]
    (run,) = folder.glob("*/result.json")
    assert checkpoint_folder(folder) == run.parent / "checkpoint"
    assert resumed_folder(str(folder)).path == run.parent
    done = inside("-m", *SMALL, "episodes=10", "seed=1", f"hydra.sweep.dir={folder}", program=main)
    assert done.stdout.splitlines()[-1].startswith("next: ")
    for take in (load, resumed_folder):
        with pytest.raises(CheckpointError, match="name one of 2 below, as "):
            take(str(folder))


def status(folder, run):
    """The status and the error of a run in the table of a sweep's folder."""
    rows = table_of(job_folders(folder)).set_index("run").reindex(columns=["status", "error"])
    return tuple(rows.loc[str(run)])


def test_what_another_process_works_on_is_running_and_what_nobody_does_is_cut_off(two):
    worked_on, left = (folder_of(two, seed=seed) for seed in (0, 1))
    for folder in (worked_on, left):
        mark(folder, "running")
    with lock_folder(worked_on):
        assert [status(two, folder)[0] for folder in (worked_on, left)] == ["running", "cut off"]


@pytest.mark.parametrize("name", ["config.yaml", "hydra.yaml"])
@pytest.mark.parametrize("text", ["", "a: [", "- 1"])
def test_notes_of_hydra_that_are_cut_sink_no_table(two, name, text):
    folder = folder_of(two, seed=0)
    (folder / "result.json").unlink()
    (folder / ".hydra" / name).write_text(text)
    assert status(two, folder)[0] == "cut off"


def test_a_result_that_is_cut_sinks_no_table(two):
    folder = folder_of(two, seed=0)
    (folder / "result.json").write_text('{"status": "fini')
    assert status(two, folder)[0] == "failed"
    assert "result.json: cut or corrupt" in status(two, folder)[1]
    assert sweep(two, *SHORT, "seed=0,1").returncode == 0  # it is done again
    assert states(two) == dict.fromkeys("01", "finished")


def test_values_of_several_types_stand_in_one_column(two):
    for seed, lanes in enumerate((3, "auto")):
        path = folder_of(two, seed=seed) / "result.json"
        result = json.loads(path.read_text())
        path.write_text(json.dumps({**result, "config": {**result["config"], "lanes": lanes}}))
    assert table_of(job_folders(two))["lanes"].tolist() == [3, "auto"]


def test_a_job_that_can_write_nothing_has_its_row(two):
    folder = folder_of(two, seed=1)
    folder.rename(two.parent / "elsewhere")
    folder.write_text("a file where the folder should be")
    assert sweep(two, *SHORT, "seed=0,1").returncode == 2
    rows = {row["run"]: row for row in rows_of(two)}
    assert rows[str(folder)]["status"] == "failed"
    assert "File exists" in rows[str(folder)]["error"]
    assert len(rows) == 2


def jobs(*settings, seeds=3):
    """Jobs of settings `(learner, alpha, mean)`, 10 points apart; without a mean they diverged."""
    rows = []
    for learner, alpha, mean in settings:
        for seed in range(seeds):
            ended = ("finished", None) if mean is not None else ("failed", "learning diverged: a value left")
            score = np.nan if mean is None else mean + 10.0 * (seed - 1)
            rows.append((f"o/{learner}{alpha}{seed}", learner, alpha, seed, score, *ended))
    return pd.DataFrame(rows, columns=["run", "learner", "alpha", "seed", "eval_mean", "status", "error"])


TABLE = jobs(("td", 0.1, 500.0), ("td", 1.0, None), ("tc", 1.0, 3000.0))
TABLE["eval_reach_256"] = [0.5, 0.4, 0.6, *[np.nan] * 3, 0.75, 0.85, 0.8]
TABLE["eval_reach_64"] = 1.0
TABLE["moves_per_second"] = [1e6] * 3 + [np.nan] * 3 + [2e6] * 3


def test_settings_best_first_then_the_answer_and_what_failed(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
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


def test_many_settings_are_cut():
    table = jobs(*[("td", 0.01 * number, 100.0 * number) for number in range(1, MAX_ROWS + 11)])
    assert "... and 10 settings below these" in summary_text(table).splitlines()


def test_nothing_finished():
    assert summary_text(jobs(("td", 1.0, None))) == "3 of 3 runs diverged; lower alpha"


def test_without_games_after_training_the_last_blocks_count(tmp_path):
    table = jobs(("td", 0.1, np.nan), ("tc", 1.0, np.nan)).drop(columns="eval_mean")
    table["run"] = [str(tmp_path / str(number)) for number in range(len(table))]
    for number, run in enumerate(table["run"]):
        Path(run).mkdir()
        RunFolder(run).write_result({"config": {"seed": 0}, "names": {}, "status": "finished"})
        means = [10.0, 100.0 * number]
        pd.DataFrame({"episode": [0, 1], "mean": means, "max": means}).to_csv(RunFolder(run).blocks, index=False)
    text = summary_text(table)
    assert "Best: tc, alpha 1, 400 [152, 648], 3 runs." in text
    assert text.endswith("scores are those of the last block of training.")
