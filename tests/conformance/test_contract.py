"""What environments do where Gymnasium leaves it open is told, and no right one is called wrong.

Trusts Gymnasium's `SyncVectorEnv`. What contradicts Gymnasium is found in test_mutants.py.
"""

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode
from support.plain_2048 import Lanes, Plain

import tdl.gym
from tdl.conformance import contract
from tdl.conformance.finding import WRONG
from tdl.conformance.subject import subject_of
from tdl.game.rules import Rules

RULES = Rules(rows=3, cols=3)


class GoesOnAfterTheEnd(Plain):
    """As programs that return early where a move changes nothing."""

    def refused(self, direction):
        observed, reward, _, *rest = super().refused(direction)
        return observed, reward, False, *rest


def checked(env):
    """The findings by their check."""
    return {finding.check: finding for finding in contract.checks(subject_of(env, RULES), seed=0)}


@pytest.mark.parametrize(
    "env",
    [
        Lanes(n=1),
        gymnasium.make(tdl.gym.ID, size="3x3"),
        gymnasium.make_vec(tdl.gym.ID, 8, size="3x3"),
    ],
    ids=["one lane", "single", "vector"],
)
def test_nothing_is_wrong_with_what_gymnasium_makes(env):
    assert WRONG not in {finding.verdict for finding in checked(env).values()}


@pytest.mark.parametrize(
    ("env", "check", "text"),
    [
        (Plain(), "after the end", "a step after the end changes nothing, and says again that it is over"),
        (Plain(illegal="raises"), "after the end", "a step after the end raises ValueError"),
        (GoesOnAfterTheEnd(), "after the end", "a step after the end says that the game goes on"),
        (Plain(goal=5), "after the end", "a step after the end changes the board"),
        (Lanes(mode=AutoresetMode.DISABLED), "auto-reset", "Disabled"),
        (Lanes(mode=AutoresetMode.SAME_STEP), "auto-reset", "SameStep"),
    ],
)
def test_what_is_left_open_is_told(env, check, text):
    assert checked(env)[check].text.startswith(text)
