"""What environments do where Gymnasium leaves it open is told, and what contradicts it is called wrong.

Trusts Gymnasium's `SyncVectorEnv`. The wrong environments are those of `support.mutants` that say so.
"""

import gymnasium
import pytest
from gymnasium.vector import AutoresetMode
from support.mutants import MUTANTS, Functions, Lanes, Plain

import tdl.gym
from tdl.conformance import contract
from tdl.conformance.finding import WRONG
from tdl.conformance.subject import subject_of
from tdl.game.rules import Rules

RULES = Rules(rows=3, cols=3)
CHECKS = {"seeds", "spaces", "arrays", "after the end", "interface", "auto-reset"}


class GoesOnAfterTheEnd(Plain):
    """As programs that return early where a move changes nothing."""

    def refused(self, direction):
        observed, reward, _, *rest = super().refused(direction)
        return observed, reward, False, *rest


def checked(env):
    """The findings by their check."""
    return {finding.check: finding for finding in contract.checks(subject_of(env, RULES), seed=0)}


def wrong(env):
    return {check for check, finding in checked(env).items() if finding.verdict == WRONG}


@pytest.mark.parametrize("name", [name for name, (_, _, checks) in MUTANTS.items() if checks & CHECKS])
def test_what_contradicts_gymnasium_is_found(name):
    mutant, words, checks = MUTANTS[name]
    assert wrong(mutant(**words)) == checks & CHECKS


@pytest.mark.parametrize(
    "env",
    [
        *(lambda shown=shown: Plain(shown=shown) for shown in ("values", "indices", "planes", "flat", "dict")),
        *(lambda illegal=illegal: Plain(illegal=illegal) for illegal in ("ends", "truncates", "raises", "costs")),
        *(lambda mode=mode: Lanes(mode=mode) for mode in AutoresetMode),
        lambda: Lanes(n=1),
        lambda: gymnasium.make(tdl.gym.ID, size="3x3"),
        lambda: gymnasium.make_vec(tdl.gym.ID, 8, size="3x3"),
        Functions,
    ],
)
def test_nothing_is_wrong_with_right_environments(env):
    assert wrong(env()) == set()


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
