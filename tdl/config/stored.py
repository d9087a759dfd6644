"""Configurations in files of runs: held to the same checks as that of a command line."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from omegaconf.errors import OmegaConfBaseException

from tdl.base.checks import check_mapping
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
    check_mapping(KEY, plain, _check_given)
    assert isinstance(plain, Mapping)
    with _of_file():
        return Setup.of(plain)


def stored_placer(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Who put the tiles by such a configuration; None where it does not say so. Raises as `stored_setup`."""
    if "placer" not in config:
        return None
    check_mapping(f"{KEY}.placer", config["placer"], _check_given)
    with _of_file("placer."):
        with within("placer", [each.name for each in fields(PlacerConfig)]):
            section = typed(config["placer"], PlacerConfig)
        placer_of(section)
    return dict(config["placer"])


def _check_given(key: str, value: object) -> None:
    """Refuse text that OmegaConf would take for more than text."""
    if isinstance(value, str):
        if "${" in value or value == "???":
            raise refuse(key, value, "a value that is there, not one to be computed")
    elif isinstance(value, Mapping):
        check_mapping(key, value, _check_given)
    elif isinstance(value, list):
        for item in value:
            _check_given(key, item)


@contextlib.contextmanager
def _of_file(prefix: str = "") -> Iterator[None]:
    """While this context is open a key that is refused is one of the file's configuration.

    `prefix` is that of the keys in what OmegaConf refuses.
    """
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{KEY}.{error}") from error
    except OmegaConfBaseException as error:
        line = printable((str(error).splitlines() or [""])[0])
        if len(line) > 2 * MAX_SHOWN:
            line = f"{line[:MAX_SHOWN]}…{line[-MAX_SHOWN:]}"
        raise ConfigError(f"{KEY}.{prefix}{error.full_key or ''}: {line}") from error
