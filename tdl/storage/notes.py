"""Hydra's notes of a start, YAML that somebody else may have written: plain values, bounded, nothing is computed."""

from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from tdl.errors import ConfigError
from tdl.storage.reading import MAX_DEPTH, open_file

MAX_BYTES = 1 << 18
"""Of a file; the largest of ours has some ten thousand."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where it was built


def read_notes(path: Path) -> dict[str, Any]:
    """What a file of notes says: names with numbers, texts, lists and further names.

    Raises
    ------
    OSError : missing, or not a file.
    ConfigError : not such YAML, too large, nested too deeply, or with references: a few lines of these can stand for
        more than any memory holds.
    """
    with open_file(path) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ConfigError(f"more than {MAX_BYTES:,} bytes")
    try:
        _check_events(content)
        value = yaml.load(content, LOADER)
    except (ValueError, yaml.YAMLError, OverflowError) as error:
        raise ConfigError("not plain YAML") from error
    if not isinstance(value, dict) or not _is_plain(value):
        raise ConfigError("not names with plain values")
    return value


def _check_events(content: bytes) -> None:
    depth = 0
    for event in yaml.parse(content, LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise ConfigError("a reference")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ConfigError("nested too deeply")


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(name, str) and _is_plain(item) for name, item in value.items())
    return all(map(_is_plain, value)) if isinstance(value, list) else isinstance(value, str | int | float | None)
