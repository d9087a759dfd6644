"""The commands of a report, by what Hydra noted."""

import yaml

from tdl.results.origin import commands, starts_of

RACE = ["hydra.sweep.dir=out", "hydra.callbacks.sweep.race.on=true", "hydra.callbacks.sweep.trials.number=2"]


def note(path, *task):
    path.parent.mkdir(parents=True, exist_ok=True)
    hydra = {"overrides": {"task": [*task], "hydra": RACE}, "job": {"config_name": "run"}, "runtime": {"cwd": "/"}}
    path.write_text(yaml.safe_dump({"hydra": hydra}))


def test_a_race_of_drawn_settings_is_one_command_and_a_job_alone_does_not_race(tmp_path):
    jobs = [tmp_path / name for name in "ab"]
    for alpha, job in zip((0.2, 0.3), jobs, strict=True):
        note(job / ".hydra" / "hydra.yaml", f"alpha={alpha}", "seed=1")
    assert commands([tmp_path], starts_of(jobs[:1])) == ["tdl run alpha=0.2 seed=1"]
    note(tmp_path / "multirun.yaml", "alpha=interval(0.1,1)", "seed=1,2")
    line = "tdl run -m 'alpha=interval(0.1,1)' seed=1,2 race.on=true trials.number=2"
    assert commands([tmp_path], starts_of(jobs)) == [line]
