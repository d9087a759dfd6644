"""What Hydra 1.4 and OmegaConf 2.4 want otherwise than the versions before: both work, without a warning.

All work under `python -O`, too.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hydra
import omegaconf
from hydra.core.override_parser import overrides_visitor
from hydra.core.plugins import Plugins
from hydra.plugins.plugin import Plugin
from omegaconf import OmegaConf


def _minor(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


OLD = _minor(hydra.__version__) < (1, 4)

BASE: dict[str, Any] = {"version_base": "1.3"} if OLD else {}
"""For functions of Hydra that once had other defaults; Hydra 1.4 has no others."""

REPLACE: dict[str, Any] = {} if OLD else {"replace": True}
"""For a configuration that may be registered twice; Hydra 1.3 replaces it always."""


def restore_assertions() -> None:
    """Compile Hydra's reader of words with its assertions, which `python -O` leaves out: they step over signs."""
    source = Path(str(overrides_visitor.__file__))
    names = dict(vars(overrides_visitor))
    exec(compile(source.read_text(encoding="utf-8"), source, "exec", optimize=0), names)
    for name, method in vars(names["HydraOverrideVisitor"]).items():
        if callable(method):
            setattr(overrides_visitor.HydraOverrideVisitor, name, method)


if sys.flags.optimize:
    restore_assertions()


def trusted(targets: Sequence[str]) -> dict[str, Any]:
    """For `hydra.main`: the classes that a `_target_` may name. Hydra 1.3 lets it name any."""
    return {} if OLD else {"execution_whitelist": list(targets)}


def register_resolver(name: str, resolver: Callable[..., Any]) -> None:
    """Make `${name:...}` known, in the place of what had that name."""
    before = _minor(omegaconf.__version__) < (2, 4)
    register = getattr(OmegaConf, "register_new_resolver" if before else "register_resolver")
    register(name, resolver, replace=True)


def register_plugins(*plugins: type[Plugin]) -> None:
    """Make launchers and sweepers known to Hydra; `conf` names them as `${tdl_plugin:NAME}`.

    Hydra 1.3 takes them from the package `hydra_plugins` alone, so it is told that they are there. Were they, they
    would be loaded into every program that uses Hydra, and Hydra 1.4 warns of such a package in an editable install.
    """
    homes = {plugin: "hydra_plugins.tdl" if OLD else plugin.__module__ for plugin in plugins}
    names = {plugin.__name__: f"{home}.{plugin.__name__}" for plugin, home in homes.items()}
    register_resolver("tdl_plugin", lambda name: names[name])
    for plugin in plugins:
        Plugins.instance().class_name_to_class[names[plugin.__name__]] = plugin
