"""All checks of an environment: `tdl.rules_check`."""

import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from tdl.base.checks import check_whole, without_numpy
from tdl.conformance import contract, drops, moves
from tdl.conformance.evidence import Evidence
from tdl.conformance.finding import NOT_TESTED, WRONG, Finding
from tdl.conformance.findings_report import frame
from tdl.conformance.foreign_play import Player, place, play, probe, with_more_starts
from tdl.conformance.subject import Subject, subject_of
from tdl.errors import TdlError
from tdl.game.rules import Rules, checked_rules

STEPS, SECONDS, CHANCE = 300_000, 100.0, 0.001
"""Steps that are played, and for how long at most; how often a right environment is called wrong."""


def rules_check(
    env: Any, rules: Rules | None = None, *, steps: int = STEPS, seed: int = 0, name: str = ""
) -> pd.DataFrame:
    """Play an environment, and compare it with the rules of a game and with what Gymnasium documents.

    Parameters
    ----------
    env : a Gymnasium environment, single or vector, another object with `reset` and `step` as these have them, an
        object with `move(board, action) -> (board, reward)`, or what makes one of these without arguments.
    rules : of the game; None: 2048 on 4x4.
    steps : that are played, in at most 100 seconds.
    seed : of the games, which count up from it.
    name : the line of Python that makes `env`, for reproductions.

    Returns
    -------
    DataFrame with a row for each finding: check, verdict ("wrong", "convention", "conforms" or "not tested"), text,
    board, reproduction. Its `attrs` have the number of steps and the error of all tests together.

    Raises
    ------
    ConfigError : no environment, or none whose observations show boards of the game.

    >>> import tdl, tdl.gym
    >>> table = tdl.rules_check(tdl.gym.GameVectorEnv(64), steps=20_000)
    >>> bool((table.verdict == "wrong").any())
    False
    """
    rules, steps, seed = checked_rules(rules), without_numpy(steps), without_numpy(seed)
    check_whole("steps", steps, 1_000)
    check_whole("seed", seed, 0, 2**31)
    findings, played = check(subject_of(env, rules, name), rules, steps, seed)
    return frame(findings, steps=played, error=CHANCE)


def check(subject: Subject, rules: Rules, steps: int, seed: int) -> tuple[list[Finding], int]:
    """All findings, and how many steps were played."""
    with _shared_numbers_as_they_were(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the environment
        try:
            findings, played = _findings(subject, rules, steps, seed)
        except TdlError:
            raise
        except Exception as error:  # whatever it does
            findings, played = [Finding("errors", WRONG, f"it cannot be played: {type(error).__name__}: {error}")], 0
    again = f"import tdl; table = tdl.rules_check(env, tdl.{rules!r}, steps={steps}, seed={seed})"
    return [_reproduced(finding, f"{subject.name}\n{again}") for finding in findings], played


def _findings(subject: Subject, rules: Rules, steps: int, seed: int) -> tuple[list[Finding], int]:
    reading, directions = probe(subject, rules, seed)
    player = Player(subject, rules, reading, directions, seed)
    played = with_more_starts(player, play(player, steps, SECONDS, seed), seed)
    placed = place(player, seed) if subject.sets_boards else None
    findings = [*moves.checks(moves.Moves(player, played, placed)), *_contract(subject, seed)]
    repeats = ("seeds", WRONG) in {(finding.check, finding.verdict) for finding in findings}
    return [*findings, *_drops(played, repeats=repeats)], len(played.steps)


def _drops(played: Evidence, *, repeats: bool) -> list[Finding]:
    """Findings about drops, where games are not the same one again and again."""
    if repeats and len(played.starts) > 1 and (played.starts == played.starts[0]).all():
        return [Finding("drop tiles", NOT_TESTED, "all games begin with the same board")]
    return drops.checks(played, CHANCE)


def _reproduced(finding: Finding, lines: str) -> Finding:
    """The finding, with the way to meet it again: where no game shows it, that is by all of them."""
    if finding.verdict != WRONG or finding.reproduction:
        return finding
    return replace(finding, reproduction=f"{lines}\nprint(*table[table.check == {finding.check!r}].text)")


def _contract(subject: Subject, seed: int) -> list[Finding]:
    try:
        return contract.checks(subject, seed)
    except Exception as error:
        return [
            Finding(
                "errors", WRONG, f"in the checks of Gymnasium's contract it raised {type(error).__name__}: {error}"
            )
        ]


@contextmanager
def _shared_numbers_as_they_were() -> Iterator[None]:
    """Afterwards the random numbers that all of Python and NumPy share go on as if nothing had been."""
    python, numpy = random.getstate(), np.random.get_state()
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
