"""Optuna tunes: through Hydra's plugin, and by itself with runs that are pruned at the borders of their blocks."""

import re
from pathlib import Path

import pytest
import yaml
from support.programs import SMALL, inside
from support.sweeps import rows_of

import tdl.results
from tdl.sweeps.job import Outcome

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "optuna.md"


def test_the_value_of_a_job_is_its_outcome_as_a_number():
    assert float(Outcome(value=12.5)) == 12.5
    for outcome in (Outcome(1, "learning diverged", value=3.0), Outcome()):
        with pytest.raises(ValueError, match=outcome.line or "no value"):
            float(outcome)


@pytest.mark.extra
@pytest.mark.filterwarnings("ignore")  # Optuna 2.10 and what it needs warn of what they import
def test_a_sweep_tunes(tmp_path):
    """Ten trials are more than eight jobs: their weights do not stay."""
    pytest.importorskip("hydra_plugins.hydra_optuna_sweeper", reason="the extra optuna is not installed")
    words = (*SMALL, "episodes=300", "block=100", "alpha=tag(log,interval(0.001,1))", f"hydra.sweep.dir={tmp_path}")
    tuning = [f"hydra.sweeper.{word}" for word in ("n_trials=10", "n_jobs=2", "sampler.seed=1")]
    done = inside("-m", "hydra/sweeper=tune", *words, *tuning)
    assert done.returncode == 0, done.stderr
    best = yaml.safe_load((tmp_path / "optimization_results.yaml").read_text())
    means = {float(row["alpha"]): float(row["eval_mean"]) for row in rows_of(tmp_path)}
    assert len(means) == 10
    assert best["best_value"] == max(means.values())
    assert means[best["best_params"]["alpha"]] == best["best_value"]
    assert not list(tmp_path.glob("*/checkpoint"))


@pytest.mark.extra
@pytest.mark.filterwarnings("ignore")  # Optuna 2.10 and what it needs warn of what they import
def test_the_example_of_the_page_finds_a_good_step_size(tmp_path, monkeypatch):
    """It prunes some trials, and what it finds is in the range in which 2x4 learns well."""
    optuna = pytest.importorskip("optuna", reason="the extra optuna is not installed")
    monkeypatch.chdir(tmp_path)
    (code,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S) if "optuna" in block]
    names = {}
    exec(code, names)
    study = names["study"]
    states = [trial.state for trial in study.trials]
    assert states.count(optuna.trial.TrialState.PRUNED) >= 3
    assert 0.15 < study.best_params["alpha"] < 0.65
    runs = tdl.results.runs()
    assert len(runs) == 20
    assert (runs["status"] == "interrupted").sum() == states.count(optuna.trial.TrialState.PRUNED)
    assert (runs.loc[runs["status"] == "interrupted", "error"] == "TrialPruned").all()
    assert runs["eval_mean"].max() == study.best_value
