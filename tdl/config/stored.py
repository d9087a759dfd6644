"""Configurations in files of runs: held to the same checks as that of a command line."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from omegaconf.errors import OmegaConfBaseException

from tdl.config.compose import typed
from tdl.config.options import placer_of
from tdl.config.schema import PlacerConfig
from tdl.config.setup import Setup
from tdl.errors import MAX_SHOWN, ConfigError, printable, refuse, within

KEY = "config"
"""The entry of `meta.json` and `result.json`."""


def stored_setup(plain: object) -> Setup:
    """The run whose configuration a checkpoint has.

    Raises
    ------
    ConfigError : a value that a command line could not give either, or one to be computed, as `${oc.env:HOME}`.
    """
    refuse_computed(KEY, plain)
    try:
        assert isinstance(plain, Mapping)
        return Setup.of(plain)
    except ConfigError as error:
        raise ConfigError(f"{KEY}.{error}") from error
    except OmegaConfBaseException as error:
        raise _refused(error, "") from error


def stored_placer(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Who put the tiles by such a configuration; None where it does not say so. Raises as `stored_setup`."""
    if "placer" not in config:
        return None
    refuse_computed(f"{KEY}.placer", config["placer"])
    try:
        with within("placer", [each.name for each in fields(PlacerConfig)]):
            section = typed(config["placer"], PlacerConfig)
        placer_of(section)
    except ConfigError as error:
        raise ConfigError(f"{KEY}.{error}") from error
    except OmegaConfBaseException as error:
        raise _refused(error, "placer.") from error
    return dict(config["placer"])


def refuse_computed(key: str, value: object) -> None:
    """Refuse anything but names with values, and text that OmegaConf would take for more than text."""
    if not isinstance(value, Mapping):
        raise refuse(key, value, "names with values")
    _refuse_computed(key, value)


def _refuse_computed(key: str, value: object) -> None:
    if isinstance(value, str):
        if "${" in value or value == "???":
            raise refuse(key, value, "a value that is there, not one to be computed")
    elif isinstance(value, Mapping):
        for name, item in value.items():
            _refuse_computed(f"{key}.{name}", item)
    elif isinstance(value, list):
        for item in value:
            _refuse_computed(key, item)


def _refused(error: OmegaConfBaseException, prefix: str) -> ConfigError:
    line = printable((str(error).splitlines() or [""])[0])
    if len(line) > 2 * MAX_SHOWN:
        line = f"{line[:MAX_SHOWN]}…{line[-MAX_SHOWN:]}"
    return ConfigError(f"{KEY}.{prefix}{error.full_key or ''}: {line}")
