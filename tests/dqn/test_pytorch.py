"""The deep Q-learner without PyTorch: its options, and the message where PyTorch is missing."""

import importlib
import subprocess
import sys
from dataclasses import replace

import pytest

from tdl.config.agent import dqn_choices
from tdl.dqn.options import DQNOptions
from tdl.errors import ConfigError

PUBLISHED, MODERN = dqn_choices("dqn"), dqn_choices("dqn_modern")


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
    """A fresh interpreter plays and looks ahead over tables without a look for it."""
    code = "import sys, tdl.runs.evaluation, tdl.runs.training; assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_defaults_are_those_of_the_file():
    assert dqn_choices("dqn") == DQNOptions()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"network": "qads"}, r"network: 'qads' is not allowed; expected .*; did you mean 'quads'\?"),
        ({"n_step": 0}, r"n_step: 0 is not allowed; expected a whole number from 1 to 64"),
        (
            {"learning_starts": 60_000},
            r"learning_starts: 60000 is not allowed; expected a whole number from 1 to 50000",
        ),
        (
            {"learning_starts": 2_999},
            r"learning_starts: 2999 is not allowed; expected at least newest \+ older, 3000",
        ),
        (
            {"double": True},
            r"double: True is not allowed; expected false unless target_network_frequency is above 0",
        ),
        ({"symmetries": True}, r"symmetries: True is not .* expected false unless values_of=afterstates"),
        ({"values_of": "afterstates", "masked": False}, r"masked: False .* true unless values_of=actions"),
        ({"learn": "moves"}, r"logged: True is not allowed; expected false unless learn=iteration"),
        ({"learning_rate": 0}, r"learning_rate: 0 is not allowed; expected a number above 0"),
        ({"masked": 1}, r"masked: 1 is not allowed; expected true or false"),
    ],
)
def test_wrong_choices_are_refused_by_name(changed, message):
    with pytest.raises(ConfigError, match=f"^{message}$"):
        replace(PUBLISHED, **changed)


def test_epsilon_falls_by_games():
    assert [PUBLISHED.epsilon_at(e) for e in (0, 599, 600, 10**6)] == [0.2, 0.2, 0.1, 0.1]
    falling = DQNOptions(epsilon_start=0.5, epsilon=0.1, epsilon_games=100, epsilon_decay="linear")
    assert [falling.epsilon_at(e) for e in (0, 50, 100, 101)] == pytest.approx([0.5, 0.3, 0.1, 0.1])


def test_the_first_and_eleventh_game_of_an_iteration_are_greedy():
    assert [e for e in range(40) if PUBLISHED.greedy(e)] == [0, 10, 20, 30]
    assert not any(MODERN.greedy(e) for e in range(100))
