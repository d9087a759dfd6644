"""The names of the choices that a configuration was composed of: tables show them, nothing else depends on them."""

from collections.abc import Mapping

from omegaconf import DictConfig, OmegaConf

from tdl.config.agent import OF_NTUPLE
from tdl.config.files import group_file
from tdl.config.schema import RUN
from tdl.players.kinds import KINDS

NAMED_GROUPS = ("game", "tiles", "tuples", "learner", "placer", "agent")


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
