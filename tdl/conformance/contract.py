"""Whether an environment keeps what Gymnasium documents: seeds, spaces, new arrays and auto-reset."""

import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.conformance.finding import CONFORMS, CONVENTION, NOT_TESTED, WRONG, Finding
from tdl.conformance.subject import (
    BOARD,
    FINALS,
    MASK,
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
    if isinstance(subject, FunctionSubject):
        return [_seeds(subject, seed)]
    watch = _Watch(subject)
    for answer in _answers(subject, seed):
        watch.add(answer)
    findings = [_seeds(subject, seed), watch.spaces(), watch.arrays()]
    if isinstance(subject, VectorSubject):
        return [*findings, watch.autoreset()]
    return [*findings, _after_the_end(subject, seed), _interface(subject, seed)]


def _is_gymnasium(subject: Subject) -> bool:
    """Whether the environment promises what Gymnasium documents: older Gym, and adapters, do not."""
    return any(base.__module__.startswith("gymnasium.") for base in type(subject.native).__mro__)


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
        if (answer.terminated | answer.truncated).any():
            leaves = subject.begin() or leaves


def _actions(subject: Subject, leaves: Leaves, rng: np.random.Generator) -> NDArray[np.int64]:
    """Actions at random; legal ones where a mask is shown."""
    shape = (subject.n, subject.actions)
    masks = (leaf != 0 for path, leaf in leaves.items() if "mask" in path or path == MASK)
    mask = next((mask for mask in masks if mask.shape == shape), np.ones(shape))
    chosen: NDArray[np.int64] = (rng.random(shape) * mask).argmax(axis=1)
    return chosen


def _shown(leaves: Leaves) -> list[NDArray[Any]]:
    """What is seen of boards: arrays with a row for each lane."""
    return [leaf for path, leaf in leaves.items() if path.startswith("observation") or path == BOARD]


# Seeds


def _seeds(subject: Subject, seed: int) -> Finding:
    """Whether a seed repeats a game, and whether other seeds, lanes and later resets give others."""
    first, fresh = _trace(subject, seed), range(seed + 1, seed + GAMES)
    if _trace(subject, seed) != first:
        verdict = WRONG if _is_gymnasium(subject) else CONVENTION
        return Finding("seeds", verdict, f"two games after reset(seed={seed}) differ, with the same actions")
    if all(_trace(subject, other) == first for other in fresh):
        return Finding("seeds", WRONG, f"the seeds {seed} to {fresh[-1]} give one game")
    if subject.n > 1 and all(_alike(_shown(subject.reset(other).leaves)) for other in fresh):
        return Finding("seeds", WRONG, f"all {subject.n} games of a reset begin with one board, whatever the seed")
    if subject.n == 1 and _resets_are_alike(subject, seed):
        return Finding("seeds", WRONG, "each reset without a seed begins with the same board")
    return Finding("seeds", CONFORMS, "a seed repeats its game; other seeds and later resets give others")


def _trace(subject: Subject, seed: int) -> list[Any]:
    """What is seen in the first steps after a reset, whatever others have drawn from shared generators."""
    with shared_numbers_restored():
        random.seed()
        np.random.seed()
        answers = [*_answers(subject, seed, SHORT)]
    return [
        ([leaf.tolist() for leaf in _shown(answer.leaves)], answer.rewards.tolist(), answer.terminated.tolist())
        for answer in answers
    ]


def _alike(leaves: list[NDArray[Any]]) -> bool:
    """Whether the rows of each array are the same; of no arrays nothing is known."""
    return bool(leaves) and all((leaf == leaf[:1]).all() for leaf in leaves)


def _resets_are_alike(subject: Subject, seed: int) -> bool:
    """Whether several games that follow one reset with a seed begin alike."""
    subject.reset(seed)
    starts = [_shown(subject.begin() or {}) for _ in range(GAMES)]
    return _alike([np.stack(leaves) for leaves in zip(*starts, strict=True)])


def _after_the_end(subject: Subject, seed: int) -> Finding:
    """What a step after the end of a game does: Gymnasium leaves it open, but there is no move to go on with."""
    last = next((answer for answer in _answers(subject, seed) if answer.terminated.any()), None)
    if last is None:
        return Finding("after the end", NOT_TESTED, "no game ended")
    over = True
    for action in range(subject.actions):
        try:
            answer = subject.step(np.array([action]))
        except Exception as error:
            return Finding("after the end", CONVENTION, f"a step after the end raises {type(error).__name__}")
        if any(not np.array_equal(a, b) for a, b in zip(_shown(answer.leaves), _shown(last.leaves), strict=True)):
            return Finding("after the end", CONVENTION, "a step after the end changes the board")
        over &= bool(answer.terminated.any() or answer.truncated.any())
    if not over:
        verdict = WRONG if _is_gymnasium(subject) else CONVENTION
        return Finding(
            "after the end", verdict, "a step after the end says that the game goes on, with the same board"
        )
    return Finding("after the end", CONVENTION, "a step after the end changes nothing, and says again that it is over")


def _interface(subject: Subject, seed: int) -> Finding:
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
    if apart:
        return Finding("interface", WRONG if _is_gymnasium(subject) else CONVENTION, "; ".join(apart))
    return Finding("interface", CONFORMS, "reset returns two values and step five")


def _raw_step(subject: Subject) -> tuple[Any, ...]:
    """What the environment itself returns for the first action that it takes."""
    for action in range(subject.actions):
        with suppress(Exception):  # of an illegal move
            results: tuple[Any, ...] = subject.native.step(action + subject.first)
            return results
    return ()


class _Watch:
    """Looks at the answers of some games."""

    def __init__(self, subject: Subject) -> None:
        self.subject, self.count = subject, 0
        self.contains = getattr(getattr(subject.native, "observation_space", None), "contains", None)
        self.outside, self.returned = "", list[tuple[Any, Leaves]]()
        self.ended, self.ends, self.finals, self.paid = np.zeros(subject.n, np.bool_), 0, 0, 0.0

    def add(self, answer: Answer) -> None:
        """Look at one more answer."""
        if self.contains is not None and not self.outside and not self.contains(answer.observations):
            self.outside = self._in_words(answer.observations)
        if self.count < SHORT:
            self.returned.append((answer.observations, self._copies(answer.observations)))
        self.paid += float(np.abs(answer.rewards[self.ended]).sum())
        self.ended = answer.terminated | answer.truncated
        self.count += 1
        if self.ended.any():
            self.ends += 1
            self.finals += isinstance(answer.infos, Mapping) and bool({*FINALS} & {*answer.infos})

    def _copies(self, observations: Any) -> Leaves:
        return dict(leaves_of(observations, "", self.subject.n, batched=self.subject.batched))

    def _in_words(self, observations: Any) -> str:
        leaves = [leaf if self.subject.batched else leaf[0] for leaf in self._copies(observations).values()]
        return ", ".join(f"{x.dtype} {x.shape} of {x.min()} to {x.max()}" for x in leaves) or "no numbers"

    def spaces(self) -> Finding:
        """Whether observations lie in the space that the environment declares."""
        if self.contains is None:
            return Finding("spaces", NOT_TESTED, "there is no observation_space as Gymnasium has it")
        if self.outside:
            space = self.subject.native.observation_space
            return Finding("spaces", WRONG, f"an observation ({self.outside}) is not in {space}")
        return Finding("spaces", CONFORMS, f"{self.count:,} observations are in observation_space")

    def arrays(self) -> Finding:
        """Whether later steps leave the observations that were returned as they are."""
        for observations, copies in self.returned:
            later = self._copies(observations)
            if any(not np.array_equal(later[path], leaf) for path, leaf in copies.items()):
                return Finding("arrays", WRONG, "a later step overwrites an observation that an earlier one returned")
        return Finding("arrays", CONFORMS, "no later step overwrites an observation")

    def autoreset(self) -> Finding:
        """Whether finished games begin anew as `metadata["autoreset_mode"]` says."""
        mode = (getattr(self.subject.native, "metadata", None) or {}).get("autoreset_mode")
        mode = getattr(mode, "value", mode)
        if not self.ends:
            return Finding("auto-reset", NOT_TESTED, "no game ended")
        if mode == "SameStep" and self.finals < self.ends:
            return Finding("auto-reset", WRONG, "the mode is SameStep, and info has no final_obs where a game ends")
        if mode in ("NextStep", "Disabled") and self.finals:
            return Finding("auto-reset", WRONG, f"the mode is {mode}, and info has final_obs where a game ends")
        if mode == "NextStep" and self.paid:
            return Finding("auto-reset", WRONG, "the mode is NextStep, and the step after an end has a reward")
        named = "" if mode else "; metadata names no autoreset_mode"
        return Finding("auto-reset", CONVENTION, f"{mode or ('SameStep' if self.finals else 'NextStep')}{named}")
