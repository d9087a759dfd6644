"""The options of deep Q-learners, which need no PyTorch: what excludes what, and schedules by hand."""

from dataclasses import replace

import pytest

from tdl.config.agent import dqn_choices
from tdl.dqn.options import DQNOptions
from tdl.errors import ConfigError

PUBLISHED, MODERN = dqn_choices("dqn"), dqn_choices("dqn_modern")


def test_the_defaults_are_those_of_the_file():
    assert dqn_choices("dqn") == DQNOptions()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"network": "qads"}, r"network: 'qads' is not allowed; expected .*; did you mean 'quads'\?"),
        ({"learning_starts": 60_000}, r"learning_starts: 60000 is not .* expected a whole number from 1 to 50000"),
        ({"learning_starts": 2_999}, r"learning_starts: 2999 is not .* expected at least newest \+ older, 3000"),
        ({"double": True}, r"double: True is not .* expected false unless target_network_frequency is above 0"),
        ({"symmetries": True}, r"symmetries: True is not .* expected false unless values_of=afterstates"),
        ({"values_of": "afterstates", "masked": False}, r"masked: False .* true unless values_of=actions"),
        ({"learn": "moves"}, r"logged: True is not allowed; expected false unless learn=iteration"),
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
