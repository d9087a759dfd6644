"""The state of a sweep by its files: each setting, what runs, what a race decided, what is damaged."""

import json
import os

import pytest
from support.swept_files import job, made_up

from tdl.errors import TdlError
from tdl.results.frames import row_of
from tdl.storage.run_folder import lock_folder
from tdl.sweeps.sweep_files import SweepFiles
from tdl.sweeps.sweep_state import state_of

WORDS = ("alpha=0.1,0.5", "seed=range(0,3)")
LONG_AGO = 1e9


def old(folder):
    """Date all files back: nothing has changed of late."""
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (LONG_AGO, LONG_AGO))
    return folder


def state(folder, **options):
    """The state, which is JSON without nan."""
    return json.loads(json.dumps(state_of(SweepFiles(folder, **options)), allow_nan=False))


def counts(state):
    return {name: number for name, number in state["jobs"].items() if number}


def whole(folder, *words, **options):
    jobs = {f"a{alpha}s{seed}": {"alpha": alpha, "seed": seed, "mean": mean + seed}
            for alpha, mean in ((0.1, 100), (0.5, 200)) for seed in range(3)}  # fmt: skip
    return made_up(folder, *(words or WORDS), **options, **jobs)


def test_an_ended_sweep(tmp_path):
    now = state(old(whole(tmp_path / "alpha")))
    assert (now["status"], now["name"], counts(now), now["left"]) == (
        "ended",
        "alpha",
        {"all": 6, "finished": 6},
        None,
    )
    best, other = now["settings"]
    assert (best["name"], best["values"], best["seeds"], best["of"], best["state"]) == (
        "alpha 0.5", {"alpha": 0.5}, 3, 3, "ended",
    )  # fmt: skip
    assert (best["mean"], other["mean"]) == (201, 101)
    assert best["low"] == pytest.approx(201 - 4.3027 / 3**0.5, abs=1e-3)  # Student's t, two degrees of freedom
    assert [job["score"] for job in best["jobs"]] == [200, 201, 202]
    assert now["keys"] == [{"key": "alpha", "name": "step size alpha", "scale": "log", "values": [0.1, 0.5]}]
    assert now["answer"].startswith("Best: alpha 0.5, 201 [199, 203], 3 runs. The next, alpha 0.1, is 100")
    assert now["score"] == "mean score of 5 games after training"
    assert now["seconds"] == 66.0
    assert (now["race"], now["notes"]) == (None, [])


def test_what_runs_and_what_waits(tmp_path):
    folder = made_up(tmp_path, *WORDS, first={"alpha": 0.1, "mean": 5})
    running = job(folder / "second", 0.5, seed=1, status="running", blocks=[10, 20, 30, 40], episodes=100)
    old(folder)
    with lock_folder(running):
        now = state(folder)
    assert (now["status"], counts(now)) == ("running", {"all": 6, "finished": 1, "running": 1, "waiting": 4})
    (part,) = now["running"]
    # Four blocks of two seconds are 40 of 100 episodes; the next one is taken to be nearly over.
    assert part == {"job": "second", "setting": 1, "seed": 1, "share": 0.5, "left": 10.0, "speed": 25, "watch": False}
    assert now["left"] == 10 + 4 * 11
    assert [setting["state"] for setting in now["settings"]] == ["waiting", "running"]
    assert [job["status"] for job in now["settings"][1]["jobs"]] == ["waiting", "running", "waiting"]
    assert now["settings"][1]["curve"] == {
        "at": [10, 20, 30, 40], "mean": [10, 20, 30, 40], "low": [None] * 4, "high": [None] * 4,
    }  # fmt: skip
    assert now["answer"] == "Best so far: alpha 0.1, 5, 1 run."


def test_a_sweep_that_was_killed_has_stopped(tmp_path):
    made_up(
        tmp_path, *WORDS, first={"alpha": 0.1, "status": "running"}, second={"alpha": 0.5, "status": "interrupted"}
    )
    now = state(tmp_path)
    assert (now["status"], counts(now)) == ("stopped", {"all": 6, "interrupted": 2, "waiting": 4})


def test_jobs_of_slurm_run_while_they_write(tmp_path):
    about = {"alpha": 0.1, "status": "running", "blocks": [1, 2]}
    folder = made_up(tmp_path, *WORDS, launcher="submitit_slurm", first=about)
    assert counts(state(folder)) == {"all": 6, "running": 1, "waiting": 5}
    now = state(old(folder))
    assert (now["status"], now["notes"]) == ("stopped", ["jobs may wait in the queue of Slurm: squeue tells"])


