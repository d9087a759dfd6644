"""Whether an environment keeps what Gymnasium documents: seeds, spaces, new arrays and auto-reset."""

import random
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.finding import CONFORMS, CONVENTION, NOT_TESTED, WRONG, Finding, Said
from tdl.conformance.subject import (
    BOARD,
    Answer,
    FunctionSubject,
    Leaves,
    Subject,
    VectorSubject,
    leaves_of,
    shared_numbers_restored,
)

GAMES, SHORT, LONG, LEAST = 8, 30, 1000, 300
"""Games whose first steps are compared, these steps; steps that are looked at, and at least so many of each lane."""


def checks(subject: Subject, seed: int) -> list[Finding]:
    """Findings about seeds, and of environments about the rest of their contract."""
    said = {"seeds": _seeds(subject, seed)}
    if not isinstance(subject, FunctionSubject):
        said |= _watched(subject, seed)
    if not subject.batched:
        said |= {"after the end": _after_the_end(subject, seed), "interface": _interface(subject, seed)}
    return [Finding(check, *words) for check, words in said.items()]


def _against(subject: Subject) -> str:
    """The verdict of what Gymnasium's environments promise: older Gym, and adapters, do not."""
    promised = any(base.__module__.startswith("gymnasium.") for base in type(subject.native).__mro__)
    return WRONG if promised else CONVENTION


