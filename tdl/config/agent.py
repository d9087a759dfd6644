"""Which keys an agent has use for, the options of a deep Q-learner, and the names of the chosen groups."""

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any

from omegaconf import DictConfig, OmegaConf

from tdl.config.compose import options_of
from tdl.config.files import file, group_file, groups, plain_dict
from tdl.config.schema import RUN
from tdl.cuda.device import CPU
from tdl.dqn.options import DQNOptions
from tdl.errors import ConfigError, refuse, within
from tdl.players.cuda_games import check_games
from tdl.players.kinds import KINDS
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.training.options import NO_DEVICE

OF_NTUPLE = (
    *("tuples", "learner", "placer", "search", "alpha", "alpha_per", "lanes", "replicas", "round"),
    *("init", "init_accumulators"),
)
"""Keys that only an n-tuple network has use for."""

OF_DQN = tuple(field.name for field in dataclasses.fields(DQNOptions) if field.name != "gamma")
"""Keys of the section `agent` that only a deep Q-learner has use for."""


def check_use(values: Mapping[str, Any]) -> None:
    """Refuse keys for which the agent of a run has no use."""
    kind, games = KINDS[values["agent"]["kind"]], values["evaluate"]
    if not kind.tables:
        refuse_changed(values, _usual(), OF_NTUPLE, f"agent.kind={kind.name}")
        if games["solution"] is not None:
            raise refuse("evaluate.solution", games["solution"], "null unless agent.kind=ntuple")
        if games["average"] != 1:
            raise refuse("evaluate.average", games["average"], "1 unless agent.kind=ntuple")
    elif games["drops"] == "one":
        refuse_changed(values, _usual(), ("search",), "evaluate.drops=one")
    if values["device"] != CPU and not (kind.deep or kind.tables):
        raise refuse("device", values["device"], NO_DEVICE)
    check_drops(games["drops"], games["plies"])
    if games["drops"] != "all":
        if values["placer"]["kind"] != "random":
            raise refuse("placer.kind", values["placer"]["kind"], "random with evaluate.drops=one")
        if games["solution"] is not None:
            raise refuse("evaluate.solution", games["solution"], "null with evaluate.drops=one")


def step_size(values: Mapping[str, Any]) -> float | None:
    """The key alpha: null, as runs of older versions have it, is that of the learner. Of other agents it is null."""
    alpha: float | None = values["alpha"]
    usual: float = values["learner"]["alpha"]
    if KINDS[values["agent"]["kind"]].tables:
        return usual if alpha is None else alpha
    return None if alpha == usual else alpha


def check_drops(drops: str, plies: int) -> None:
    """Refuse one drop for a look ahead in which none or several follow."""
    if drops != "all" and plies != 2:
        raise refuse("evaluate.drops", drops, "all unless evaluate.plies=2")


def check_on_card(drops: str, search: SearchOptions, placer: PlacerOptions) -> None:
    """Refuse games of an evaluation that a graphics card does not play."""
    if drops != "all":
        raise refuse("evaluate.drops", drops, "all with device=cuda")
    with within("evaluate", ("plies",)):
        check_games(search, placer)


def _usual() -> dict[str, Any]:
    """The values of `conf/run.yaml`, and of the groups of an n-tuple network, without a word on the command line."""
    values = file("run") | {"alpha": None}
    del values["defaults"], values["hydra"]
    files = {key: group_file(key, str(name)) for key, name in groups("run").items() if key in OF_NTUPLE}
    return plain_dict(OmegaConf.merge(RUN.types, files, values))


def deep_options(section: Mapping[str, Any], gamma: float) -> DQNOptions | None:
    """The options of the deep Q-learner; None where another agent plays, which has none."""
    deep = KINDS[section["kind"]].deep
    for key in OF_DQN:
        if (value := section[key]) is None and deep:
            raise refuse(f"agent.{key}", None, "a value with agent.kind=dqn; agent=dqn gives all of them")
        if value is not None and not deep:
            raise refuse(f"agent.{key}", value, "null unless agent.kind=dqn")
    return options_of(DQNOptions, "agent", section, gamma=gamma) if deep else None


def dqn_choices(name: str) -> DQNOptions:
    """The options of a deep Q-learner of `conf/agent`, for use in Python: `dqn_choices("dqn_modern")`."""
    agent = group_file("agent", name)["agent"]
    if not KINDS[agent["kind"]].deep:
        raise refuse("agent", name, "dqn or dqn_modern")
    return DQNOptions(**{key: agent[key] for key in OF_DQN})


def refuse_unused(named: Mapping[str, str], allowed: Collection[str], why: str) -> None:
    """Refuse the first key that has no effect.

    Parameters
    ----------
    named : keys that somebody set, with what a message shows of their values.
    allowed : keys that have an effect; Hydra's own always have one.
    why : the others have none.
    """
    for key, value in named.items():
        if key not in allowed and not key.startswith("hydra"):
            raise ConfigError(f"{key}:{value} {why}")


def refuse_changed(config: Mapping[str, Any], usual: Mapping[str, Any], keys: tuple[str, ...], by: str) -> None:
    """Refuse keys and sections whose values differ from the usual ones, where `by` has no use for them."""
    for key in keys:
        changed = _changed(key, config[key], usual[key])
        refuse_unused(changed, (), f"would change nothing with {by}; leave {key} as it is")


def _changed(key: str, value: Any, usual: Any) -> dict[str, str]:
    """The keys of a section whose values differ, with these values unless they are lists."""
    if isinstance(value, Mapping):
        parts = [_changed(f"{key}.{part}", value[part], usual[part]) for part in value]
        return {name: text for changed in parts for name, text in changed.items()}
    if value == usual:
        return {}
    return {key: "" if isinstance(value, list) else f" {value!r}"}


NAMED_GROUPS = ("game", "tiles", "tuples", "learner", "placer", "agent")
"""Groups whose choices tables and titles show."""


def chosen_names(cfg: DictConfig, chosen: Mapping[str, object]) -> dict[str, str]:
    """The name chosen in each group, as `{"tuples": "4x6", ...}`; `custom` where something changed what it stands for.

    Groups that the agent has no use for are left out. `chosen` is what Hydra calls `hydra.runtime.choices`.
    """
    kind = KINDS.get(cfg.agent.kind) if "agent" in cfg else None
    unused = () if kind is None or kind.tables else OF_NTUPLE
    groups = [name for name in NAMED_GROUPS if name in cfg and name not in unused]
    names = {name: str(chosen[name]) for name in groups if chosen.get(name) is not None}
    for name in {"tuples", "tiles"} - set(unused):
        named: object = RUN.types[name]  # without a choice all is open, unless single keys are given
        if name in names:
            named = OmegaConf.merge(RUN.types[name], group_file(name, names[name]))
        if name in cfg and cfg[name] != named:
            names[name] = "custom"
    return names
