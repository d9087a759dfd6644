"""The configuration of an agent: which keys its kind has use for, and the choices of a deep Q-learner."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from omegaconf import OmegaConf

from tdl.agents.lookahead import check_depth
from tdl.checks import check_choice
from tdl.config.files import file, group_file
from tdl.config.schema import RunConfig
from tdl.dqn.options import DQNOptions
from tdl.errors import ConfigError, refuse

KINDS = ("ntuple", "dqn", "random", "greedy")

DEVICES = ("cpu", "cuda")

DROPS = ("all", "one")

OF_NTUPLE = ("tuples", "learner", "placer", "search", "alpha", "alpha_per", "lanes")
"""Keys that only an n-tuple network has use for."""

OF_SEARCH = ("search",)
"""Keys that a look ahead over one drop has no use for."""

FIELDS = tuple(each.name for each in dataclasses.fields(DQNOptions) if each.name != "gamma")


def check(config: RunConfig) -> None:
    """Refuse what the agent has no use for, and wrong choices of a deep Q-learner.

    Raises
    ------
    ConfigError : names the key, what was given and what is allowed.
    """
    agent = config.agent
    check_choice("agent.kind", agent.kind, KINDS)
    check_drops(config.evaluate.drops, config.evaluate.plies)
    if agent.kind == "dqn":
        check_choice("agent.device", agent.device, DEVICES)
        choices(config).check("agent.")
    else:
        for key in (*FIELDS, "device"):
            if getattr(agent, key) is not None:
                raise refuse(f"agent.{key}", getattr(agent, key), "null unless agent.kind=dqn")
    if agent.kind != "ntuple":
        check_unused(dataclasses.asdict(config), _usual(), OF_NTUPLE, f"agent.kind={agent.kind}")
        check_depth(config.evaluate.plies, agent.kind)
        if config.evaluate.solution is not None:
            raise refuse("evaluate.solution", config.evaluate.solution, "null unless agent.kind=ntuple")
        if config.evaluate.average != 1:
            raise refuse("evaluate.average", config.evaluate.average, "1 unless agent.kind=ntuple")
    elif config.evaluate.drops != "all":
        check_unused(dataclasses.asdict(config), _usual(), OF_SEARCH, "evaluate.drops=one")
        for key, value in (("placer.kind", config.placer.kind), ("evaluate.solution", config.evaluate.solution)):
            if value not in (None, "random"):
                raise refuse(key, value, f"{'random' if key == 'placer.kind' else 'null'} with evaluate.drops=one")


def check_drops(drops: str, plies: int) -> None:
    """Refuse a wrong word for the drops that a look ahead weighs, and one drop where none or several follow."""
    check_choice("evaluate.drops", drops, DROPS)
    if drops != "all" and plies != 2:
        raise refuse("evaluate.drops", drops, "all unless evaluate.plies=2")


def check_unused(given: Mapping[str, Any], usual: Mapping[str, Any], keys: tuple[str, ...], by: str) -> None:
    """Refuse a value other than the usual one where nothing would read it.

    Raises
    ------
    ConfigError : names the key.
    """
    for key in keys:
        for name, value, other in _leaves(key, given[key], usual[key]):
            if value != other:
                words = "" if isinstance(value, list) else f" {value!r}"
                raise ConfigError(f"{name}:{words} would change nothing with {by}; leave {key} as it is")


def _usual() -> dict[str, Any]:
    """The values of `conf/run.yaml`, and of the groups of an n-tuple network, without a word on the command line."""
    plain = file("run")
    chosen = {key: name for each in plain.pop("defaults") if isinstance(each, Mapping) for key, name in each.items()}
    groups = {key: group_file(str(key), name) for key, name in chosen.items() if key in OF_NTUPLE}
    plain.pop("hydra")
    schema = OmegaConf.structured(RunConfig)
    merged = OmegaConf.to_container(OmegaConf.merge(schema, groups, plain))
    assert isinstance(merged, dict)
    return {str(key): value for key, value in merged.items()}


def _leaves(name: str, given: Any, usual: Any) -> list[tuple[str, Any, Any]]:
    if not isinstance(given, Mapping):
        return [(name, given, usual)]
    return [leaf for key in given for leaf in _leaves(f"{name}.{key}", given[key], usual[key])]


def choices(config: RunConfig) -> DQNOptions:
    """The choices of the deep Q-learner.

    Raises
    ------
    ConfigError : one of them is not given.
    """
    given = {key: getattr(config.agent, key) for key in FIELDS}
    for key, value in given.items():
        if value is None:
            raise refuse(f"agent.{key}", None, "a value with agent.kind=dqn; agent=dqn gives all of them")
    return DQNOptions(**given, gamma=config.gamma)


def dqn_choices(name: str) -> DQNOptions:
    """The choices of a deep Q-learner of `conf/agent`, for use in Python: `dqn_choices("dqn_modern")`.

    Raises
    ------
    ConfigError : there is none of this name.
    """
    agent = group_file("agent", name)["agent"]
    if agent["kind"] != "dqn":
        raise refuse("agent", name, "dqn or dqn_modern")
    return DQNOptions(**{key: agent[key] for key in FIELDS})
