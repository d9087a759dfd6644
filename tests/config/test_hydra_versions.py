"""Hydra under `python -O`, which leaves its assertions out."""

import subprocess
import sys

import pytest

WORDS = ["seed=range(0,3)", "a={b:1,c:{d:2}}", "x=choice(1,2)", "y=[1,[2]]", "z='a b'"]

READ = f"""
from tdl.config import hydra_versions
from hydra.core.override_parser.overrides_parser import OverridesParser
for word in OverridesParser.create().parse_overrides({WORDS}):
    print([*word.sweep_string_iterator()] if word.is_sweep_override() else word.value())
"""


@pytest.mark.parametrize("flag", ["-O", "-OO"])
def test_words_mean_the_same(flag):
    done = subprocess.run([sys.executable, flag, "-c", READ], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['0', '1', '2']", "{'b': 1, 'c': {'d': 2}}", "['1', '2']", "[1, [2]]", "a b"]
