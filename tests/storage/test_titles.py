"""Titles of runs, for people and as parts of folders' names."""

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from tdl.storage.titles import MAX_FOLDER, folder_title, title, value_text

KEYS = ("learner", "learner.alpha", "alpha", "evaluate.plies", "search.plies", "learner.td_lambda", "seed", "tuples")

TITLES = [
    ({"seed": 2, "alpha": 1.0, "learner": "tc"}, "tc, alpha 1, seed 2", "tc-alpha1-seed2"),
    ({"game": "2048", "learner.td_lambda": 0.5}, "2048, td_lambda 0.5", "2048-td_lambda0.5"),
    ({"evaluate.plies": 2}, "evaluate.plies 2", "evaluate.plies2"),  # plies alone would be those of training, too
    ({"engine": "array", "share": True}, "engine array, share true", "engine-array-share-true"),
    ({"alpha": None, "tuples": "4x6"}, "4x6, alpha null", "4x6-alpha-null"),
    ({"alpha": -0.5}, "alpha -0.5", "alpha--0.5"),
    ({"checkpoint": "outputs/a b/checkpoint"}, "a b", "a-b"),
    ({"cells": [[0, 1], [2]]}, "cells [[0, 1], [2]]", "cells-0-1-2"),
    ({}, "", ""),
]


@pytest.mark.parametrize(("values", "text", "folder"), TITLES)
def test_a_title_has_the_values_that_say_what_they_are_of_without_a_name(values, text, folder):
    assert title(values, KEYS) == text
    assert folder_title(values, KEYS).replace("--", "-") == folder.replace("--", "-")


@pytest.mark.parametrize("values", [values for values, _, _ in TITLES] + [{"x": "'a,b' $(c)=d;e\n{f}*ü"}])
def test_a_folder_is_named_without_quotes_in_a_shell_and_to_hydra(values):
    name = f"{folder_title(values, KEYS) or 'x'}_1a2b3c4d"
    assert all(letter.isascii() and (letter.isalnum() or letter in "._-") for letter in name)
    assert not name.startswith((".", "-"))
    (word,) = OverridesParser.create().parse_overrides([f"checkpoint=outputs/alpha/{name}"])
    assert word.value() == f"outputs/alpha/{name}"


def test_long_titles_are_cut_with_each_key_in_them():
    values = {f"key{number}": "value" * 10 for number in range(8)} | {"seed": 3}
    name = folder_title(values)
    assert len(name) <= MAX_FOLDER
    assert name.endswith("-seed3")
    assert all(f"key{number}" in name for number in range(8))
    assert len(title({"tuples.cells": [list(range(6))] * 8})) <= 40


def test_numbers_are_as_short_as_they_are():
    values = [1.0, 0.1, 0.1 + 0.2, 3e-5, 1e6, 7, True, None, float("nan")]
    assert [value_text("key", value) for value in values] == [
        "1", "0.1", "0.3", "3e-05", "1000000", "7", "true", "null", "null"
    ]  # fmt: skip
