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

CATCH_UP = 0.15
"""At a rung a setting may be behind by this times the logarithm of 1/share, beside what chance may do: by 29% at a
tenth of the budget. Settings of the experiment `learners` caught up by less (`experiments/racing/rungs.csv`)."""

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
    margin : who is further behind than its own stops; inf where nothing can be said.
    stopped : those that stop here.
    """

    seeds: int
    share: float
    means: Scores
    behind: Scores
    margin: Scores
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
    elsewhere: Scores | None = None,
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
    elsewhere : shape (others, seeds), scores at the end of the budget of settings that took part in another race; they
        count for the variance. nan where none is.
    """
    layers = scores.reshape(len(rungs) + 1, *scores.shape[-2:])
    _, settings, most = layers.shape
    seeds, stopped = np.zeros((len(layers), settings), np.int64), np.isin(np.arange(settings), [*out])
    looks: list[Look] = []
    for layer, n in _plan(min(first, most), most, len(rungs)):
        left = np.flatnonzero(~stopped)
        if len(left) <= 1 and layer < len(rungs):
            continue
        gaps = np.argwhere(np.isnan(layers[layer, left, :n]).T)
        if len(gaps):
            return Standing(looks, seeds[-1], stopped, [(int(left[i]), int(seed)) for seed, i in gaps], layer)
        seeds[layer, left] = n
        if n >= 2:
            counted = np.where(np.arange(n) < seeds[layer][:, None], layers[layer, :, :n], np.nan)
            others = elsewhere[:, :n] if elsewhere is not None and layer == len(rungs) else None
            looks.append(look_at(counted, stopped, len(looks) + 1, error, [*rungs, 1.0][layer], others))
            stopped = stopped | looks[-1].stopped
        if (~stopped).sum() <= 1 and layer == len(rungs):
            break
    return Standing(looks, seeds[-1], stopped)


def _plan(first: int, most: int, rungs: int) -> Iterator[tuple[int, int]]:
    """The layer of scores and the number of seeds of each look."""
    yield from ((layer, first) for layer in range(rungs))
    yield from ((rungs, n) for n in range(first, most + 1))


def look_at(
    scores: Scores,
    out: NDArray[np.bool_],
    number: int,
    error: float,
    share: float = 1.0,
    elsewhere: Scores | None = None,
) -> Look:
    """The decision of a look: who stops, as worse than the leader beyond doubt or diverged twice.

    Student's t of the logarithms, one-sided, of the leader against each other one, with the variance of all settings
    pooled: two seeds of eight settings give 8 degrees of freedom. Where the variances of the two alone are larger,
    these count, since spreads may differ. Looks repeat and settings are many: the error until look n at one of k
    settings is `error / (k - 1) * spent(n)`, where `spent` rises to 1 (Bonferroni). So no decision depends on how many
    seeds are to come. That settings with less than two finite scores stop by nothing but divergence leaves the bound
    as it is. How often the best stays was simulated: experiments/racing. That spreads of settings that stopped are of
    scores that made them stop is neglected.

    Racing: Maron and Moore (1994), Hoeffding races, NIPS 6; Birattari et al. (2002), A racing algorithm for
    configuring metaheuristics, GECCO, who test without a bound on the whole race.

    Parameters
    ----------
    scores : shape (settings, seeds), nan where none is.
    out : those that have stopped; their scores count for the variance.
    number : of the look, from 1 on.
    share : of the budget that is played. Below 1 a setting stops only where it cannot catch up either (`CATCH_UP`).
    elsewhere : scores of settings of another race, as many columns; they count for the variance.
    """
    lapses, seeds = np.isneginf(scores).sum(axis=1), scores.shape[1]
    lost = ~out & (lapses >= LAPSES)
    known, logarithmic = _logarithms(scores if elsewhere is None else np.vstack([scores, elsewhere]))
    values = known[: len(scores)]
    played = (~np.isnan(values)).sum(axis=1)
    means = np.where(played > 0, np.nansum(values, axis=1) / np.maximum(played, 1), DIVERGED)
    left = ~out & ~lost & np.isfinite(means)
    behind = np.where(out, np.nan, max(means[left], default=0.0) - means)
    leader = int(np.where(left, means, DIVERGED).argmax())
    level = error / max(1, len(scores) - 1) * (spent(number) - spent(number - 1))
    margin = _margin(known, leader, level)[: len(scores)]
    if share < 1:
        margin = margin + (CATCH_UP * math.log(1 / share) if logarithmic else math.inf)
    stopped = lost | (left & (behind > margin))
    return Look(seeds, share, np.where(out, np.nan, means), behind, margin, stopped)


def spent(number: int) -> float:
    """The share of the error until a look: little at first, when spreads are hardly known."""
    return (number / (number + 2)) ** 3


def _margin(values: Scores, leader: int, level: float) -> Scores:
    """How far the mean of each setting may be below the leader's by chance; inf where no variance is known."""
    known = np.where(np.isneginf(values).any(axis=1, keepdims=True), np.nan, values)
    freedom = np.maximum((~np.isnan(known)).sum(axis=1) - 1, 0)
    means = np.nansum(known, axis=1, keepdims=True) / (freedom[:, None] + 1)
    squares = np.nansum((known - means) ** 2, axis=1)
    if not squares.any():
        return np.full(len(values), math.inf)
    pooled = squares.sum() / freedom.sum()
    own = squares / np.maximum(freedom, 1)
    errors: Scores = np.sqrt(np.maximum(own + own[leader], 2 * pooled) / values.shape[1])
    return t_quantile(1 - 2 * level, freedom.sum()) * errors


def _logarithms(scores: Scores) -> tuple[Scores, bool]:
    """The logarithms of the scores, whose spread is about a share of them; the scores where one is not above 0."""
    finite = np.isfinite(scores)
    if (scores[finite] > 0).all():
        return np.log(scores, out=scores.copy(), where=finite), True
    return scores, False
