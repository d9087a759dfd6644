"""The configuration of an agent: which keys its type has use for, and the options of a deep Q-learner."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from omegaconf import OmegaConf

from tdl.config.compose import types_of
from tdl.config.files import file, group_file, plain_dict
from tdl.config.options import options_of
from tdl.config.schema import AgentConfig, RunConfig
from tdl.config.unused import refuse_changed
from tdl.dqn.options import DEVICES, DQNOptions
from tdl.errors import refuse
from tdl.players.kinds import KINDS

OF_NTUPLE = (
    *("tuples", "learner", "placer", "search", "alpha", "alpha_per", "lanes", "replicas", "round"),
    *("init", "init_accumulators"),
)
"""Keys that only an n-tuple network has use for."""

FIELDS = tuple(each.name for each in dataclasses.fields(DQNOptions) if each.name != "gamma")


def check_use(plain: Mapping[str, Any]) -> None:
    """Refuse keys for which the agent of a run has no use."""
    kind, games = KINDS[plain["agent"]["kind"]], plain["evaluate"]
    if not kind.tables:
        refuse_changed(plain, _usual(), OF_NTUPLE, f"agent.kind={kind.name}")
        if games["solution"] is not None:
            raise refuse("evaluate.solution", games["solution"], "null unless agent.kind=ntuple")
        if games["average"] != 1:
            raise refuse("evaluate.average", games["average"], "1 unless agent.kind=ntuple")
    elif games["drops"] == "one":
        refuse_changed(plain, _usual(), ("search",), "evaluate.drops=one")
    if plain["device"] != DEVICES[0] and not kind.deep:
        raise refuse("device", plain["device"], f"{DEVICES[0]} unless agent.kind=dqn")
    check_drops(games["drops"], games["plies"])
    if games["drops"] != "all":
        if plain["placer"]["kind"] != "random":
            raise refuse("placer.kind", plain["placer"]["kind"], "random with evaluate.drops=one")
        if games["solution"] is not None:
            raise refuse("evaluate.solution", games["solution"], "null with evaluate.drops=one")


def check_drops(drops: str, plies: int) -> None:
    """Refuse one drop for a look ahead in which none or several follow."""
    if drops != "all" and plies != 2:
        raise refuse("evaluate.drops", drops, "all unless evaluate.plies=2")


def _usual() -> dict[str, Any]:
    """The values of `conf/run.yaml`, and of the groups of an n-tuple network, without a word on the command line."""
    plain = file("run")
    chosen = {key: name for each in plain.pop("defaults") if isinstance(each, Mapping) for key, name in each.items()}
    groups = {key: group_file(str(key), name) for key, name in chosen.items() if key in OF_NTUPLE}
    plain.pop("hydra")
    return plain_dict(OmegaConf.merge(types_of(RunConfig), groups, plain))


def deep_options(section: AgentConfig, gamma: float) -> DQNOptions | None:
    """The options of the deep Q-learner; None where another agent plays, which has none."""
    deep = KINDS[section.kind].deep
    for key in FIELDS:
        if (value := getattr(section, key)) is None and deep:
            raise refuse(f"agent.{key}", None, "a value with agent.kind=dqn; agent=dqn gives all of them")
        if value is not None and not deep:
            raise refuse(f"agent.{key}", value, "null unless agent.kind=dqn")
    return options_of(DQNOptions, "agent", section, gamma=gamma) if deep else None


def dqn_choices(name: str) -> DQNOptions:
    """The options of a deep Q-learner of `conf/agent`, for use in Python: `dqn_choices("dqn_modern")`."""
    agent = group_file("agent", name)["agent"]
    if not KINDS[agent["kind"]].deep:
        raise refuse("agent", name, "dqn or dqn_modern")
    return DQNOptions(**{key: agent[key] for key in FIELDS})
