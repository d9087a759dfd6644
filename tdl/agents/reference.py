"""The episode loop in plain Python: the twin of `tdl.agents.selfplay`. A lane is a generator; one step is one move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tdl.game.reference import Board, Stream, legal, move, place, start
from tdl.game.rules import Rules
from tdl.learning.reference import ReferenceLearner

Record = tuple[int, int, int, int]


def play_block(
    rules: Rules,
    learner: ReferenceLearner,
    *,
    order: str,
    seed: int,
    role: int,
    lanes: int,
    first: int,
    episodes: int,
) -> list[Record]:
    """Play a block and give its records (episode, score, moves, max_tile), ordered by episode."""
    waiting = iter(range(first, first + episodes))
    records: list[Record] = []

    def lane() -> Iterator[None]:
        for episode in waiting:
            yield from _game(rules, learner, order, Stream(seed, role, episode), episode, records)

    running = [lane() for _ in range(lanes)]
    running = [each for each in running if _alive(each)]  # every lane takes its first game before any lane moves
    while running:
        running = [each for each in running if _alive(each)]
    return sorted(records)


def _alive(lane: Iterator[None]) -> bool:
    return next(lane, StopIteration) is not StopIteration


def _game(
    rules: Rules, learner: ReferenceLearner, order: str, stream: Stream, episode: int, records: list[Record]
) -> Iterator[None]:
    """One game: choose, observe, update, place; other lanes move at each `yield`."""
    board, score = start(stream, rules), 0
    path: list[tuple[Board, int]] = []
    yield
    while actions := legal(board, rules):
        moves = [move(board, action, rules) for action in actions]
        after, reward = max((m for m in moves if m), key=lambda m: learner.backup(m[1], m[0]))
        if order == "forward" and path:
            learner.update(path[-1][0], learner.backup(reward, after))
        path.append((after, reward))
        score += reward
        board = place(after, stream, rules)
        yield
    if order == "forward":
        learner.update(path[-1][0], np.float32(0))
    if order == "backward":
        learner.replay_backward(path)
    records.append((episode, score, len(path), max(rules.value(tile) for tile in board)))
