"""The n-tuple network of a checkpoint and the options of its learner, checked and read."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from tdl.base.checks import built, check_mapping, check_number, check_object
from tdl.base.machine import allocate
from tdl.errors import CheckpointError, naming, refuse, shown, within
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.network.layout import entries_of
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.storage.checkpoint import META, Meta, check_room, read_array

WEIGHTS = "weights"
"""The array of a checkpoint with the weights of its network."""


def read_network(folder: Path, meta: Meta, *, copy: bool = False) -> tuple[NTupleNetwork, LearnerOptions]:
    """The network of the checkpoint in `folder`, which `meta` describes, and the options of its learner.

    Parameters
    ----------
    copy : False: the weights are mapped, read-only. True: they are read into memory of their own. Those of 16 bits
        always are, and are read-only.

    Raises
    ------
    CheckpointError : an entry is missing, of another type, or out of range; or the weights are missing, damaged, or of
        another network.
    ConfigError : the copy does not fit into the memory that is free.
    """
    with naming(folder / META):
        rules, tuples, stages = _network_of(meta)
        learner = _learner_of(meta)
        entries = entries_of(tuples, rules.rows, rules.cols, tuples.radix or rules.radix, stages.count)
    kind = np.float16 if is_compact(meta) else np.float32
    check_room(folder, meta, WEIGHTS, (entries,), kind)
    room = allocate("checkpoint", entries, f"the weights of {folder}") if copy and kind is np.float32 else None
    weights = read_array(folder, meta, WEIGHTS, into=room)
    with naming(folder / meta["arrays"][WEIGHTS]["file"]):
        network = NTupleNetwork(rules, tuples, stages=stages, weights=weights)
    if network.describe() != meta["network"]:
        layout = shown(meta["network"])
        raise CheckpointError(f"{folder / META}: network: its layout {layout} is not the one of this version")
    return network, learner


def is_compact(meta: Meta) -> bool:
    """Whether the weights of a checkpoint have half precision: they play, and cannot learn."""
    entry = meta["arrays"].get(WEIGHTS)
    return entry is not None and bool(entry["dtype"] == np.dtype(np.float16).str)


def _network_of(meta: Mapping[str, Any]) -> tuple[Rules, TupleSet, Stages]:
    rules, stages, network = Rules.from_dict(meta["rules"]), Stages(), meta["network"]
    check_object("network", network, {"tuples": check_mapping, "stages": check_mapping}, optional=("stages",))
    extras = ("radix", "orders", "counts", "count_cap")
    tuples = built(TupleSet, "network.tuples", network["tuples"], optional=extras)
    if "stages" in network:
        stages = built(Stages, "network.stages", network["stages"], optional=("downgrade", "share"))
    tuples.check_board(rules.rows, rules.cols)
    if tuples.radix is not None and tuples.radix > rules.largest + 1:
        raise refuse("network.tuples.radix", tuples.radix, f"at most {rules.largest + 1}")
    return rules, tuples, stages


def _learner_of(meta: Mapping[str, Any]) -> LearnerOptions:
    """The options of the learner; those that the checkpoint does not have are as always."""
    check_object("", meta, {"learner": check_mapping})
    learner = meta["learner"]
    check_object("learner", learner, {"gamma": check_number})
    names = [option.name for option in fields(LearnerOptions)]
    with within("learner", names):
        return LearnerOptions(**{name: learner[name] for name in names if name in learner})
