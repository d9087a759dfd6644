"""A trainer that was saved: the network and the options that it is made of again, checked."""

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
)
from tdl.errors import CheckpointError, naming
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.schedule import Schedule
from tdl.learning.stored_network import read_network
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.storage.checkpoint import META, Meta, read_meta
from tdl.training.options import PlayOptions

TRAINER = "trainer"
"""Entry of such a checkpoint: the options beside those of the learner, and `spent`."""

_ENTRIES: dict[str, Check] = {
    "moves": partial(check_whole, least=0, below=MAX_COUNT + 1),
    "rules": check_mapping,
    "network": check_mapping,
    TRAINER: partial(check_object, entries=dict.fromkeys(("schedule", "play", "replicas"), check_mapping)
                     | {"spent": or_null(check_number)}),
}  # fmt: skip


def read_trainer(folder: Path) -> tuple[Meta, dict[str, Any]]:
    """The description of the trainer that was saved in a folder, and the keywords that make it again."""
    meta = read_meta(folder)
    if TRAINER not in meta:
        raise CheckpointError(f"{folder}: no trainer was saved here; tdl.load plays it, a run goes on with resume=")
    with naming(folder / META):
        check_object("", meta, _ENTRIES)
        options = _options(meta[TRAINER])
    network, learner = read_network(folder, meta, copy=True)
    return meta, {"network": network, "learner": learner, "episode": meta["episode"], **options}


def _options(saved: dict[str, Any]) -> dict[str, Any]:
    play = saved["play"] | {"evaluator": None}
    for name, kind in (("search", SearchOptions), ("placer", PlacerOptions)):
        play[name] = built(kind, f"{TRAINER}.play.{name}", play.get(name))
    values = saved | {"play": play}
    kinds = {"schedule": Schedule, "play": PlayOptions, "replicas": ReplicaOptions}
    return {name: built(kind, f"{TRAINER}.{name}", values[name]) for name, kind in kinds.items()}
