"""What pip knows the package by, and how a user starts it here."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from tdl.base.distribution import NAME, command, install

ROOT = Path(__file__).parents[2]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_name_has_one_home_in_the_code():
    assert PROJECT["name"] == NAME
    sources = [path for path in (ROOT / "tdl").rglob("*.py") if NAME in path.read_text()]
    assert {str(path.relative_to(ROOT)) for path in sources} <= {"tdl/base/distribution.py", "tdl/dqn/__init__.py"}


def test_every_extra_that_is_named_is_there():
    """In messages and documents, by the name on the index: `tdl` is another project there."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "conf").rglob("*.yaml")]
    sources = [*(ROOT / "tdl").rglob("*.py"), *pages]
    for path in sources:
        text = path.read_text()
        assert not re.search(r"""(?:install |['"`])tdl\[""", text), f"{path}: {NAME}"
        for extras in re.findall(rf"(?:{NAME}|['\"]\.)\[([a-z,]+)\]", text):
            assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"]), path
    assert install("play") == f"pip install '{NAME}[play]'"


@pytest.fixture
def found(monkeypatch, tmp_path):
    """A folder of scripts that the shell searches."""
    for name in ("tdl", "python"):
        (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_script_that_the_shell_finds_is_called_by_its_name(found, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(found / "tdl")])
    assert command() == "tdl"
    monkeypatch.setattr(sys, "argv", ["/somewhere/tdl/run.py"])
    monkeypatch.setattr(sys, "executable", str(found / "python3"))
    assert command() == "python -m tdl"


def test_another_one_is_called_by_its_path(found, monkeypatch):
    """As in an environment that is not activated."""
    monkeypatch.chdir("/usr")
    monkeypatch.setattr(sys, "argv", ["/usr/env/bin/tdl"])
    assert command() == "env/bin/tdl"
    monkeypatch.setattr(sys, "argv", ["/usr/lib/tdl/__main__.py"])
    monkeypatch.setattr(sys, "executable", "/opt/bin/python")
    assert command() == "/opt/bin/python -m tdl"
