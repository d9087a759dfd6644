"""A choice of the user's own folder, which may come from anybody: it sets keys of its group, and calls nothing."""

import re
from collections.abc import Mapping
from typing import Any

from tdl.errors import ConfigError, refuse

GROUPS = ("game", "tiles", "tuples", "learner", "placer", "search", "agent", "experiment")
"""The groups of a run, in the order in which a command line shows them; their values are names."""

WIDE = ("agent", "experiment")
"""Groups whose choices may set all keys of a run, and choose in other groups, as tdl's own do."""

_PACKAGE = re.compile(r"\s*#\s*@package +(\S+)")

_NAME = re.compile(r"[\w.+%-]+")

_OVERRIDE = re.compile(rf"override /({'|'.join(GROUPS)})")


def package_of(text: str) -> str | None:
    """Where its keys belong, as its first line says: `_global_` among all keys; None: in its group."""
    header = _PACKAGE.match(text)
    return header and header[1]


def checked_choice(group: str, values: dict[str, Any], package: str | None) -> dict[str, Any]:
    """The values of a choice, those of a wide group as `_global_`, others as of their group.

    Raises
    ------
    ConfigError : a key of another group or of Hydra, or a value that is to be computed by a call.
    """
    if package not in (None, "_global_", "_group_", group):
        raise refuse("@package", package, f"_global_, or none: a choice of {group} sets keys of {group}")
    defaults = {"defaults": values["defaults"]} if values.get("defaults") else {}
    keys = {key: value for key, value in values.items() if key != "defaults"}
    _check_defaults(group, defaults.get("defaults", []))
    if package == "_global_":
        _check_keys(group, keys)
        keys = keys if group in WIDE else dict(keys.get(group) or {})
    _check_values("", keys)
    return defaults | keys


def _check_defaults(group: str, defaults: Any) -> None:
    """Of the same group any choice; of others only in groups that are wide."""
    for entry in defaults if isinstance(defaults, list) else [defaults]:
        pairs = dict(entry) if isinstance(entry, Mapping) and group in WIDE else {f"override /{group}": entry}
        known = len(pairs) == 1 and all(_OVERRIDE.fullmatch(str(key)) for key in pairs)
        if not known or not all(name is None or _NAME.fullmatch(str(name)) for name in pairs.values()):
            wide = ", or 'override /GROUP: NAME'" if group in WIDE else ""
            raise refuse("defaults", entry, f"the name of another choice of {group}{wide}")


def _check_keys(group: str, keys: Mapping[str, Any]) -> None:
    for key, value in keys.items():
        if key == "hydra" and group == "experiment":
            _check_sweep(value)
        elif key == "hydra" or (key != group and group not in WIDE):
            raise ConfigError(f"{key}: a choice of {group} sets keys of {'a run' if group in WIDE else group} alone")


def _check_sweep(hydra: Any) -> None:
    """Of Hydra's own keys an experiment says that it is a sweep, and over what."""
    parts = hydra if isinstance(hydra, Mapping) else {"": hydra}
    sweeper = parts.get("sweeper") or {}
    params = sweeper.get("params") or {} if isinstance(sweeper, Mapping) else None
    if not isinstance(params, Mapping) or parts.keys() - {"mode", "sweeper"} or sweeper.keys() - {"params"}:
        raise ConfigError("hydra: an experiment sets hydra.mode and hydra.sweeper.params alone")
    for key in params:
        if not re.fullmatch(r"[\w.]+", str(key)) or str(key).partition(".")[0] == "hydra":
            raise refuse("hydra.sweeper.params", key, "keys of a run")


def _check_values(key: str, value: Any) -> None:
    """Refuse what names a function: `_target_`, and interpolations as `${oc.env:HOME}`."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            below = f"{key}.{name}".lstrip(".")
            if re.fullmatch(r"_\w+_", str(name)):
                raise ConfigError(f"{below}: a choice calls nothing; expected names of keys")
            _check_values(below, str(name))
            _check_values(below, item)
    elif isinstance(value, list):
        for item in value:
            _check_values(key, item)
    elif isinstance(value, str) and ":" in value.replace("\\", "").partition("${")[2]:
        raise refuse(key, value, "a value that calls nothing")
