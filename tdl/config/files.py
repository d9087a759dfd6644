"""The files of `conf/` by their names: what a group offers, and what a choice says. Their only reader beside Hydra."""

from functools import cache
from importlib import resources
from typing import Any

from omegaconf import OmegaConf

from tdl.errors import nearest, refuse

CONF = resources.files("tdl.conf")


def group_names(group: str) -> list[str]:
    """The names of the files in `conf/<group>`, sorted."""
    files = (path.name for path in (CONF / group).iterdir())
    return sorted(file.removesuffix(".yaml") for file in files if file.endswith(".yaml"))


def group_file(group: str, name: str) -> dict[str, Any]:
    """What `conf/<group>/<name>.yaml` says, with what the files of the group say that it builds on."""
    names = group_names(group)
    if name not in names:
        raise refuse(group, name, f"one of {', '.join(names)}{nearest(name, names)}")
    plain = file(f"{group}/{name}")
    bases = [group_file(group, each) for each in plain.pop("defaults", []) if isinstance(each, str)]
    return plain_dict(OmegaConf.merge(*bases, plain))


def group_text(group: str, name: str) -> str:
    """The text of `conf/<group>/<name>.yaml`."""
    names = group_names(group)
    if name not in names:
        raise refuse(group, name, f"one of {', '.join(names)}{nearest(name, names)}")
    return (CONF / group / f"{name}.yaml").read_text()


def file(path: str) -> dict[str, Any]:
    """What `conf/<path>.yaml` says, as it stands there."""
    return plain_dict(_read(path))


@cache
def _read(path: str) -> Any:
    """Read once: all jobs of a sweep ask for the same files, and a parser of YAML is slow."""
    return OmegaConf.create((CONF / f"{path}.yaml").read_text())


def plain_dict(config: Any, *, resolve: bool = False) -> dict[str, Any]:
    """The values of OmegaConf as plain dictionaries."""
    plain = OmegaConf.to_container(config, resolve=resolve)
    assert isinstance(plain, dict)
    return {str(key): value for key, value in plain.items()}
