"""A race of settings over seeds: which are worse than the leader beyond doubt, and which runs are due next.

Everything follows from the scores alone, so a race that was killed goes on as if nothing had been.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdl.statistics.intervals import t_quantile

DIVERGED = -math.inf
"""The score of a run that diverged: below that of any other."""

FIRST, ERROR, LAPSES = 2, 0.05, 2
"""Seeds of every setting; how often the best setting stops at most; runs that diverge until their setting stops."""

CATCH_UP = 0.3
"""At a rung a setting may be behind by this times the logarithm of how much is left, beside what chance may do."""

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Look:
    """A decision; arrays have an entry for each setting.

    Attributes
    ----------
    seeds : how many each setting that is left has played.
    share : of the budget that they have played.
    means : mean scores, of logarithms where all scores are above 0; -inf after a divergence, nan of who was out.
    behind : how far they are below the leader's.
    margin : who is further behind stops; inf where nothing can be said.
    stopped : those that stop here.
    """

    seeds: int
    share: float
    means: Scores
    behind: Scores
    margin: float
    stopped: NDArray[np.bool_]


@dataclass(frozen=True)
class Standing:
    """Where a race stands.

    Attributes
    ----------
    looks : the decisions so far.
    seeds : int array of shape (settings,), how many seeds each setting has played to the end, as far as they counted.
    stopped : bool array of shape (settings,), those that play no more.
    due : the runs that the next decision waits for, as (setting, seed); empty when the race is over.
    layer : how far they have to be played: the number of the rung, or that of all rungs for the whole budget.
    """

    looks: Sequence[Look]
    seeds: NDArray[np.int64]
    stopped: NDArray[np.bool_]
    due: Sequence[tuple[int, int]] = ()
    layer: int = 0


def standing(
    scores: Scores,
    first: int = FIRST,
    error: float = ERROR,
    out: Collection[int] = (),
    rungs: Sequence[float] = (),
) -> Standing:
    """Hold a race, look by look, as far as the scores go.

    The first seeds are judged at each rung, then at their end. Then each setting that is left plays one seed more
    before each look. Those that are worse (`look_at`) stop. The race is over when one setting is left or all seeds
    are played.

    Parameters
    ----------
    scores : shape (settings, seeds), in the order of the seeds: nan where a run is missing, `DIVERGED` where it
        diverged. With rungs shape (rungs + 1, settings, seeds), those at the end of the budget last.
    first : seeds before the first decision, at least 2.
    error : the probability at most that the best setting stops, over the whole race, where the logarithms of all
        settings are normal and have one variance.
    out : settings that take no part.
    rungs : shares of the budget below 1, rising.
    """
    layers = scores.reshape(len(rungs) + 1, *scores.shape[-2:])
    _, settings, most = layers.shape
    seeds, stopped = np.zeros((len(layers), settings), np.int64), np.isin(np.arange(settings), [*out])
    looks: list[Look] = []
    for layer, n in _plan(min(first, most), most, len(rungs)):
        left = np.flatnonzero(~stopped)
        due = [(int(i), seed) for seed in range(n) for i in left if np.isnan(layers[layer, i, seed])]
        if due:
            return Standing(looks, seeds[-1], stopped, due, layer)
        seeds[layer, left] = n
        if n >= 2:
            rows = [row[:played] for row, played in zip(layers[layer], seeds[layer], strict=True)]
            looks.append(look_at(rows, stopped, len(looks) + 1, error, [*rungs, 1.0][layer]))
            stopped = stopped | looks[-1].stopped
        if (~stopped).sum() <= 1 and layer == len(rungs):
            break
    return Standing(looks, seeds[-1], stopped)


def _plan(first: int, most: int, rungs: int) -> Iterator[tuple[int, int]]:
    """The layer of scores and the number of seeds of each look."""
    yield from ((layer, first) for layer in range(rungs))
    yield from ((rungs, n) for n in range(first, most + 1))


def look_at(rows: Sequence[Scores], out: NDArray[np.bool_], number: int, error: float, share: float = 1.0) -> Look:
    """The decision of a look: who stops, as worse than the leader beyond doubt or diverged twice.

    Student's t of the logarithms, one-sided, of the leader against each other one, with the variance of all settings
    pooled: two seeds of eight settings give 8 degrees of freedom. Looks repeat and settings are many, so look n at one
    of k settings has the error `error / (k - 1) / (n * (n + 1))`; over all n the last factor sums to 1 (Bonferroni).
    So no decision depends on how many seeds are to come. That settings with less than two finite scores stop by
    nothing but divergence leaves the bound as it is.

    Racing: Maron and Moore (1994), Hoeffding races, NIPS 6; Birattari et al. (2002), A racing algorithm for
    configuring metaheuristics, GECCO, who test without a bound on the whole race.

    Parameters
    ----------
    rows : the scores of each setting.
    out : those that have stopped; their scores count for the variance.
    number : of the look, from 1 on.
    share : of the budget that is played. Below 1 a setting stops only where it cannot catch up either (`CATCH_UP`).
    """
    lapses = np.array([np.isneginf(row).sum() for row in rows])
    lost = ~out & (lapses >= LAPSES)
    values, logarithmic = _logarithms(rows)
    means = np.array([row.mean() if len(row) else DIVERGED for row in values])
    left, seeds = ~out & ~lost & np.isfinite(means), max(map(len, rows))
    behind = np.where(out, np.nan, max(means[left], default=np.nan) - means)
    margin = _margin([row for row, lapse in zip(values, lapses, strict=True) if len(row) > 1 and not lapse],
                     seeds, error / max(1, len(rows) - 1) / (number * (number + 1)))  # fmt: skip
    if share < 1:
        margin += CATCH_UP * math.log(1 / share) if logarithmic else math.inf
    stopped = lost | (left & (behind > margin))
    return Look(seeds, share, np.where(out, np.nan, means), behind, margin, stopped)


def _margin(known: Sequence[Scores], seeds: int, level: float) -> float:
    """How far the mean of so many seeds may be below another by chance; inf where no variance is known."""
    freedom = sum(len(row) - 1 for row in known)
    squares = sum(float(((row - row.mean()) ** 2).sum()) for row in known)
    if squares == 0:
        return math.inf
    return t_quantile(1 - 2 * level, freedom) * math.sqrt(2 * squares / freedom / seeds)


def _logarithms(rows: Sequence[Scores]) -> tuple[Sequence[Scores], bool]:
    """The logarithms of the scores, whose spread is about a share of them; the scores where one is not above 0."""
    if all((row[np.isfinite(row)] > 0).all() for row in rows):
        tiny = np.finfo(float).tiny
        return [np.where(np.isfinite(row), np.log(np.maximum(row, tiny)), row) for row in rows], True
    return rows, False
