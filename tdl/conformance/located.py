"""Environments by name: `MODULE:ENV`."""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tdl.conformance.finding import raised
from tdl.conformance.subject import is_maker
from tdl.errors import ConfigError, nearest, one_line


def located(name: str) -> tuple[Any, str]:
    """The environment `MODULE:ENV`, or what makes it, and the line of Python that does.

    ENV is an attribute of the module (an environment, or what makes one), or else an id of Gymnasium's registry, which
    the module may have extended.

    Raises
    ------
    ConfigError : there is no such module, it fails, or it has no such attribute or id.
    """
    module_name, _, env = name.partition(":")
    if not (module_name and env) or "/" in module_name or module_name.endswith(".py"):
        raise ConfigError(f"env: {name!r} is not allowed; expected MODULE:ENV, as tdl.gym:tdl/Game-v0 or mine:MyEnv")
    module = _module(module_name)
    if env.isidentifier() and hasattr(module, env):
        thing = getattr(module, env)
        return thing, f"import {module_name}; env = {module_name}.{env}{'()' * is_maker(thing)}"
    return _registered(module, env), f'import gymnasium, {module_name}; env = gymnasium.make("{env}")'


def _module(name: str) -> Any:
    root, here = name.partition(".")[0], Path.cwd()
    try:
        if root not in sys.modules and find_spec(root) is None and any(here.glob(f"{root}*")):
            sys.path.append(str(here))  # what is named is the user's own; else nothing is imported from here
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise ConfigError(f"env: there is no module {error.name}; is its package installed?") from error
        raise ConfigError(f"env: import {name} needs {error.name}, which is not installed") from error
    except (Exception, SystemExit) as error:  # whatever it does
        raise ConfigError(f"env: import {name} raised {one_line(raised(error))}") from error


def _registered(module: Any, env: str) -> Any:
    """The environment that Gymnasium makes of an id."""
    names = [name for name in vars(module) if not name.startswith("_")]
    try:
        gymnasium = import_module("gymnasium")
    except ModuleNotFoundError:  # an extra
        raise ConfigError(f"env: there is no {env} in {module.__name__}{nearest(env, names)}") from None
    try:
        return gymnasium.make(env)
    except gymnasium.error.UnregisteredEnv:
        hint = nearest(env, [*names, *gymnasium.registry])
        raise ConfigError(f"env: {env} is neither in {module.__name__} nor an id of Gymnasium{hint}") from None
    except Exception as error:  # whatever it does
        raise ConfigError(f"env: gymnasium.make({env!r}) raised {one_line(raised(error))}") from error
