"""Configurations in files of runs: held to the same checks as that of a command line."""

from collections.abc import Mapping
from typing import Any

from omegaconf.errors import OmegaConfBaseException

from tdl.config import run as run_config
from tdl.config.build import placer
from tdl.config.compose import typed
from tdl.config.schema import PlacerConfig, RunConfig
from tdl.errors import MAX_SHOWN, ConfigError, printable, refuse

KEY = "config"
"""The entry of `meta.json` and `result.json`."""


def stored_config(plain: object) -> RunConfig:
    """The configuration of a run as its checkpoint has it.

    Raises
    ------
    ConfigError : a value that a command line could not give either, or one to be computed, as `${oc.env:HOME}`.
    """
    refuse_computed(KEY, plain)
    try:
        assert isinstance(plain, Mapping)
        return run_config.from_plain(plain)
    except ConfigError as error:
        raise ConfigError(f"{KEY}.{error}") from error
    except OmegaConfBaseException as error:
        raise _refused(error, "") from error


def stored_placer(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Who put the tiles by such a configuration; None where it does not say so. Raises as `stored_config`."""
    if "placer" not in config:
        return None
    refuse_computed(f"{KEY}.placer", config["placer"])
    try:
        settings = typed(config["placer"], PlacerConfig)
        placer(settings).check("placer.", judged=settings.network is not None)
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
