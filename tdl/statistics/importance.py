"""How much of the variance of a score over settings each key accounts for alone."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

METHOD = "main effects of a functional ANOVA (Hutter, Hoos and Leyton-Brown 2014)"


def main_effects(
    values: Mapping[str, Sequence[Hashable]], scores: NDArray[np.float64]
) -> tuple[dict[str, float], float]:
    """The share of each key in the variance of scores over settings, and the rest: what keys do together, and chance.

    Hutter, Hoos and Leyton-Brown (2014), An efficient approach for assessing hyperparameter importance, ICML: the
    variance of the mean score over all other keys, as a share of the whole. They predict the scores of all settings by
    a forest; here they are played, or a few are missing and a sum of effects is fitted by least squares. Of a whole
    grid both are the sums of squares of an analysis of variance.

    Parameters
    ----------
    values : of each key, one for each setting.
    scores : of the settings.

    Returns
    -------
    nothing, and 1, where the settings are too few to tell the effects apart, or have one score.

    >>> main_effects({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, np.array([0.0, 1.0, 3.0, 4.0]))
    ({'a': 0.9, 'b': 0.1}, 0.0)
    """
    codes = {key: _codes(column) for key, column in values.items()}
    columns = [np.eye(code.max() + 1)[code][:, 1:] for code in codes.values()]
    design = np.column_stack([np.ones(len(scores)), *columns])
    few = design.shape[1] >= len(scores) or np.linalg.matrix_rank(design) < design.shape[1]
    if few or not np.ptp(scores) > 0:
        return {}, 1.0
    sizes = [column.shape[1] for column in columns]
    fitted = np.linalg.lstsq(design, scores, rcond=None)[0]
    residual, effects = scores - design @ fitted, np.split(fitted[1:], np.cumsum(sizes)[:-1])
    parts = [float(np.var([0.0, *effect])) for effect in effects]
    total = sum(parts) + float(residual.var())
    shares = {key: round(part / total, 6) for key, part in zip(codes, parts, strict=True)}
    return shares, round(max(0.0, 1 - sum(shares.values())), 6)


def _codes(column: Sequence[Hashable]) -> NDArray[np.int64]:
    """A number from 0 on for each different value."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in column])
