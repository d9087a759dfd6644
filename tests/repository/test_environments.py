"""The page about environments of others says what was found, and those that are installed are as it says."""

import re

import numpy as np
import pandas as pd
import pytest

import tdl
from experiments.environments import adapters, collect

FINDINGS = pd.read_csv(collect.HOME / "findings.csv", dtype=str, keep_default_na=False)
WRONG = FINDINGS[FINDINGS["verdict"] == "wrong"]


def test_the_page_has_the_findings():
    rows = pd.read_csv(collect.HOME / "conventions.csv", dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(collect.conventions(FINDINGS), rows)
    page = (collect.HOME / "README.md").read_text()
    assert collect.page_text(page) == page


def test_each_wrong_finding_has_three_lines_that_show_it():
    _, *parts = re.split(r"^# (\w+): (.+)\n", (collect.HOME / "reproductions.txt").read_text(), flags=re.M)
    names, checks, codes = parts[::3], parts[1::3], parts[2::3]
    shown = {(name, check) for name, several in zip(names, checks, strict=True) for check in several.split(", ")}
    assert shown == {*zip(WRONG["environment"], WRONG["check"], strict=True)}
    for code in codes:
        compile(code, "reproduction", "exec")
        assert len(code.strip().splitlines()) == 3


@pytest.mark.extra
@pytest.mark.parametrize("name", sorted({*FINDINGS["environment"]}))
def test_an_installed_environment_is_as_the_page_says(name):
    try:
        env = getattr(adapters, name)()
        env.reset() if hasattr(env, "reset") else env.move(np.eye(4, dtype=np.int64) * 2, 0)
    except ImportError as error:
        pytest.skip(str(error))
    table = tdl.rules_check(env, steps=5_000)
    known = {*WRONG.loc[WRONG["environment"] == name, "check"]}
    assert {*table.loc[table["verdict"] == "wrong", "check"]} <= known