def test_between_two_jobs_it_runs_for_a_while(tmp_path):
    folder = made_up(tmp_path, *WORDS, first={"alpha": 0.1, "mean": 5})
    assert state(folder)["status"] == "running"
    assert state(old(folder))["status"] == "stopped"


def test_jobs_that_failed(tmp_path):
    about = {"alpha": 0.5, "status": "failed"}
    folder = made_up(
        tmp_path, *WORDS, a={"alpha": 0.1, "mean": 5}, b=about | {"error": "learning diverged: x"},
        c=about | {"seed": 1, "error": "no room"},
    )  # fmt: skip
    now = state(old(folder))
    assert counts(now) == {"all": 6, "finished": 1, "failed": 2, "waiting": 3}
    assert now["settings"][1]["why"] == "1 of 3 runs diverged; lower alpha; 1 of 3 runs failed: no room"


LOOKS = """look,seeds,share,setting,job,score,behind,margin,verdict
1,2,1,alpha=0.1,a0.1s0,100,0.4,0.5,stays
1,2,1,alpha=0.5,a0.5s0,200,0,0.5,leads
2,3,1,alpha=0.1,a0.1s0,101,0.41,0.06,worse
2,3,1,alpha=0.5,a0.5s0,201,0,0.06,leads
"""


def test_a_race_says_who_stopped_and_why(tmp_path):
    folder = whole(tmp_path, "alpha=0.1,0.5,1", "seed=range(0,5)", race=True)
    job(folder / "paused", 0.5, seed=3, status="paused")
    for seed in (0, 1):
        job(folder / f"d{seed}", 1, seed=seed, status="failed", error="learning diverged: x")
    (folder / "race.csv").write_text(LOOKS + "2,2,1,alpha=1,d0,-inf,1,0.06,diverged\n")
    now = state(old(folder))
    assert now["race"] == {"looks": 2, "text": "2 of 3 settings stopped; 7 of 15 runs spared"}
    assert counts(now) == {"all": 15, "finished": 6, "failed": 2, "spared": 7}
    leader, worse, lost = now["settings"]
    assert (leader["state"], leader["why"], now["status"]) == ("leads", "", "ended")  # one is left: the race is over
    assert (leader["low"] is None, worse["mean"], worse["low"], worse["high"]) == (False, 101, None, None)
    assert (worse["state"], worse["why"]) == (
        "stopped", "stopped after 3 seeds: 41% behind, 6.0% were enough",
    )  # fmt: skip
    assert worse["mean"] == 101
    assert (worse["low"], worse["high"]) == (None, None)  # no interval would hold
    job(folder / "later", 0.1, seed=3, mean=103)  # as without a race
    assert state(folder)["settings"][1]["low"] == pytest.approx(101.5 - 3.1824 * (5 / 12) ** 0.5, abs=1e-3)
    assert (lost["state"], lost["why"]) == (
        "diverged", "stopped after 2 seeds: diverged; 2 of 5 runs diverged; lower alpha",
    )  # fmt: skip


def test_a_race_that_goes_on(tmp_path):
    folder = whole(tmp_path, "alpha=0.1,0.5", "seed=range(0,5)", race=True)
    job(folder / "paused", 0.5, seed=3, status="paused")
    (folder / "race.csv").write_text("".join(LOOKS.splitlines(keepends=True)[:3]).replace("2,1,", "2,0.1,"))
    now = state(old(folder))
    assert counts(now) == {"all": 10, "finished": 6, "paused": 1, "waiting": 3}
    assert [setting["why"] for setting in now["settings"]] == ["", "40% behind, 50% would be enough to stop"]
    assert now["at_most"]
    (folder / "race.csv").write_text("".join(LOOKS.splitlines(keepends=True)[:3]).replace("0.5,stays", "1,stays"))
    assert state(folder)["settings"][1]["why"] == "40% behind, too early to tell"


def test_the_looks_of_an_earlier_race_count_no_more(tmp_path):
    folder = whole(tmp_path, "alpha=0.1,0.5", "seed=range(0,5)")
    (folder / "race.csv").write_text(LOOKS)
    now = state(folder)
    assert (now["race"], counts(now)["waiting"]) == (None, 4)


