"""What a checkpoint's `meta.json` says of an agent, with every entry checked before anything is made of it."""

from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import (
    Check,
    built,
    check_choice,
    check_mapping,
    check_number,
    check_object,
    check_text,
    check_whole,
)
from tdl.errors import CheckpointError, naming, refuse, within
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.learning.state import ACCUMULATORS
from tdl.network.layout import entries_of
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.storage.checkpoint import META, Meta, check_room, read_array, read_meta

WEIGHTS = "weights"

NTUPLE = "ntuple"

KINDS = (NTUPLE, "dqn", "random", "greedy")
"""The kinds of agents."""


def read_agent(folder: Path) -> Meta:
    """The description of the agent of the checkpoint in `folder`, verified and checked.

    What only a run reads, its `config`, is checked by the configuration; the options of a deep Q-learner by
    `tdl.dqn.dqn_player`.

    Raises
    ------
    CheckpointError : missing, cut, corrupt, of another version, or with an entry that is missing, of another type, or
        out of range; it names the file and the entry.
    """
    meta = read_meta(folder)
    with naming(folder / META):
        check_object("", meta, _ENTRIES, optional=(*OF_RUN, "imported"))
        Rules.from_dict(meta["rules"])
        if kind_of(meta) == NTUPLE:
            _network_of(meta)
            check_object("", meta, {"learner": _check_learner})
    return meta


def kind_of(meta: Meta) -> str:
    """The kind of the agent of a checkpoint, as in `agent.kind`."""
    return str(meta["network"].get("kind", NTUPLE))


def describe(meta: Meta, folder: Path) -> tuple[Rules, TupleSet, Stages]:
    """The rules, tuples and stages of a checkpoint, whose weights are as many as these have.

    Raises
    ------
    CheckpointError : it is of another agent, or its weights are of another network.
    """
    if (kind := kind_of(meta)) != NTUPLE:
        reader = "; tdl.dqn.dqn_player.load reads it" if kind == "dqn" else ""
        raise CheckpointError(f"{folder}: not of an n-tuple network but of an agent of kind {kind}{reader}")
    with naming(folder / META):
        rules, tuples, stages, radix = _network_of(meta)
        entries = entries_of(tuples, rules.rows, rules.cols, radix, stages.count)
    check_room(folder, meta, WEIGHTS, (entries,), np.float32)
    return rules, tuples, stages


def read_accumulators(folder: Path, meta: Meta, entries: int) -> NDArray[np.float32] | None:
    """E and A of a checkpoint whose network has so many entries: shape (entries, 2), read-only; None: it has none.

    Raises
    ------
    CheckpointError : cut, corrupt, or of another network.
    """
    if ACCUMULATORS not in meta["arrays"]:
        return None
    check_room(folder, meta, ACCUMULATORS, (entries, 2), np.dtype(np.float32))
    return read_array(folder, meta, ACCUMULATORS)


def _network_of(meta: Meta) -> tuple[Rules, TupleSet, Stages, int]:
    """The rules, tuples, stages and radix of an n-tuple network."""
    rules, network = Rules.from_dict(meta["rules"]), meta["network"]
    tuples = built(TupleSet, "network.tuples", network["tuples"], optional=("radix", "orders", "counts", "count_cap"))
    stages = Stages()
    if "stages" in network:
        stages = built(Stages, "network.stages", network["stages"], optional=("downgrade", "share"))
    tuples.check_board(rules.rows, rules.cols)
    radix = rules.radix if tuples.radix is None else tuples.radix
    if radix > rules.largest + 1:
        raise refuse("network.tuples.radix", radix, f"at most {rules.largest + 1}")
    return rules, tuples, stages, radix


def _check_network(key: str, network: Any) -> None:
    check_object(key, network, {"kind": partial(check_choice, choices=KINDS)}, optional=("kind",))
    if network.get("kind", NTUPLE) == NTUPLE:
        check_object(key, network, {"tuples": check_mapping, "stages": check_mapping}, optional=("stages",))


def _check_learner(key: str, learner: Any) -> None:
    """Refuse the options of a learner of an n-tuple network; those that the checkpoint does not have are as always."""
    check_object(key, learner, {"gamma": check_number})
    names = [each.name for each in fields(LearnerOptions)]
    with within(key, names):
        LearnerOptions(**{name: learner[name] for name in names if name in learner})


def _check_imported(key: str, origin: Any) -> None:
    check_object(key, origin, dict.fromkeys(("program", "file", "sha256"), check_text))


_ENTRIES: dict[str, Check] = {
    "rules": check_mapping,
    "network": _check_network,
    "learner": check_mapping,
    "moves": partial(check_whole, least=0),
    "seconds": partial(check_number, least=0),
    "names": partial(check_mapping, check=check_text),
    "config": check_mapping,
    "imported": _check_imported,
}

OF_RUN = ("learner", "moves", "seconds", "names", "config")
"""Entries that the checkpoint of a run has; of an imported one some are missing."""


def check_resumable(folder: Path, meta: Meta) -> None:
    """Refuse a checkpoint that has not all that a run goes on with."""
    with naming(folder / META):
        check_object("", meta, {name: _ENTRIES[name] for name in OF_RUN})
