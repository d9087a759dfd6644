"""Student's t distribution: what an interval of a mean of few values needs.

SciPy has it, too, and would add 35 MB to an installation and a second to each start for these two functions; the tests
compare with it.
"""

import math
from functools import lru_cache
from statistics import NormalDist

MAX_STEPS, MAX_TERMS, PRECISION = 100, 300, 1e-15


def t_tails(t: float, df: float) -> float:
    """The probability that a t distributed value is further from 0 than t, for df > 0 degrees of freedom.

    I_x(df/2, 1/2) at x = df/(df + t^2): Abramowitz and Stegun (1964), 26.7.1 and 26.5.27.
    """
    if math.isinf(t):
        return 0.0
    return _incomplete_beta(df / 2, 0.5, t * t / (df + t * t))


@lru_cache(maxsize=1024)
def t_quantile(level: float, df: float) -> float:
    """Half width, in estimated standard errors, of the interval that holds a share `level` of a t distribution.

    >>> round(t_quantile(0.95, 2), 3), round(t_quantile(0.95, 1e6), 3)
    (4.303, 1.96)
    """
    t = NormalDist().inv_cdf((1 + level) / 2)  # the tails of t are heavier
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    for _ in range(MAX_STEPS):  # of Newton: from the left of a convex function they never go beyond the root
        density = scale * (1 + t * t / df) ** (-(df + 1) / 2)
        step = (t_tails(t, df) - (1 - level)) / (2 * density)
        t += step
        if abs(step) <= 1e-12 * t:
            break
    return t


def _incomplete_beta(a: float, b: float, y: float) -> float:
    """The regularized incomplete beta function I_x(a, b) at x = 1 - y; y, as x may be near 1."""
    x = 1 - y
    if x <= 0 or y <= 0:
        return float(y <= 0)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log1p(-y) + b * math.log(y)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) * _continued_fraction(a, b, x) / a
    return 1 - math.exp(log_front) * _continued_fraction(b, a, y) / b


def _continued_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b): Abramowitz and Stegun (1964), 26.5.8, by the method of Lentz (1976)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, MAX_TERMS):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):  # fmt: skip
            c, d = 1 + term / c, 1 / (1 + term * d)
            total *= c * d
        if abs(c * d - 1) < PRECISION:
            break
    return total