def test_jobs_of_several_commands_in_one_folder(tmp_path):
    folder = whole(tmp_path, "alpha=1", "seed=0,1")
    now = state(old(folder))
    assert counts(now) == {"all": 8, "finished": 6, "waiting": 2}
    assert [setting["name"] for setting in now["settings"]] == ["alpha 0.5", "alpha 0.1", "alpha 1"]


def test_values_that_the_result_says_otherwise_are_known_by_their_words(tmp_path):
    folder = made_up(tmp_path, "alpha=x1,x2", "seed=0", a={"alpha": 0.1, "mean": 5})
    (folder / "a" / ".hydra" / "hydra.yaml").write_text("hydra: {overrides: {task: [alpha=x1, seed=0]}}")
    assert counts(state(old(folder))) == {"all": 2, "finished": 1, "waiting": 1}


def test_a_command_whose_jobs_cannot_be_listed(tmp_path):
    now = state(old(whole(tmp_path, "tuples=glob(*)")))
    assert (now["status"], counts(now)) == ("ended", {"all": 6, "finished": 6})
    assert now["notes"] == ["how many jobs there will be is not known: tuples: its values cannot be listed"]


def test_trials_that_optuna_proposes(tmp_path):
    trials = {"number": 4, "by": "optuna", "seed": 0}
    folder = whole(tmp_path, "alpha=interval(0.1,1)", "seed=range(0,5)", trials=trials)
    now = state(old(folder))
    assert counts(now) == {"all": 20, "finished": 6, "waiting": 14}  # of two settings, and of two to be proposed
    assert [setting["of"] for setting in now["settings"]] == [5, 5]


def test_damaged_files_are_named_and_the_others_count(tmp_path):
    folder = whole(tmp_path)
    (folder / "a0.1s0" / "result.json").write_text("{")
    (folder / "a0.1s1" / "blocks.csv").write_text("\x1b[2J\n")
    (folder / "a0.1s2" / "result.json").unlink()
    os.mkfifo(folder / "race.csv")
    now = state(old(folder))
    assert now["notes"] == [
        "a0.1s0/result.json: cut or corrupt: not JSON", "a0.1s1/blocks.csv: '\\x1b[2J': no such column",
        "race.csv: cannot be read: not a regular file",
    ]  # fmt: skip
    assert counts(now)["finished"] == 4
    assert now["settings"][0]["mean"] == 201


def test_a_link_that_leads_out_is_not_read(tmp_path):
    folder, secret = whole(tmp_path / "sweep"), job(tmp_path / "secret", 0.1, seed=2, mean=7)
    path = folder / "a0.1s2" / "result.json"
    path.unlink()
    path.symlink_to(secret / "result.json")
    assert counts(state(folder))["finished"] == 6
    now = state(folder, root=folder)
    assert (counts(now)["finished"], now["notes"]) == (5, ["a0.1s2/result.json: a link that leads out of the folder"])


def test_it_is_read_again_where_it_has_changed(tmp_path, monkeypatch):
    files = SweepFiles(whole(tmp_path))
    first = state_of(files)
    read = []
    monkeypatch.setattr("tdl.sweeps.sweep_files.row_of", lambda run, result: read.append(run) or row_of(run, result))
    assert state_of(files)["settings"] == first["settings"]
    assert read == []
    path = tmp_path / "a0.5s0" / "result.json"
    path.write_text(path.read_text().replace("200", "200.3"))
    assert state_of(files)["settings"][0]["mean"] == 201.1
    assert read == [str(tmp_path / "a0.5s0")]


def test_no_sweep(tmp_path):
    with pytest.raises(FileNotFoundError):
        state(tmp_path)
    (tmp_path / "multirun.yaml").write_text("a: &x [1]\nb: *x\n")
    with pytest.raises(TdlError, match=r"multirun.yaml: cut or corrupt: not plain YAML"):
        state(tmp_path)


def test_nothing_has_begun(tmp_path):
    now = state(old(made_up(tmp_path, *WORDS)))
    assert (now["status"], counts(now), now["answer"]) == ("stopped", {"all": 6, "waiting": 6}, "")
    assert [setting["name"] for setting in now["settings"]] == ["alpha 0.1", "alpha 0.5"]


