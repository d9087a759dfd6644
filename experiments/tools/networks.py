"""What trained the networks that evaluations judge: the run that wrote a checkpoint, its seed, episodes and moves."""

from pathlib import Path

import pandas as pd

import tdl.results

TRAINED = ["episodes", "moves", "core_seconds"]
"""Columns of what trained a network; `core_seconds` are seconds of its run times its threads."""

SETTINGS = ["learner.stages", "learner.stage_downgrade"]
"""Keys of the run that trained a network, which its evaluations do not have."""


def run_of(checkpoint: str) -> Path:
    """The folder of the run that wrote a checkpoint."""
    return next(folder for folder in Path(checkpoint, "x").parents if (folder / "result.json").exists())


def network_seed(checkpoint: str) -> int:
    """The seed of the run that wrote a checkpoint."""
    return int(tdl.results.runs(run_of(checkpoint))["seed"].iloc[0])


def with_training(judged: pd.DataFrame) -> pd.DataFrame:
    """Rows of `tdl.results.runs`, of runs or evaluations, with what trained the network.

    That is `TRAINED`, seed, start and `SETTINGS` of its run; what trained the network of `init=` counts.
    """
    checkpoints = judged.get("checkpoint", judged["run"]).fillna(judged["run"])
    judged = judged.drop(columns=["moves", "seed", *SETTINGS], errors="ignore").rename(columns={"episodes": "own"})
    judged["trained"] = [str(run_of(checkpoint)) for checkpoint in checkpoints]
    spent = pd.concat([_spent(run) for run in sorted({*judged["trained"]})])
    return judged.merge(spent.round({"core_seconds": 3}), "left", on=["trained", "own"])


def _spent(run: str) -> pd.DataFrame:
    """What trained the network of a run until the end of each block, `own` episodes of that run.

    With what trained the network that it began with; one that was kept is named by the last episode of its own run.
    """
    blocks = tdl.results.load(run)
    blocks["core_seconds"] = blocks["seconds"] * blocks["threads"]
    spent = blocks[["moves", "core_seconds"]].cumsum().assign(episodes=blocks["episode"], seed=blocks["seed"])
    source = blocks["init"].iloc[0]
    if not pd.isna(source):
        before = _spent(str(run_of(source)))
        kept = Path(source).parent.name == "kept"
        episode = int(Path(source).name) if kept else before["own"].max()
        spent[TRAINED] += before.loc[before["own"] == episode, TRAINED].iloc[0]
        spent = spent.astype({"episodes": int, "moves": int})
    settings = blocks.reindex(columns=SETTINGS)
    return spent.assign(trained=run, own=blocks["episode"], start=blocks["learner.start"], **settings)
