"""Launchers that are plugins of Hydra: joblib, and what is said where a plugin is missing."""

import pytest
from hydra.errors import InstantiationException
from support.programs import (
    SMALL,
    outcome,
    program,
    train,
)
from support.sweeps import folder_of, rows_of

from tdl.cli.messages import explain


@pytest.mark.parametrize(
    ("plugin", "choice", "extra"), [("joblib", "joblib", "joblib"), ("submitit", "submitit_slurm", "slurm")]
)
def test_a_launcher_without_its_plugin_names_the_extra(plugin, choice, extra):
    error = InstantiationException(
        f"Error locating target 'hydra_plugins.hydra_{plugin}_launcher.x.Y'; full_key: hydra.launcher"
    )
    code, line = explain(error, False)
    assert code == 1
    assert line.startswith(f"hydra/launcher={choice}: ")
    assert line.endswith(f"pip install 'tdl-ntuple[{extra}]'")


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
    assert done.stdout.splitlines()[0].startswith("4 jobs, 2 of them already done; ")
    done = program(tmp_path, *words, "alpha=0.1")
    assert done.returncode == 0, done.stderr  # jobs of earlier commands that failed are not this one's
    assert len(rows_of(tmp_path / "sweep")) == 4