def _answers(subject: Subject, seed: int, steps: int = LONG) -> Iterator[Answer]:
    """Of a reset and of steps, by actions that are the same each time; moves that raise an error are left out."""
    rng, answer = np.random.default_rng(0), subject.reset(seed)
    leaves = answer.leaves
    yield answer
    for _ in range(max(steps // subject.n, min(steps, LEAST))):
        try:
            answer = subject.step(_actions(subject, leaves, rng))
        except Exception:  # whatever an illegal move raises
            continue
        yield answer
        leaves = answer.leaves
        if answer.ended.any():
            leaves = subject.begin() or leaves


def _actions(subject: Subject, leaves: Leaves, rng: np.random.Generator) -> NDArray[np.int64]:
    """Actions at random; legal ones where a mask is shown."""
    shape = (subject.n, subject.actions)
    masks = (leaf != 0 for path, leaf in leaves.items() if "mask" in path)
    mask = next((mask for mask in masks if mask.shape == shape), np.ones(shape))
    chosen: NDArray[np.int64] = (rng.random(shape) * mask).argmax(axis=1)
    return chosen


def _shown(leaves: Leaves) -> list[NDArray[Any]]:
    """What is seen of boards: arrays with a row for each lane."""
    return [leaf for path, leaf in leaves.items() if path.startswith("observation") or path == BOARD]


def _seeds(subject: Subject, seed: int) -> Said:
    """Whether a seed repeats a game, and whether other seeds, lanes and later resets give others."""
    first, fresh = _trace(subject, seed), range(seed + 1, seed + GAMES)
    if _trace(subject, seed) != first:
        return _against(subject), f"two games after reset(seed={seed}) differ, with the same actions"
    if all(_trace(subject, other) == first for other in fresh):
        return WRONG, f"the seeds {seed} to {fresh[-1]} give one game"
    if subject.n > 1 and all(_alike(_shown(subject.reset(other).leaves)) for other in fresh):
        return WRONG, f"all {subject.n} games of a reset begin with one board, whatever the seed"
    if subject.n == 1 and _resets_are_alike(subject, seed):
        return WRONG, "each reset without a seed begins with the same board"
    return CONFORMS, "a seed repeats its game; other seeds and later resets give others"


def _trace(subject: Subject, seed: int) -> list[Any]:
    """What is seen in the first steps after a reset, whatever others have drawn from shared generators."""
    with shared_numbers_restored():
        random.seed()
        np.random.seed()
        answers = [*_answers(subject, seed, SHORT)]
    figures = ([*_shown(item.leaves), np.nan_to_num(item.rewards), item.terminated] for item in answers)
    return [[figure.tolist() for figure in row] for row in figures]


def _alike(leaves: list[NDArray[Any]]) -> bool:
    """Whether the rows of each array are the same; of no arrays nothing is known."""
    return bool(leaves) and all((leaf == leaf[:1]).all() for leaf in leaves)


def _resets_are_alike(subject: Subject, seed: int) -> bool:
    """Whether several games that follow one reset with a seed begin alike."""
    subject.reset(seed)
    starts = [_shown(subject.begin() or {}) for _ in range(GAMES)]
    return _alike([np.stack(leaves) for leaves in zip(*starts, strict=True)])


def _watched(subject: Subject, seed: int) -> dict[str, Said]:
    """What is said of the answers of some games."""
    space = getattr(subject.native, "observation_space", None)
    contains = getattr(space, "contains", None)
    early, outside, finals, paid = list[Answer](), "", list[bool](), False
    count, ended = 0, np.zeros(subject.n, np.bool_)
    for count, answer in enumerate(_answers(subject, seed), 1):
        early += [answer] if count <= SHORT else []
        if contains is not None and not outside and not contains(answer.observations):
            outside = f"an observation ({_in_words(subject, answer)}) is not in {space}"
        paid |= bool(answer.rewards[ended].any())
        ended = answer.ended
        finals += [answer.has_finals] if ended.any() else []
    said: dict[str, Said] = {}
    said["spaces"] = (WRONG, outside) if outside else (CONFORMS, f"{count:,} observations are in observation_space")
    if contains is None:
        said["spaces"] = NOT_TESTED, "there is no observation_space as Gymnasium has it"
    said["arrays"] = _arrays(subject, early)
    return said | ({"auto-reset": _autoreset(subject, finals, paid)} if isinstance(subject, VectorSubject) else {})


def _again(subject: Subject, answer: Answer) -> Leaves:
    """What the observations that were returned show now."""
    return dict(leaves_of({"observation": answer.observations}, "", subject.n, batched=subject.batched))


def _in_words(subject: Subject, answer: Answer) -> str:
    leaves = [leaf if subject.batched else leaf[0] for leaf in _again(subject, answer).values()]
    return ", ".join(f"{x.dtype} {x.shape} of {x.min()} to {x.max()}" for x in leaves) or "no numbers"


def _arrays(subject: Subject, answers: list[Answer]) -> Said:
    """Whether later steps leave the observations that were returned as they are."""
    for answer in answers:
        going = ~answer.ended  # of the others the last boards are noted, whatever was returned
        for path, leaf in _again(subject, answer).items():
            if not np.array_equal(leaf[going], answer.leaves[path][going]):
                return WRONG, "a later step overwrites an observation that an earlier one returned"
    return CONFORMS, "no later step overwrites an observation"


def _autoreset(subject: Subject, finals: list[bool], paid: bool) -> Said:
    """Whether finished games begin anew as `metadata["autoreset_mode"]` says."""
    mode = (getattr(subject.native, "metadata", None) or {}).get("autoreset_mode")
    mode = getattr(mode, "value", mode)
    if not finals:
        return NOT_TESTED, "no game ended"
    if mode == "SameStep" and not all(finals):
        return WRONG, "the mode is SameStep, and info has no final_obs where a game ends"
    if mode in ("NextStep", "Disabled") and any(finals):
        return WRONG, f"the mode is {mode}, and info has final_obs where a game ends"
    if mode == "NextStep" and paid:
        return WRONG, "the mode is NextStep, and the step after an end has a reward"
    named = "" if mode else "; metadata names no autoreset_mode"
    return CONVENTION, f"{mode or ('SameStep' if any(finals) else 'NextStep')}{named}"


def _after_the_end(subject: Subject, seed: int) -> Said:
    """What a step after the end of a game does: Gymnasium leaves it open."""
    last = next((answer for answer in _answers(subject, seed) if answer.terminated.any()), None)
    if last is None:
        return NOT_TESTED, "no game ended"
    over = True
    for action in range(subject.actions):
        try:
            answer = subject.step(np.array([action]))
        except Exception as error:
            return CONVENTION, f"a step after the end raises {type(error).__name__}"
        if any(not np.array_equal(a, b) for a, b in zip(_shown(answer.leaves), _shown(last.leaves), strict=True)):
            return CONVENTION, "a step after the end changes the board"
        over &= bool(answer.ended.any())
    if over:
        return CONVENTION, "a step after the end changes nothing, and says again that it is over"
    return CONVENTION, "a step after the end says that the game goes on, with the same board"


def _interface(subject: Subject, seed: int) -> Said:
    """Whether reset and step return what Gymnasium documents; older Gym returned less."""
    subject.reset(seed)
    first, results = subject.native.reset(), _raw_step(subject)
    apart = []
    if not (isinstance(first, tuple) and len(first) == 2 and isinstance(first[1], dict)):
        apart.append("reset does not return an observation and a dictionary")
    if len(results) != 5:
        apart.append(f"step returns {len(results)} values; expected 5")
    elif not all(isinstance(end, bool | np.bool_) for end in results[2:4]):
        apart.append(f"terminated is {results[2]!r} and truncated {results[3]!r}; expected two bools")
    return (_against(subject), "; ".join(apart)) if apart else (CONFORMS, "reset returns two values and step five")


def _raw_step(subject: Subject) -> tuple[Any, ...]:
    """What the environment itself returns for the first action that it takes."""
    for action in range(subject.actions):
        with suppress(Exception):  # of an illegal move
            results: tuple[Any, ...] = subject.native.step(action + subject.first)
            return results
    return ()
