"""A trainer as a checkpoint: what is said of it, and the network and the options that it is made of again."""

import os
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from tdl.base.checks import (
    MAX_COUNT,
    Check,
    built,
    check_mapping,
    check_number,
    check_object,
    check_whole,
    or_null,
    without_numpy,
)
from tdl.errors import CheckpointError, naming, refuse
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import Schedule
from tdl.learning.stored_network import read_network
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.storage.checkpoint import META, Meta, read_meta
from tdl.storage.saved_folder import SAVED
from tdl.training.options import PlayOptions

TRAINER = "trainer"
"""Entry of such a checkpoint: the options beside those of the learner, and `spent`."""

_ENTRIES: dict[str, Check] = {
    "moves": partial(check_whole, least=0, below=MAX_COUNT + 1),
    "rules": check_mapping,
    "network": check_mapping,
    TRAINER: partial(
        check_object,
        entries={
            "schedule": check_mapping,
            "play": partial(check_object, entries={"search": check_mapping, "placer": check_mapping}),
            "replicas": check_mapping,
            "spent": or_null(check_number),
        },
    ),
}


def description(
    network: NTupleNetwork,
    learner: LearnerOptions,
    schedule: Schedule,
    play: PlayOptions,
    replicas: ReplicaOptions,
    spent: float | None,
) -> Meta:
    """What a checkpoint says of a trainer with these attributes, beside how far it is.

    Raises
    ------
    ConfigError : its schedule is a function, or its adversary has a network.
    """
    if play.evaluator is not None:
        raise refuse("evaluator", play.evaluator, "None where a trainer is saved; save its player apart")
    options = {"schedule": schedule.to_dict(), "play": asdict(play), "replicas": asdict(replicas), "spent": spent}
    return {
        SAVED: TRAINER,
        "rules": network.rules.to_dict(),
        "network": network.describe(),
        "learner": asdict(learner),
        TRAINER: without_numpy(options),
    }


def read_trainer(folder: str | os.PathLike[str]) -> tuple[Path, Meta, NTupleNetwork, dict[str, Any]]:
    """The path and the description of a trainer that was saved, its network, and the keywords that make it again."""
    if not isinstance(folder, str | os.PathLike):
        raise refuse("folder", folder, "the name of a folder")
    path = Path(folder)
    meta = read_meta(path)
    if TRAINER not in meta:
        raise CheckpointError(f"{path}: no trainer was saved here; tdl.load plays it, a run goes on with resume=")
    with naming(path / META):
        check_object("", meta, _ENTRIES)
        options = _options(meta[TRAINER])
    network, learner = read_network(path, meta, copy=True)
    return path, meta, network, {"learner": learner, "episode": meta["episode"], **options}


def _options(saved: dict[str, Any]) -> dict[str, Any]:
    play = saved["play"] | {"evaluator": None}
    for name, kind in (("search", SearchOptions), ("placer", PlacerOptions)):
        play[name] = built(kind, f"{TRAINER}.play.{name}", play[name])
    return {
        "schedule": built(Schedule, f"{TRAINER}.schedule", saved["schedule"]),
        "play": built(PlayOptions, f"{TRAINER}.play", play),
        "replicas": built(ReplicaOptions, f"{TRAINER}.replicas", saved["replicas"]),
    }