def test_seeds_alone_are_one_setting(tmp_path):
    now = state(made_up(tmp_path, "seed=0,1", a={"alpha": 0.1, "mean": 5}, b={"alpha": 0.1, "seed": 1, "mean": 7}))
    (setting,) = now["settings"]
    assert (setting["name"], setting["mean"], now["keys"]) == ("td, alpha 0.1", 6, [])
    assert now["importance"]["shares"] == []


def test_a_curve_is_the_mean_over_finished_seeds_with_a_band(tmp_path):
    jobs = {f"s{seed}": {"alpha": 0.1, "seed": seed, "mean": 5, "blocks": [seed, 10 + seed]} for seed in range(3)}
    running = {"alpha": 0.1, "seed": 3, "status": "running", "blocks": [1000]}
    (setting,) = state(made_up(tmp_path, "alpha=0.1", "seed=range(0,4)", **jobs, last=running))["settings"]
    curve = setting["curve"]
    assert (curve["at"], curve["mean"]) == ([10, 20], [1, 11])
    half = 4.3027 / 3**0.5
    assert curve["low"] == pytest.approx([0, 11 - half], abs=1e-3)
    assert curve["high"] == pytest.approx([1 + half, 11 + half], abs=1e-3)


def test_curves_are_thin(tmp_path):
    blocks = list(range(1000))
    now = state(made_up(tmp_path, "seed=0,1", a={"alpha": 0.1, "mean": 5, "blocks": blocks}))
    curve = now["settings"][0]["curve"]
    assert len(curve["at"]) == 60
    assert (curve["at"][0], curve["at"][-1], curve["mean"][-1]) == (10, 10_000, 999)


def test_the_shares_of_keys_are_over_the_seeds_that_all_have(tmp_path):
    values = [(alpha, gamma) for alpha in (0.1, 0.5) for gamma in (0.9, 1.0)]
    jobs = {f"{i}s{seed}": {"alpha": a, "seed": seed, "gamma": g, "mean": 100 + 30 * a + 40 * g + 1000 * (seed == 1)}
            for i, (a, g) in enumerate(values) for seed in range(2) if (i, seed) != (3, 1)}  # fmt: skip
    now = state(made_up(tmp_path, "alpha=0.1,0.5", "gamma=0.9,1.0", "seed=0,1", **jobs))["importance"]
    # Effects of 12 and 4 points: 36 and 4 of the variance of 40.
    assert now["shares"] == [{"key": "alpha", "share": 0.9}, {"key": "gamma", "share": 0.1}]
    assert "with the 1 seeds" in now["text"]


def raced(folder, words, *rows, **jobs):
    """A race of these words, of which each row says look, job, share and verdict."""
    made_up(folder, *words, race=True, **jobs)
    lines = [f"{look},2,{share},{job},{job},100,0.1,0.05,{verdict}\n" for look, job, share, verdict in rows]
    (folder / "race.csv").write_text(LOOKS.splitlines(keepends=True)[0] + "".join(lines))
    return state(old(folder))


def test_a_race_is_over_where_its_last_look_leaves_one_whatever_other_races_left(tmp_path):
    """As of another command in the folder, or over other trials; at a rung nothing is over."""
    jobs = {name: {"alpha": alpha, "mean": 5} for name, alpha in (("a", 0.1), ("b", 0.2), ("c", 0.3), ("d", 0.4))}
    before = [(1, "a", 1, "leads"), (1, "b", 1, "worse")]
    last = [(1, "c", 1, "leads"), (1, "d", 1, "worse")]
    now = raced(tmp_path / "over", ("alpha=0.3,0.4", "seed=range(0,3)"), *before, *last, **jobs)
    assert (now["status"], counts(now)) == ("ended", {"all": 8, "finished": 4, "spared": 4})
    at_rung = [(look, job, 0.5, verdict) for look, job, _, verdict in last]
    now = raced(tmp_path / "rung", ("alpha=0.3,0.4", "seed=range(0,3)"), *before, *at_rung, **jobs)
    assert (now["status"], counts(now)["waiting"]) == ("stopped", 2)
    del jobs["d"]
    now = raced(tmp_path / "next", ("alpha=0.1,0.2,0.3", "seed=range(0,3)"), *before, **jobs)
    assert counts(now) == {"all": 9, "finished": 3, "spared": 2, "waiting": 4}  # those of c, and of a with it
