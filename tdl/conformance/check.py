"""All checks of an environment: `tdl.rules_check`."""

import warnings
from dataclasses import replace
from typing import Any

import pandas as pd

from tdl.base.checks import check_whole, without_numpy
from tdl.conformance import contract, drops, move_checks
from tdl.conformance.choosers import SkilledChooser
from tdl.conformance.finding import NOT_TESTED, WRONG, Finding, raised
from tdl.conformance.findings_report import frame
from tdl.conformance.foreign_play import play, probe, with_more_starts
from tdl.conformance.moves import Moves
from tdl.conformance.placing import place
from tdl.conformance.subject import FunctionSubject, Subject, shared_numbers_restored, subject_of
from tdl.errors import TdlError
from tdl.game.rules import Rules, checked_rules

STEPS, SECONDS, CHANCE = 300_000, 100.0, 0.001
"""Steps that are played, and for how long at most; how often a right environment is called wrong."""

MAX_STEPS = 10_000_000
"""A step takes 120 bytes."""


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
    check_whole("steps", steps, 1_000, MAX_STEPS + 1)
    check_whole("seed", seed, 0, 2**31)
    findings, played = check(subject_of(env, rules, name), rules, steps, seed)
    return frame(findings, steps=played, error=CHANCE)


def check(subject: Subject, rules: Rules, steps: int, seed: int) -> tuple[list[Finding], int]:
    """All findings, and how many steps were played."""
    with shared_numbers_restored(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the environment
        try:
            findings, played = _findings(subject, rules, steps, seed)
        except TdlError:
            raise
        except (Exception, SystemExit) as error:  # whatever it does
            findings, played = [Finding("errors", WRONG, f"it cannot be played: {raised(error)}")], 0
    again = f"import tdl; table = tdl.rules_check(env, tdl.{rules!r}, steps={steps}, seed={seed})"
    return [_reproduced(finding, f"{subject.name}\n{again}") for finding in findings], played


def _findings(subject: Subject, rules: Rules, steps: int, seed: int) -> tuple[list[Finding], int]:
    player = SkilledChooser(subject, rules, *probe(subject, rules, SECONDS / 5, seed), seed)
    played = with_more_starts(player, play(player, steps, SECONDS, seed), SECONDS / 10, seed)
    placed = place(player, seed) if subject.sets_boards else None
    moves = Moves(player, played, placed)
    findings = [*move_checks.checks(moves), *_contract(subject, seed)]
    alike = len(played.starts) > 1 and (played.starts == played.starts[0]).all()
    if alike and ("seeds", WRONG) in {(finding.check, finding.verdict) for finding in findings}:  # one game
        findings.append(Finding("drop tiles", NOT_TESTED, "all games begin with the same board"))
    else:
        show = None if isinstance(subject, FunctionSubject) else moves.examples.show  # its moves drop no tile
        findings += drops.checks(played, CHANCE, show)
    return findings, len(played.steps)


def _reproduced(finding: Finding, lines: str) -> Finding:
    """The finding, with the way to meet it again: where no game shows it, that is by all of them."""
    if finding.verdict != WRONG or finding.reproduction:
        return finding
    return replace(finding, reproduction=f"{lines}\nprint(*table[table.check == {finding.check!r}].text)")


def _contract(subject: Subject, seed: int) -> list[Finding]:
    try:
        return contract.checks(subject, seed)
    except Exception as error:
        return [Finding("errors", WRONG, f"in the checks of Gymnasium's contract it raised {raised(error)}")]
