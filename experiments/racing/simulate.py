"""Races of made-up scores: how often the best setting stays, and how many games are saved. Writes races.csv.

    python -m experiments.racing.simulate [races=2000] [into=FOLDER]

Scores are lognormal, `spread` is the standard deviation of their logarithms between seeds, and `effect` how far the
medians of the others are below the best: all as far (`alike`), evenly from 0 to there (`even`), or as `alike` with
spreads that differ between settings by a factor of 1.6 (`mixed`), or with three times the spread for the best
(`loud`). `kept` is the share of races in which the best stays or one within 1% of it, `saved` the share of games that
are not played, `stay` the number of settings that stay.
"""

import math
import sys
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tqdm import tqdm

from experiments.tools import arguments, write
from tdl.statistics.intervals import chi_square_tail, mean_interval, share_interval, t_quantile
from tdl.statistics.racing import ERROR, FIRST, standing

SEEDS, NEAR, FACTOR, LOUD = 20, 0.01, 1.6, 3  # of each setting; what counts as the best, too; factors of spreads
SETTINGS, SPREADS = (4, 8, 16), (0.02, 0.05, 0.1)
FIELDS = {"alike": (0, 0.011, 0.05, 0.1, 0.2, 0.3), "mixed": (0.011, 0.1), "even": (0.3,), "loud": (0.011,)}
"""Effects of each field. Those of 1.1% are the least favourable: as near as can be without counting as the best."""

Floats = NDArray[np.float64]
Worse = Callable[[Floats], NDArray[np.bool_]]  # of the logarithms of settings that are left: those that stop
Ends = tuple[NDArray[np.bool_], NDArray[np.int64]]  # who has stopped, and after how many seeds each


def scores_of(rng: np.random.Generator, field: str, effect: float, settings: int, spread: float) -> Floats:
    """Scores of a race."""
    spreads = np.full(settings, spread)
    if field == "mixed":
        spreads *= FACTOR ** rng.normal(size=settings)
    if field == "loud":
        spreads[0] *= LOUD
    noise: Floats = np.exp(spreads[:, None] * rng.normal(size=(settings, SEEDS)))
    return medians(field, effect, settings)[:, None] * noise


def medians(field: str, effect: float, settings: int) -> Floats:
    """The true score of each setting, that of the best first."""
    return 1 - (np.linspace(0, effect, settings) if field == "even" else np.append(0, np.full(settings - 1, effect)))


def ours(scores: Floats) -> Ends:
    """The race of `tdl sweep race.on=true`."""
    end = standing(scores)
    return end.stopped, end.seeds


def t_test(values: Floats) -> NDArray[np.bool_]:
    """Student's t of each setting against the leader, at 5% whatever was tested before."""
    n, means, variances = values.shape[1], values.mean(axis=1), values.var(axis=1, ddof=1)
    margin = t_quantile(1 - 2 * ERROR, 2 * (n - 1)) * np.sqrt((variances + variances[means.argmax()]) / n)
    return means.max() - means > margin


def f_race(values: Floats) -> NDArray[np.bool_]:
    """F-race: Friedman's test of ranks, then each against the best (Conover), at 5% from the fifth seed on."""
    settings, n = values.shape
    ranks = values.argsort(axis=0).argsort(axis=0) + 1
    sums, freedom = ranks.sum(axis=1), (n - 1) * (settings - 1)
    friedman = 12 * ((sums - n * (settings + 1) / 2) ** 2).sum() / (n * settings * (settings + 1))
    if n < 5 or chi_square_tail(float(friedman), settings - 1) > ERROR:
        return np.zeros(settings, np.bool_)
    rest = n * (ranks**2).sum() - (sums**2).sum()
    return sums.max() - sums > t_quantile(1 - ERROR, freedom) * math.sqrt(2 * rest / freedom)


def halving(values: Floats) -> NDArray[np.bool_]:
    """Successive halving: after 2, 4, 8 and 16 seeds the better half stays."""
    settings, n = values.shape
    ranks = values.mean(axis=1).argsort().argsort()
    return ranks < (settings // 2 if n & (n - 1) == 0 else 0)


def by(worse: Worse) -> Callable[[Floats], Ends]:
    """A race with another decision after each round."""

    def race(scores: Floats) -> Ends:
        values, stopped, seeds = np.log(scores), np.zeros(len(scores), np.bool_), np.zeros(len(scores), np.int64)
        for n in range(FIRST, SEEDS + 1):
            left = np.flatnonzero(~stopped)
            if len(left) > 1:
                seeds[left] = n
                stopped[left[worse(values[left, :n])]] = True
        return stopped, seeds

    return race


METHODS = {"race": ours, "t test": by(t_test), "F-race": by(f_race), "halving": by(halving)}


def cells() -> Iterator[tuple[str, str, int, float, float]]:
    """Method, field, settings, spread and effect of each row."""
    for field, effects in FIELDS.items():
        yield from product(["race"], [field], SETTINGS, SPREADS, effects)
    yield from product([*METHODS][1:], ["alike", "mixed"], SETTINGS, [0.05], (0.011, 0.1))


def row(races: int, method: str, field: str, settings: int, spread: float, effect: float) -> dict[str, Any]:
    """What comes out of the races of a cell; all methods see the same scores."""
    rng = np.random.default_rng([settings, *(round(1000 * x) for x in (spread, effect))])
    true = medians(field, effect, settings)
    ends = [METHODS[method](scores_of(rng, field, effect, settings, spread)) for _ in range(races)]
    kept = sum(bool(true[~stopped].max() >= 1 - NEAR) for stopped, _ in ends)
    saved = np.array([1 - seeds.sum() / (SEEDS * settings) for _, seeds in ends])
    figures = {"kept": (kept / races, *share_interval(kept, races)), "saved": (saved.mean(), *mean_interval(saved))}
    bounds = {f"{name}{end}": value for name, values in figures.items()
              for end, value in zip(("", "_low", "_high"), values, strict=True)}  # fmt: skip
    cell = {"method": method, "field": field, "settings": settings, "spread": spread, "effect": effect}
    return cell | {"races": races} | bounds | {"stay": np.mean([(~stopped).sum() for stopped, _ in ends])}


def main(*words: str) -> None:
    _, folder, options = arguments("racing", words, "races")
    races = int(options.get("races", 2000))
    table = pd.DataFrame([row(races, *cell) for cell in tqdm([*cells()], unit="cell", disable=None)])
    write(folder, races=table.round(4))


if __name__ == "__main__":
    main(*sys.argv[1:])
