"""What a sweep goes over: the keys of its command, or of its experiment, that have several values; a warning."""

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf

from tdl.config.files import group_file, group_names
from tdl.storage.titles import NAMELESS, value_text

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


def forced_step_size(config: DictConfig) -> str:
    """What is wrong with one step size for learners with different ones of their own; empty where nothing is."""
    said = words(config)
    own = {name: group_file("learner", name)["alpha"] for name in _learners(said.get("learner"))}
    key = next((key for key in ("alpha", "learner.alpha") if key in said), None)
    if key is None or len(set(own.values())) < 2 or said[key].is_sweep_override():
        return ""
    given = said[key].value()
    if not isinstance(given, int | float):  # null: each has its own
        return ""
    sizes = ", ".join(f"{name} {value_text('alpha', alpha)}" for name, alpha in own.items())
    return (
        f"warning: {key}={given} is the step size of all learners of this sweep, whose own are {sizes}; without {key} "
        f"each has its own, and with a command for each into one folder (out=FOLDER) each is swept around its own"
    )


def _learners(word: Override | None) -> list[str]:
    """The learners that a sweep goes over."""
    if word is None or not word.is_choice_sweep() or isinstance(word.value(), Glob):
        return []
    names = group_names("learner")
    return [name for name in word.sweep_string_iterator() if name in names]
