"""The configuration of an agent: which keys its type has use for, and the options of a deep Q-learner."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from omegaconf import OmegaConf

from tdl.config.compose import types_of
from tdl.config.files import file, group_file, plain_dict
from tdl.config.schema import RunConfig
from tdl.config.sections import options_of
from tdl.config.unused import refuse_changed
from tdl.dqn.options import DEVICES, DQNOptions
from tdl.errors import refuse

OF_NTUPLE = (
    *("tuples", "learner", "placer", "search", "alpha", "alpha_per", "lanes", "replicas", "round"),
    *("init", "init_accumulators"),
)
"""Keys that only an n-tuple network has use for."""

FIELDS = tuple(each.name for each in dataclasses.fields(DQNOptions) if each.name != "gamma")


def check(config: RunConfig) -> None:
    """Refuse what the agent has no use for, and a deep Q-learner that is not described."""
    agent, games = config.agent, config.evaluate
    if agent.kind != "ntuple":
        refuse_changed(dataclasses.asdict(config), _usual(), OF_NTUPLE, f"agent.kind={agent.kind}")
    elif games.drops == "one":
        refuse_changed(dataclasses.asdict(config), _usual(), ("search",), "evaluate.drops=one")
    if config.device != DEVICES[0] and agent.kind != "dqn":
        raise refuse("device", config.device, f"{DEVICES[0]} unless agent.kind=dqn")
    for key in FIELDS:
        if (value := getattr(agent, key)) is None and agent.kind == "dqn":
            raise refuse(f"agent.{key}", None, "a value with agent.kind=dqn; agent=dqn gives all of them")
        if value is not None and agent.kind != "dqn":
            raise refuse(f"agent.{key}", value, "null unless agent.kind=dqn")
    if agent.kind != "ntuple":
        if games.solution is not None:
            raise refuse("evaluate.solution", games.solution, "null unless agent.kind=ntuple")
        if games.average != 1:
            raise refuse("evaluate.average", games.average, "1 unless agent.kind=ntuple")
    check_drops(games.drops, games.plies)
    if games.drops != "all":
        if config.placer.kind != "random":
            raise refuse("placer.kind", config.placer.kind, "random with evaluate.drops=one")
        if games.solution is not None:
            raise refuse("evaluate.solution", games.solution, "null with evaluate.drops=one")


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


def choices(config: RunConfig) -> DQNOptions:
    """The options of the deep Q-learner."""
    return options_of(DQNOptions, config.agent, gamma=config.gamma)


def dqn_choices(name: str) -> DQNOptions:
    """The options of a deep Q-learner of `conf/agent`, for use in Python: `dqn_choices("dqn_modern")`."""
    agent = group_file("agent", name)["agent"]
    if agent["kind"] != "dqn":
        raise refuse("agent", name, "dqn or dqn_modern")
    return DQNOptions(**{key: agent[key] for key in FIELDS})
