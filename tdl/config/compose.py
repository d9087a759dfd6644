"""The keys of a configuration: names and types as Hydra composes them, and options made of their values."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import sys
import types
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, DictConfig, OmegaConf

from tdl.base.checks import CHECK, Check
from tdl.config.files import plain_dict
from tdl.config.hydra_versions import REPLACE
from tdl.cuda.device import CPU
from tdl.errors import ConfigError, nearest, refuse, within

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")

ALPHA_OF_LEARNER = "${learner.alpha}"
"""The key `alpha` in `conf/run.yaml`."""

CHANGEABLE = ("episodes", "threads", "device", "budget", "evaluate", "save", "logger", "resume")
"""Keys that may differ when a run is resumed: they do not change what has been learned. (A schedule that counts by the
episodes of the run does count by the new ones from there on.) Of a deep Q-learner the device does."""

NOT_COUNTED = ("hydra", "resume", "logger")
"""Keys that change neither what is played nor what a run leaves of it."""

LATER = {"batch_sum": "none", "cap": 1.0, "moves_per_lane": None, "memory": None}
"""Keys of `learner` that older versions lack, with their usual values, which do not count either."""

UNQUOTED = re.compile(
    r"(?!(null|true|false|[+-]?(nan|inf|[\d_.]*(e[+-]?[\d_]+)?))\Z)[\w./+@%-]+", re.ASCII | re.IGNORECASE
)
"""What Hydra takes as it stands, and as a text."""

MAY_BE_LISTS = ("round", "learner.schedule", "save.moves")
"""Keys whose value may be a list, or something else."""


class Key(NamedTuple):
    """What a key takes.

    Attributes
    ----------
    kind : the type of its value, as OmegaConf knows it.
    default : its value in files of older versions, which lack it; MISSING: such a file is refused.
    check : of its option; None: it has none of its own.
    """

    kind: Any
    default: Any = MISSING
    check: Check | None = None


def keys(
    options: type[DataclassInstance],
    section: str = "",
    *,
    without: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    null: bool = False,
) -> dict[str, Key]:
    """A key for each field of options.

    Parameters
    ----------
    section : in which the keys are; empty: they are in none.
    without : fields whose keys stand elsewhere.
    names : the keys of fields that have another name.
    null : every key may be null, and is where nothing is said.
    """
    hints, section_keys = get_type_hints(options), {}
    for field in dataclasses.fields(options):
        if field.name not in without:
            kind = _known_type(hints[field.name])
            default = MISSING if field.default is dataclasses.MISSING else field.default
            name = (names or {}).get(field.name, field.name)
            key = Key(kind | None, None) if null else Key(kind, default, field.metadata.get(CHECK))
            section_keys[f"{section}.{name}" if section else name] = key
    return section_keys


def _known_type(hint: Any) -> Any:
    """The type of a field as OmegaConf knows it: neither tuples of tuples, nor unions of lists."""
    if get_origin(hint) is tuple:
        return list[Any]
    several = [kind for kind in get_args(hint) if kind is not type(None)][1:]
    return Any if several and get_origin(hint) in (Union, types.UnionType) else hint


class Schema:
    """All keys of a program by their names, those of sections as `learner.order`.

    Parameters
    ----------
    module : in which the schema is. What Hydra composes is pickled for other processes, which find its types there.
    """

    def __init__(self, module: str, keys: Mapping[str, Key]) -> None:
        self.keys = keys
        names = dict.fromkeys(name.partition(".")[0] for name in keys)
        self.sections = tuple(name for name in names if name not in keys)
        self._class = self._class_of(module, "", {name: keys.get(name) for name in names})

    def _class_of(self, module: str, section: str, keys: Mapping[str, Key | None]) -> type:
        """The class of a section; of a key that is None there is one."""
        fields: list[tuple[str, Any, Any]] = []
        for name, key in keys.items():
            if key is not None:
                fields.append((name, key.kind, _default(key.default)))
            else:
                inner = self._class_of(module, name, self.keys_in(name))
                fields.append((name, inner, dataclasses.field(default_factory=inner)))
        keys_class = dataclasses.make_dataclass(f"_Keys_{section}", fields)
        keys_class.__module__ = module
        setattr(sys.modules[module], keys_class.__name__, keys_class)
        return keys_class

    def keys_in(self, section: str) -> dict[str, Key]:
        """The keys of a section by their own names."""
        return {name.partition(".")[2]: key for name, key in self.keys.items() if name.startswith(f"{section}.")}

    @cached_property
    def types(self) -> DictConfig:
        """Names, types and defaults for OmegaConf, which takes long to find them: nobody may change it."""
        types: DictConfig = OmegaConf.structured(self._class)
        return types

    def register(self) -> None:
        """Make the types known to Hydra, under the name `schema` that each file of `conf` begins with."""
        ConfigStore.instance().store(name="schema", node=self.types, **REPLACE)

    def read(self, config: DictConfig | Mapping[str, Any]) -> dict[str, Any]:
        """What Hydra composed, which has checked types, or plain dictionaries, as plain values of these types.

        Raises
        ------
        ConfigError : a key that is unknown, as Hydra lets `+name=value` through, or missing.
        OmegaConfBaseException : a value of another type, in plain dictionaries.
        """
        if isinstance(config, DictConfig):
            values = plain_dict(config, resolve=True)
            self.check_names(values)
            return values
        self.check_names(config)
        return plain_dict(OmegaConf.merge(self.types, dict(config)))

    def check_names(self, values: Mapping[str, Any]) -> None:
        """Refuse keys that there are not, and keys that are not there."""
        _check_known("", values, [*self.sections, *(name for name in self.keys if "." not in name)])
        for section in self.sections:
            if section not in values:
                raise _missing(section)
            if not isinstance(values[section], Mapping):
                raise refuse(section, values[section], "values for its keys")
            _check_known(f"{section}.", values[section], self.keys_in(section))
        for name, key in self.keys.items():
            section, _, last = name.rpartition(".")
            if key.default == MISSING and last not in (values[section] if section else values):
                raise _missing(name)


def _default(value: Any) -> Any:
    """The default of a field; in the place of a tuple a list, as OmegaConf has it."""
    if isinstance(value, tuple):
        return dataclasses.field(default_factory=lambda: list(value))
    return dataclasses.field(default=value)


def _check_known(prefix: str, values: Mapping[str, Any], names: Collection[str]) -> None:
    for name in values:
        if name not in names:
            hint = f"expected one of {', '.join(names)}{nearest(name, names)}"
            raise ConfigError(f"{prefix}{name}: no such key; {hint}")


def _missing(name: str) -> ConfigError:
    return ConfigError(f"{name}: missing; a configuration of this version has it")


def options_of(
    cls: type[Options],
    section: str,
    values: Mapping[str, Any],
    *,
    names: Mapping[str, str] | None = None,
    **beside: Any,
) -> Options:
    """The options that the values of a section configure; what they refuse is a key of it.

    Parameters
    ----------
    section : empty: the keys are in none.
    names : the keys of fields that have another name.
    beside : options whose keys stand elsewhere.
    """
    fields = {field.name: (names or {}).get(field.name, field.name) for field in dataclasses.fields(cls)}
    own = {name: key for name, key in fields.items() if key in values and name not in beside}
    with within(section, own.values()) if section else nullcontext():
        return cls(**{name: values[key] for name, key in own.items()}, **beside)


def takes_list(key: str, kind: Any) -> bool:
    """Whether a value of the key may be a list, so that a list is one value and not several."""
    return get_origin(kind) is list or key in MAY_BE_LISTS


def changeable(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of `CHANGEABLE` that do not change what a run of this configuration has learned."""
    return tuple(key for key in CHANGEABLE if key != "device" or not _is_deep(values))


