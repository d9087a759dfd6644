"""Sweeps as jobs of a real Slurm of one node: sent, preempted and requeued, killed hard.

Trusts Slurm's own count of restarts, and the uninterrupted run as the measure.
"""

import pytest
from support import slurm
from support.programs import SMALL, ended, inside, outcome, result, running, train, wait_until, written_at
from support.sweeps import folder_of, states

pytestmark = pytest.mark.extra
pytest.importorskip("hydra_plugins.hydra_submitit_launcher", reason="the extra slurm is not installed")
if not slurm.is_there():
    pytest.skip("Slurm is not installed (apt-get install slurm-wlm)", allow_module_level=True)

LAUNCHER = ("-m", "hydra/launcher=submitit_slurm", "hydra.launcher.mem_gb=1", "hydra.launcher.signal_delay_s=1")
EPISODES = 40_000
LONG = (f"episodes={EPISODES}", "block=1000", "save.every=5000")  # some 10 s; one checkpoint after 1


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with slurm.one_node(tmp_path_factory.mktemp("node")) as environment:
        yield environment


@pytest.fixture
def node(cluster):
    """The cluster without a job of another test."""
    slurm.cancel_all(cluster)
    return cluster


def sweep(cwd, node, *words):
    return running(cwd, *LAUNCHER, *SMALL, *words, f"hydra.sweep.dir={cwd}/sweep", env=node)


def job_of(node, number):
    """The newest sweep's job of this number; one job alone is no array."""
    jobs = {
        (int(job.get("ArrayJobId", job["JobId"])), int(job.get("ArrayTaskId", 0))): job for job in slurm.jobs(node)
    }
    return jobs[max(newest for newest, _ in jobs), number]


def is_saved(cwd, seed):
    """Whether the job of this seed has written a checkpoint."""
    done = [path.parent for path in (cwd / "sweep").glob("*/result.json") if result(path.parent)["seed"] == seed]
    return bool(done) and written_at(done[0]) is not None


def test_four_jobs(tmp_path, node):
    with sweep(tmp_path, node, "episodes=50", "seed=range(0,4)") as process:
        done = ended(process)
    assert done.returncode == 0, done.stderr
    assert states(tmp_path / "sweep") == dict.fromkeys("0123", "finished")
    assert {job_of(node, number)["JobState"] for number in range(4)} == {"COMPLETED"}
    assert "table in" in done.stdout
    whole = train(tmp_path / "whole", "episodes=50", "seed=2")
    assert outcome(folder_of(tmp_path / "sweep", seed=2)) == outcome(whole)


@pytest.mark.parametrize("how", ["requeued", "out of time"])
def test_a_preempted_job_goes_on(tmp_path, node, small_run, how):
    """Killed by Slurm and begun again, or warned that its time is over and sent again by submitit."""
    with sweep(tmp_path, node, *LONG) as process:
        wait_until(lambda: is_saved(tmp_path, 0), process)
        job = job_of(node, 0)["JobId"]
        if how == "requeued":
            slurm.ask(node, "scontrol", "requeue", job)
        else:
            slurm.ask(node, "scancel", "--signal=USR2", job)
        done = ended(process)
    assert done.returncode == 0, done.stderr
    assert job_of(node, 0)["Restarts"] == "1"
    assert states(tmp_path / "sweep") == {"0": "finished"}
    logs = "".join(path.read_text() for path in (tmp_path / "sweep" / ".submitit").rglob("*.out"))
    assert "evaluate" in logs
    assert outcome(folder_of(tmp_path / "sweep", seed=0)) == outcome(small_run(*LONG))


def test_a_job_that_is_killed_hard_is_in_the_table(tmp_path, node, small_run):
    """And does not sink the others; the same command again goes on with it, on whatever launcher."""
    with sweep(tmp_path, node, *LONG, "seed=0,1") as process:
        wait_until(lambda: is_saved(tmp_path, 0), process)
        slurm.ask(node, "scancel", "--signal=KILL", job_of(node, 0)["JobId"])
        done = ended(process)
    assert done.returncode == 1
    assert states(tmp_path / "sweep") in ({"0": lost, "1": "finished"} for lost in ("cut off", "interrupted"))
    assert "1 of 2 jobs are not finished" in done.stderr
    assert "Traceback" not in done.stderr
    folder = folder_of(tmp_path / "sweep", seed=0)
    assert 0 < result(folder)["episodes"] < EPISODES
    done = inside("-m", *SMALL, *LONG, "seed=0,1", f"hydra.sweep.dir={tmp_path}/sweep")
    assert done.returncode == 0
    assert outcome(folder) == outcome(small_run(*LONG))


RACE = ("alpha=0.000001,0.3", "seed=range(0,5)", "episodes=400", "block=100", "evaluate.episodes=200", "race.on=true")


def test_a_race_sends_each_round_and_goes_on_after_the_death_of_the_command(tmp_path, node):
    """Killed while a round is out: its jobs end, and are not sent again."""
    whole = inside("-m", *SMALL, *RACE, f"hydra.sweep.dir={tmp_path}/whole")
    with sweep(tmp_path, node, *RACE) as process:
        wait_until(lambda: len(list((tmp_path / "sweep").glob("*/result.json"))) >= 2, process)
        process.kill()
    wait_until(lambda: all(job["JobState"] == "COMPLETED" for job in slurm.jobs(node)))
    first = {path: path.stat().st_mtime_ns for path in (tmp_path / "sweep").glob("*/result.json")}
    with sweep(tmp_path, node, *RACE) as process:
        done = ended(process)
    assert done.returncode == 0, done.stderr
    assert "race: round 3 of 5, 2 settings left" in done.stdout
    assert (tmp_path / "sweep" / "race.csv").read_text() == (tmp_path / "whole" / "race.csv").read_text()
    assert (
        done.stdout.partition("Best: ")[2].partition(";")[0] == whole.stdout.partition("Best: ")[2].partition(";")[0]
    )
    assert first.items() <= {path: path.stat().st_mtime_ns for path in first}.items()
