"""Whether a training has unlearned: its games were far better before than at its end, though no value diverged."""

import numpy as np

from tdl.storage.records import Records

PARTS = 20
"""The games are looked at in this many parts with as many moves each."""

_FEWEST = 100  # games of a part; their mean is known to some 6%, so that chance hardly ever halves it


def unlearned(games: Records) -> str:
    """What says so; empty where the last part's mean score is at least half of the best part's.

    Greedy play that has come to undervalue good boards avoids them, so that it can stay so for the rest of a run: one
    of two billion moves fell from 133,000 points to 13,000 and ended with 45,000 (`experiments/unlearning`).

    Parameters
    ----------
    games : of the whole training, in order.
    """
    if not len(games):
        return ""
    moves = np.cumsum(games["moves"], dtype=np.int64)
    part = np.minimum((moves - games["moves"]) * PARTS // max(moves[-1], 1), PARTS - 1)  # where a game begins
    numbers = np.bincount(part, minlength=PARTS)
    means = np.bincount(part, games["score"], PARTS) / np.maximum(numbers, 1)
    means[numbers < _FEWEST] = 0
    best = int(np.argmax(means))
    if numbers[-1] < _FEWEST or means[-1] >= means[best] / 2:
        return ""
    episode = int(games["episode"][part == best][-1])
    return (
        f"unlearned: the mean score of the training fell from {means[best]:,.0f}, up to episode {episode:,}, to "
        f"{means[-1]:,.0f}"
    )
