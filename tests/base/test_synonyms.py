"""Words of other programs are answered with our names.

Trusts the examples in the docstring.
"""

import doctest

import pytest

from tdl import old_names, synonyms
from tdl.base.synonyms import choice_hint, like
from tdl.config.keys import keys_of
from tdl.config.schema import RunConfig


def test_examples():
    told = doctest.testmod(synonyms)
    assert told.attempted
    assert not told.failed


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("LR", ["alpha"], "alpha"),
        ("learning-rate", ["alpha"], "alpha"),
        ("lambda", ["learner.order", "learner.td_lambda"], "learner.td_lambda"),
        ("lambda", ["order", "td_lambda"], "td_lambda"),
        ("tc", ["learner"], "learner=tc"),
        ("Alpha", ["alpha", "gamma"], "alpha"),
        ("gama", ["alpha", "gamma"], "gamma"),
    ],
)
def test_the_name_that_is_meant(name, known, hint):
    assert like(name, known) == f"; did you mean {hint!r}?"


def test_what_is_not_known_is_not_proposed():
    assert like("output", ["alpha", "gamma"]) == ""


def test_old_names_are_answered_with_the_new():
    assert [like(old, keys_of(RunConfig)) for old in old_names.KEYS] == [
        f"; did you mean {new!r}?" for new in old_names.KEYS.values()
    ]
    for group, names in old_names.CHOICES.items():
        assert [choice_hint(group, old, names.values()) for old in names] == [
            f"; did you mean {new!r}?" for new in names.values()
        ]
