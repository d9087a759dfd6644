"""What a sweep goes over, the warning at its start; sweeps of other launchers."""

import pytest
from omegaconf import OmegaConf
from support.programs import SMALL, outcome, program, train
from support.sweeps import SHORT, folder_of, rows_of, sweep

from tdl.sweeps.sweep import UNTITLED, forced_step_size, sweep_keys, titled_folders

FORCED = "is the step size of all learners of this sweep"


def of(*words, subdir=UNTITLED, **params):
    """The part of Hydra's configuration that says what is swept."""
    sweep, sweeper = {"dir": "a", "subdir": subdir}, {"params": params}
    return OmegaConf.create({"hydra": {"sweep": sweep, "sweeper": sweeper, "overrides": {"task": [*words]}}})


def test_keys_of_several_values_and_learners_title_a_job():
    config = of("learner=td", "gamma=0.9", "alpha=0.1", alpha="0.1,0.2", seed="0,1")
    assert sweep_keys(config) == ["learner", "seed"]
    assert titled_folders(config) == ["hydra.sweep.subdir='${tdl_job_folder:learner,seed}'"]


def test_folders_that_the_user_names_are_named_so():
    assert titled_folders(of("seed=0,1", subdir="${seed}")) == []


def test_one_step_size_for_learners_with_others_of_their_own(tmp_path):
    done = sweep(tmp_path, *SHORT, "learner=td,tc", "alpha=0.1")
    assert done.returncode == 0
    (line,) = (line for line in done.stderr.splitlines() if FORCED in line)
    assert line.startswith("tdl: warning: alpha=0.1 is")
    assert "whose own are td 0.1, tc 1;" in line
    assert sorted(path.parent.name[:2] for path in tmp_path.glob("*/.hydra")) == ["tc", "td"]


@pytest.mark.parametrize(
    ("words", "params", "warned"),
    [
        (("learner=td,tc", "learner.alpha=0.1"), {}, True),
        (("alpha=0.5",), {"learner": "td,tc"}, True),
        (("learner=td,tc", "alpha=0.1,1"), {}, False),
        (("learner=td,tc", "alpha=null"), {}, False),
        (("learner=td,tc",), {}, False),
        (("learner=td,state", "alpha=0.5"), {}, False),  # of the same step size
        (("learner=tc", "alpha=0.1,0.2"), {}, False),
    ],
)
def test_where_it_is_said(words, params, warned):
    assert (FORCED in forced_step_size(of(*words, **params))) == warned


@pytest.mark.extra
def test_workers_of_joblib(tmp_path):
    """One job fails alone; the same command does nothing that was done."""
    pytest.importorskip("hydra_plugins.hydra_joblib_launcher", reason="the extra joblib is not installed")
    words = ("-m", "hydra/launcher=joblib", *SMALL, "episodes=30", "seed=0,1", f"hydra.sweep.dir={tmp_path}/sweep")
    for _ in range(2):
        done = program(tmp_path, *words, "alpha=0.1,5")
        assert done.returncode == 1
        assert "2 of 4 jobs are not finished" in done.stderr
        assert "Warning" not in done.stderr
    statuses = {(row["alpha"], row["seed"]): row["status"] for row in rows_of(tmp_path / "sweep")}
    status = {"0.1": "finished", "5.0": "failed"}
    assert statuses == {(alpha, seed): status[alpha] for alpha in status for seed in "01"}
    assert outcome(folder_of(tmp_path / "sweep", seed=1, alpha=0.1)) == outcome(
        train(tmp_path / "whole", "episodes=30", "seed=1", "alpha=0.1")
    )
    assert done.stdout.splitlines()[0].startswith("4 jobs, 2 of them already done, 60 games; ")
    done = program(tmp_path, *words, "alpha=0.1")
    assert done.returncode == 0, done.stderr  # jobs of earlier commands that failed are not this one's
    assert len(rows_of(tmp_path / "sweep")) == 4
