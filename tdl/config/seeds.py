"""Several seeds by their number: `seeds=5`."""

from collections.abc import Iterable

from tdl.checks import check_whole


def seed_values(seeds: int | Iterable[int]) -> list[int]:
    """The seeds that a number of seeds stands for, from 0 on; those of a list as they are.

    Raises
    ------
    ConfigError : not a number of at least 1, nor whole numbers from 0 on.

    >>> seed_values(3), seed_values(range(5, 8))
    ([0, 1, 2], [5, 6, 7])
    """
    if not isinstance(seeds, Iterable) or isinstance(seeds, str):
        check_whole("seeds", seeds, 1)
        return list(range(seeds))
    values = list(seeds)
    for value in values:
        check_whole("seeds", value, 0)
    return values
