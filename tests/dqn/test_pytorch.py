"""Where PyTorch is missing one line says how to get it; who does not need it does not import it."""

import importlib
import subprocess
import sys

import pytest

from tdl.errors import ConfigError


def test_without_torch_one_line_names_the_extra(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("tdl.dqn.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(
        ConfigError, match=r"^the deep Q-network needs PyTorch: pip install 'tdl-ntuple\[dqn\]' \(.*\)$"
    ):
        importlib.import_module("tdl.dqn.dqn_trainer")


def test_a_run_without_torch_ends_with_that_line(tmp_path):
    code = "import sys; sys.modules['torch'] = None; from tdl.cli.run import main; main()"
    words = ("agent=dqn", f"hydra.run.dir={tmp_path}/run")
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("tdl: the deep Q-network needs PyTorch: pip install 'tdl-ntuple[dqn]' (")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_looking_ahead_needs_no_torch():
    """A fresh interpreter plays and looks ahead over tables without a look for it, or for CuPy."""
    code = "import sys, tdl.runs.evaluation, tdl.runs.training; assert not {'torch', 'cupy'} & {*sys.modules}"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
