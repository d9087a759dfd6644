"""What a sweep says before its first job, and whether the disk has room and the weights of its jobs stay."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.sweeps import SHORT

from tdl.cli.python_runs import compose_run
from tdl.cli.run import plan as plan_of
from tdl.errors import ConfigError
from tdl.runs.disk_space import Disk
from tdl.sweeps import plan
from tdl.sweeps.job import JobContext, Plan, without_hydra
from tdl.sweeps.plan import SweepPlan, size_text

RUN = Plan(disk=Disk(records=1_000, weights=2_000_000, peak=4_000_000))


def whole(*jobs, at_once=2, cores=2):
    return SweepPlan(jobs, at_once, cores, Path("sweep"))


@pytest.mark.parametrize(
    ("jobs", "cores", "text"),
    [
        ((RUN,), 1, "1 job, on 1 core; files will take 2 MB of disk, and up to 2 MB more while they run\n"),
        ((Plan(games=10_000),) * 30, 2, "30 jobs, on 2 cores, 300,000 games; files will take 0 bytes of disk\n"),
        ((Plan(games=9, seconds=300.0),) * 5, 2, "5 jobs, on 2 cores, 12 min of training; files will take 0 bytes"),
        ((Plan(seconds=300.0),), 2, "1 job, on 2 cores, 5 min of training; files will take 0 bytes"),
        ((Plan(), Plan(done=True)), None, "2 jobs, 1 of them already done; files will take 0 bytes of disk\n"),
        ((Plan(done=True),) * 2, 2, "2 jobs, already done; nothing to play\n"),
    ],
)
def test_the_first_line_says_how_much_is_to_be_done(jobs, cores, text):
    assert whole(*jobs, cores=cores).text().startswith(text)


def test_a_disk_without_room_is_told(monkeypatch):
    monkeypatch.setattr(plan, "free_bytes", lambda folder: 7_000_000)
    with pytest.raises(ConfigError, match="out: sweep: checkpoints will take 8 MB of its disk, and 7 MB are free"):
        whole(RUN, RUN).check_disk()
    whole(RUN, RUN, at_once=1).check_disk()
    whole(RUN, Plan(done=True, disk=RUN.disk)).check_disk()


def test_checkpoints_of_paused_jobs_are_there_at_once(monkeypatch):
    """Of six jobs of which two run, four are paused: the room is that of six checkpoints and two that are written."""
    pausing = whole(*[replace(RUN, final=False, pauses=True)] * 6)
    assert "up to 16 MB more while they run or are paused" in pausing.text()
    monkeypatch.setattr(plan, "free_bytes", lambda folder: 15_000_000)
    with pytest.raises(ConfigError, match=r"will take 16 MB .* race.rungs=\[1\] none that wait"):
        pausing.check_disk()
    whole(*[replace(RUN, final=False)] * 6).check_disk()
    assert whole(*[replace(RUN, final=True, pauses=True)] * 6).more_meanwhile() == 4_000_000


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (64e6, "64 MB"), (1.61e9, "1.6 GB"), (3e15, "3000 TB")],
)
def test_sizes_for_people(size, text):
    assert size_text(size) == text


@pytest.mark.parametrize(
    ("jobs", "kept"),
    [
        ([RUN] * 8, True),
        ([RUN] * 9, False),
        ([RUN] * 8 + [Plan(done=True)], False),
        ([RUN] * 8 + [Plan(asks_for_weights=True)], True),
    ],
)
def test_more_than_eight_jobs_leave_no_weights(jobs, kept):
    sweep = whole(*jobs)
    assert sweep.keeps_weights is kept
    assert ("no weights stay" in sweep.text()) is not kept
    assert sweep.weights(RUN) == (2_000_000 if kept else 0)
    assert sweep.weights(Plan(final=not kept, disk=RUN.disk)) == (0 if kept else 2_000_000)


@pytest.mark.parametrize(
    ("words", "final", "asks"),
    [
        ((), None, False),
        (("save.final=true",), True, False),
        (("save.every=5",), None, True),
        (("save.keep=2",), None, True),
    ],
    ids=str,
)
def test_weights_stay_where_they_are_asked_for(tmp_path, words, final, asks):
    job = plan_of(without_hydra(compose_run([*SHORT, *words])), JobContext(tmp_path))
    assert (job.final, job.asks_for_weights) == (final, asks)