def _is_deep(values: Mapping[str, Any]) -> bool:
    """Whether a configuration is that of a deep Q-learner."""
    agent = values.get("agent")
    return isinstance(agent, Mapping) and agent.get("kind") == "dqn"


def key_hash(values: Mapping[str, Any]) -> str:
    """Eight hex digits that identify a configuration; `NOT_COUNTED` are not part of it."""
    counted = {key: value for key, value in values.items() if key not in NOT_COUNTED}
    if "device" in counted and not _is_deep(values):  # the same bits on every device
        counted["device"] = CPU
    if "agent" not in counted:  # of an evaluation; older ones lack it
        counted.pop("device", None)
    if isinstance(learner := counted.get("learner"), Mapping):
        counted["learner"] = {key: value for key, value in learner.items() if (key, value) not in LATER.items()}
    text = json.dumps(counted, sort_keys=True, default=str)
    text = text.replace(f'"{ALPHA_OF_LEARNER}"', "null")  # as folders of jobs have it in which alpha was null
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def quoted(text: str) -> str:
    r"""A value of a word of the command line, quoted so that Hydra takes it letter by letter.

    >>> print(quoted("Bob's"), quoted(r"a\b"), quoted("a\\"))
    'Bob\'s' 'a\b' 'a\\'
    """

    def escaped(end: re.Match[str]) -> str:
        return 2 * end[1] + ("\\'" if end[2] else "")

    return "'" + re.sub(r"(\\*)('|\Z)", escaped, text) + "'"


def word_of(key: str, value: object) -> str:
    """The word of the command line with which Hydra takes this text, as a path, for the key.

    Raises
    ------
    ConfigError : a text in which Hydra would compute something, in quotes too.
    """
    text = str(value)
    if "${" in text:
        raise refuse(key, text, "a path without ${, with which values are computed")
    return f"{key}={text if UNQUOTED.fullmatch(text) else quoted(text)}"
