"""The table of a sweep: a row for each job, whatever became of it."""

import shutil

import pytest
from support.programs import SMALL, inside
from support.sweeps import SHORT, WRITTEN, folder_of, mark, rows_of, states, sweep

from tdl.cli.run import main
from tdl.storage.run_folder import lock_folder


def test_sweep_leaves_a_table_with_a_row_for_a_failed_job_too(tmp_path):
    missing = tmp_path / "missing"
    done = inside("-m", *SMALL, "episodes=10", "alpha=0.1,5,6", "placer=adversary", f"placer.network=null,{missing}",
                  f"hydra.sweep.dir={tmp_path / 'sweep'}")  # fmt: skip
    assert done.returncode in (1, 2)  # of the first that failed
    rows = rows_of(tmp_path / "sweep")
    jobs = {(float(row["alpha"]), bool(row["placer.network"])): row for row in rows}
    assert len(rows) == len(jobs) == 6
    assert {key for key, row in jobs.items() if row["status"] == "finished"} == {(0.1, False)}
    assert {row["status"] for row in rows} == {"finished", "failed"}
    good, bad, diverged = jobs[0.1, False], jobs[0.1, True], jobs[5, False]
    assert float(good["eval_mean"]) > 0
    assert good["error"] == bad["eval_mean"] == ""
    assert "no checkpoint here" in bad["error"]
    assert "learning diverged" in diverged["error"]
    assert len(done.stderr.split("tdl: ")) == 7  # a line for each job that failed, and the last one
    assert "sweep.csv" in done.stdout


def test_sweep_without_a_failure_ends_well(tmp_path):
    done = inside("-m", *SMALL, "episodes=10", "seed=range(0,2)", f"hydra.sweep.dir={tmp_path / 'sweep'}",
                  program=main)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [(row["seed"], row["status"]) for row in rows_of(tmp_path / "sweep")] == [
        ("0", "finished"), ("1", "finished")]  # fmt: skip
    assert {path.name for path in (tmp_path / "sweep").glob("*.*") if path.is_file()} == WRITTEN
    starts = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml", "tex": b"\\begin{tabular}", "txt": b"2048 on 4x4"}
    for kind, start in starts.items():
        assert (tmp_path / "sweep" / f"sweep.{kind}").read_bytes().startswith(start), kind


def test_what_another_process_works_on_is_running_and_what_nobody_does_is_cut_off(two):
    for seed in (0, 1):
        folder = folder_of(two, seed=seed)
        mark(folder, "running")
    with lock_folder(folder_of(two, seed=0)):
        assert sweep(two, *SHORT, "seed=2").returncode == 0
    assert states(two) == {"0": "running", "1": "cut off", "2": "finished"}


@pytest.mark.parametrize("name", ["config.yaml", "hydra.yaml"])
@pytest.mark.parametrize("text", ["", "a: [", "- 1"])
def test_notes_of_hydra_that_are_cut_sink_no_table(two, name, text):
    folder = folder_of(two, seed=0)
    (folder / "result.json").unlink()
    (folder / ".hydra" / name).write_text(text)
    assert sweep(two, *SHORT, "seed=1").returncode == 0
    assert {row["run"]: row["status"] for row in rows_of(two)}[str(folder)] == "cut off"


def test_a_result_that_is_cut_sinks_no_table(two):
    folder = folder_of(two, seed=0)
    (folder / "result.json").write_text('{"status": "fini')
    assert sweep(two, *SHORT, "seed=1").returncode == 0
    rows = {row["run"]: row for row in rows_of(two)}
    assert rows[str(folder)]["status"] == "failed"
    assert "result.json: cut or corrupt" in rows[str(folder)]["error"]
    assert sweep(two, *SHORT, "seed=0,1").returncode == 0  # it is done again
    assert states(two) == dict.fromkeys("01", "finished")


def test_values_of_several_types_stand_in_one_column(tmp_path):
    done = sweep(tmp_path, *SHORT, "lanes=3,auto", "learner.schedule=null,halving:5")
    assert done.returncode == 0, done.stderr
    values = [(row["lanes"], row["learner.schedule"]) for row in rows_of(tmp_path)]
    assert sorted(values) == [("3", ""), ("3", "halving:5"), ("auto", ""), ("auto", "halving:5")]


def test_a_job_that_can_write_nothing_has_its_row(tmp_path):
    sweep(tmp_path, "episodes=10", "seed=0,1,2")
    folder = folder_of(tmp_path, seed=1)
    shutil.rmtree(folder)
    folder.write_text("a file where the folder should be")
    done = sweep(tmp_path, "episodes=10", "seed=0,1,2")
    assert done.returncode == 2
    rows = {row["run"]: row for row in rows_of(tmp_path)}
    assert rows[str(folder)]["status"] == "failed"
    assert "File exists" in rows[str(folder)]["error"]
    assert len(rows) == 3
