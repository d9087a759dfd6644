"""What a sweep goes over: the keys of its command, or of its experiment, that have several values."""

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf

from tdl.storage.titles import NAMELESS

UNTITLED = "${tdl_job_folder:}"
"""The folder of a job in `conf`, before it is known what is swept."""


def words(config: DictConfig) -> dict[str, Override]:
    """The last word for each key, of the experiment and of the command line; nothing where Hydra cannot read one."""
    params = config.hydra.sweeper.get("params") or {}
    lines = [*(f"{key}={value}" for key, value in params.items()), *config.hydra.overrides.task]
    try:
        parsed = OverridesParser.create().parse_overrides(lines)
    except HydraException:  # which Hydra will say
        return {}
    return {word.key_or_group: word for word in parsed}


def keys(config: DictConfig) -> list[str]:
    """The keys that title a job: those of several values, and those of `NAMELESS` that the command says, sorted.

    So jobs of two commands in one folder, each with a learner of its own, can be told apart.
    """
    return sorted(key for key, word in words(config).items() if word.is_sweep_override() or key in NAMELESS)


def titled_folders(config: DictConfig) -> list[str]:
    """The words for Hydra by which the jobs' folders get their titles; none where the user names these folders."""
    folders = OmegaConf.to_container(config.hydra.sweep, resolve=False)
    if not isinstance(folders, dict) or folders.get("subdir") != UNTITLED:
        return []
    return [f"hydra.sweep.subdir='${{tdl_job_folder:{','.join(keys(config))}}}'"]
