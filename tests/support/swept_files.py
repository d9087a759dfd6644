"""The files of a sweep as its jobs would leave them, made up: nothing is played, so a thousand take a second."""

import json

import yaml

HEAD = "episode,mean,median,max,moves,seconds,moves_per_second,mean_abs_error\n"


def made_up(folder, *task, race=False, trials=None, params=None, launcher="cores", **jobs):
    """The folder of a sweep of these words; each job of `jobs` is a name with what `job` takes."""
    folder.mkdir(parents=True, exist_ok=True)
    hydra = {
        "overrides": {"task": [*task]},
        "sweeper": {"params": params},
        "callbacks": {"sweep": {"race": {"on": race}, "trials": trials}},
        "runtime": {"choices": {"learner": "td", "hydra/launcher": launcher}},
    }
    (folder / "multirun.yaml").write_text(yaml.safe_dump({"hydra": hydra, "seed": 0, "alpha": 0.1}))
    for name, about in jobs.items():
        job(folder / name, **about)
    return folder


def job(folder, alpha, seed=0, mean=None, status="finished", error=None, blocks=(), episodes=100, **config):
    """A job: its result, with a mean of games after training if it has one, and blocks with these means."""
    (folder / ".hydra").mkdir(parents=True)
    result = {
        "status": status, "names": {"learner": "td"}, "seed": seed, "alpha": alpha, "seconds": 10.0,
        "config": {"seed": seed, "alpha": alpha, "episodes": episodes, "evaluate": {"episodes": 5}, **config},
    }  # fmt: skip
    if error is not None:
        result["error"] = error
    if mean is not None:
        about = {"episodes": 5, "mean": mean, "mean_ci95": [mean - 1, mean + 1], "reach": {}, "seconds": 1.0}
        result["evaluation"] = about
    (folder / "result.json").write_text(json.dumps(result))
    rows = [f"{10 * i},{mean},1,1,50,2.0,25,0\n" for i, mean in enumerate(blocks, 1)]
    if rows:
        (folder / "blocks.csv").write_text(HEAD + "".join(rows))
    return folder
