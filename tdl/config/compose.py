"""From what Hydra composed to typed, hashed, plain values."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf

from tdl.base.checks import check_fields
from tdl.config.files import plain_dict
from tdl.config.hydra_versions import REPLACE
from tdl.config.schema import RunConfig
from tdl.errors import ConfigError, nearest

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Schema = TypeVar("Schema", bound="DataclassInstance")

CHANGEABLE = ("episodes", "threads", "budget", "evaluate", "save", "logger", "resume")
"""Keys that may differ when a run is resumed: they do not change what has been learned. (A schedule that counts by the
episodes of the run does count by the new ones from there on.)"""


NOT_COUNTED = ("hydra", "resume", "logger")
"""Keys that change neither what is played nor what a run leaves of it."""

PLAIN = re.compile(r"[\w./+@%-]+")
"""What Hydra and a shell take as it stands."""


def register(schema: type = RunConfig) -> None:
    """Make the types of a program known to Hydra, under the name `schema` that each file of `conf` begins with."""
    ConfigStore.instance().store(name="schema", node=types_of(schema), **REPLACE)


_types: dict[type, DictConfig] = {}


def types_of(schema: type) -> DictConfig:
    """The names, types and defaults of a schema for OmegaConf, which takes long to find them: nobody may change it."""
    if schema not in _types:
        _types[schema] = types = OmegaConf.structured(schema)
        for _, section in types.items_ex(resolve=False):
            if OmegaConf.is_config(section):
                OmegaConf.set_readonly(section, None)  # as that of a frozen class is
    return _types[schema]


def composed(cfg: DictConfig) -> dict[str, Any]:
    """The configuration Hydra composed, as plain dictionaries."""
    return plain_dict(cfg, resolve=True)


def typed(config: DictConfig | Mapping[str, Any], schema: type[Schema]) -> Schema:
    """What Hydra composed, or plain dictionaries, as an object of a schema: names, types and each value by itself.

    Hydra has checked types while it composed; to do it once more takes 15 ms.
    """
    plain: Mapping[str, Any] = composed(config) if isinstance(config, DictConfig) else config
    check_keys(plain, schema, "")
    is_typed = isinstance(config, DictConfig) and OmegaConf.get_type(config) is schema
    keys = OmegaConf.to_object(config if is_typed else OmegaConf.merge(types_of(schema), dict(plain)))
    assert isinstance(keys, schema)
    check_fields(keys)
    return keys


def to_plain(config: DataclassInstance) -> dict[str, Any]:
    """The configuration as plain dictionaries."""
    return dataclasses.asdict(config)


def key_hash(plain: Mapping[str, Any]) -> str:
    """Eight hex digits that identify a configuration; `NOT_COUNTED` are not part of it."""
    counted = {key: value for key, value in plain.items() if key not in NOT_COUNTED}
    return hashlib.sha256(json.dumps(counted, sort_keys=True, default=str).encode()).hexdigest()[:8]


def quoted(text: str) -> str:
    """A value of a word of the command line, quoted so that Hydra takes it letter by letter."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def word_of(key: str, value: object) -> str:
    """The word of the command line with which Hydra takes this text, as a path, for the key."""
    text = str(value)
    return f"{key}={text if PLAIN.fullmatch(text) else quoted(text)}"


def check_keys(plain: Mapping[str, Any], schema: type, prefix: str = "") -> None:
    """Refuse keys that the schema does not have, as Hydra lets `+name=value` through, and keys that are not there."""
    fields = {each.name: each for each in dataclasses.fields(schema)}
    for key, value in plain.items():
        if key not in fields:
            raise ConfigError(f"{prefix}{key}: no such key; expected one of {', '.join(fields)}{nearest(key, fields)}")
        nested = fields[key].default_factory
        if isinstance(nested, type) and dataclasses.is_dataclass(nested) and isinstance(value, Mapping):
            check_keys(value, nested, f"{prefix}{key}.")
    for key, field in fields.items():
        if key not in plain and (dataclasses.is_dataclass(field.default_factory) or field.default == MISSING):
            raise ConfigError(f"{prefix}{key}: missing; a configuration of this version has it")
