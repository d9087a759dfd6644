"""Hydra's notes in a folder of somebody else: plain values come back; nothing is computed, called or multiplied."""

import pytest
from support.mutations import BOMB

from tdl.errors import ConfigError
from tdl.storage.reading import MAX_YAML, read_notes


def test_plain_values_come_back(tmp_path):
    (tmp_path / "notes.yaml").write_text("hydra:\n  a: [1, 2.5, x, null, true]\n  b: {}\n")
    assert read_notes(tmp_path / "notes.yaml") == {"hydra": {"a": [1, 2.5, "x", None, True], "b": {}}}


@pytest.mark.parametrize(
    "text",
    [BOMB, "a: &a {x: 1}\nb: {<<: *a}\n", "a: &a [*a]\n", "[" * 100_000, "{a: " * 100_000, "a: " + "x" * MAX_YAML,
     "- 1\n", "1: 2\n", "a: 2026-11-23\n", "a: !!binary aGk=\n", "a: !!python/object/apply:os.getcwd []\n", "a: [\n",
     "a: 1\n---\nb: 2\n", "\x00", "a: !!int x\n", f"a: {'9' * 5000}\n", ""],
)  # fmt: skip
def test_anything_else_is_refused(tmp_path, text):
    (tmp_path / "notes.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"YAML|plain|reference|nested|bytes"):
        read_notes(tmp_path / "notes.yaml")
