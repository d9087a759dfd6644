"""The environments of this package keep the rules, with each convention, and the kit says which it is.

Trusts the kit, which `test_mutants.py` tries on wrong environments.
"""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support.gym_steps import CONVENTIONS, PLAYER, small

import tdl
from tdl.game.rules import ACTION_NAMES
from tdl.gym import GameEnv, GameVectorEnv

ILLEGAL = {"ignore": "ignored", "raise": "raises ConfigError", "end": "ends the game", "mask": "ignored"}
REWARD = {"score": "the score", "log2": "log2", "regret": "of its own"}
OBSERVED = {"indices": "exponents", "values": "tile values", "planes": "planes first", "planes_last": "planes last",
            "scaled": "exponents / 15"}  # fmt: skip


@pytest.mark.parametrize(
    ("words", "mode"), [*zip(CONVENTIONS[::7], np.repeat([*AutoresetMode], 3), strict=False)], ids=str
)
def test_many_boards(words, mode):
    """Each convention, and each reward with each mode."""
    envs = GameVectorEnv(32, autoreset_mode=mode, **small(words))
    assert_told(tdl.rules_check(envs, PLAYER.rules, steps=1_000), words)


@pytest.mark.parametrize("words", CONVENTIONS[::11], ids=lambda words: "-".join(words.values()))
def test_one_board(words):
    assert_told(tdl.rules_check(GameEnv(**small(words)), PLAYER.rules, steps=1_000), words)


def test_what_moves_lose_by_values_is_no_wrong_score():
    """Most moves that merge are best, and lose nothing."""
    table = tdl.rules_check(GameVectorEnv(32, reward="regret", player="tdl:small"), steps=5_000)
    assert_told(table, {**CONVENTIONS[0], "reward": "regret"})


def assert_told(table, words):
    """Nothing is wrong, and the convention is what it is."""
    assert table[table.verdict == "wrong"].to_dict("records") == []
    text = table.set_index("check").text
    assert OBSERVED[words["observation"]] in text["observation"]
    assert ILLEGAL[words["illegal"]] in text["illegal moves"]
    assert REWARD[words["reward"]] in text["rewards"]
    order = words["actions"].split(",")
    assert text["actions"].startswith(", ".join(f"{number} {name}" for number, name in enumerate(order)))
    assert sorted(order) == sorted(ACTION_NAMES)
