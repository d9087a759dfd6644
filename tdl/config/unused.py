"""Keys that nothing would read: naming one is a mistake, and is refused."""

from collections.abc import Collection, Mapping
from typing import Any

from tdl.errors import ConfigError


def refuse_unused(named: Mapping[str, str], allowed: Collection[str], why: str) -> None:
    """Refuse the first key that has no effect.

    Parameters
    ----------
    named : keys that somebody set, with what a message shows of their values.
    allowed : keys that have an effect; Hydra's own always have one.
    why : the others have none.
    """
    for key, value in named.items():
        if key not in allowed and not key.startswith("hydra"):
            raise ConfigError(f"{key}:{value} {why}")


def refuse_changed(config: Mapping[str, Any], usual: Mapping[str, Any], keys: tuple[str, ...], by: str) -> None:
    """Refuse keys and sections whose values differ from the usual ones, where `by` has no use for them."""
    for key in keys:
        changed = _changed(key, config[key], usual[key])
        refuse_unused(changed, (), f"would change nothing with {by}; leave {key} as it is")


def _changed(key: str, value: Any, usual: Any) -> dict[str, str]:
    """The keys of a section whose values differ, with these values unless they are lists."""
    if isinstance(value, Mapping):
        parts = [_changed(f"{key}.{part}", value[part], usual[part]) for part in value]
        return {name: text for changed in parts for name, text in changed.items()}
    if value == usual:
        return {}
    return {key: "" if isinstance(value, list) else f" {value!r}"}
