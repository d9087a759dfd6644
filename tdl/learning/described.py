"""What a checkpoint says of an n-tuple network and of its learner, checked."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tdl.base.checks import built, check_mapping, check_number, check_object
from tdl.errors import refuse, within
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.network.layout import entries_of
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet

WEIGHTS = "weights"
"""The array of a checkpoint with the weights of its network."""


def described(meta: Mapping[str, Any]) -> tuple[Rules, TupleSet, Stages, LearnerOptions, int]:
    """The rules, tuples, stages and learner of a network, and how many weights these have.

    Raises
    ------
    ConfigError : an entry is missing, of another type, or out of range.
    """
    rules, stages, network = Rules.from_dict(meta["rules"]), Stages(), meta["network"]
    check_object("network", network, {"tuples": check_mapping, "stages": check_mapping}, optional=("stages",))
    extras = ("radix", "orders", "counts", "count_cap")
    tuples = built(TupleSet, "network.tuples", network["tuples"], optional=extras)
    if "stages" in network:
        stages = built(Stages, "network.stages", network["stages"], optional=("downgrade", "share"))
    tuples.check_board(rules.rows, rules.cols)
    radix = rules.radix if tuples.radix is None else tuples.radix
    if radix > rules.largest + 1:
        raise refuse("network.tuples.radix", radix, f"at most {rules.largest + 1}")
    entries = entries_of(tuples, rules.rows, rules.cols, radix, stages.count)
    return rules, tuples, stages, _learner_of(meta), entries


def _learner_of(meta: Mapping[str, Any]) -> LearnerOptions:
    """The options of the learner of an n-tuple network; those that the checkpoint does not have are as always."""
    check_object("", meta, {"learner": check_mapping})
    learner = meta["learner"]
    check_object("learner", learner, {"gamma": check_number})
    names = [option.name for option in fields(LearnerOptions)]
    with within("learner", names):
        return LearnerOptions(**{name: learner[name] for name in names if name in learner})
