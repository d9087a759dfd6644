"""Runs as data frames, figures and reports: the public `tdl.results`.

>>> import tdl.results
>>> tdl.results.load("no such folder")
Traceback (most recent call last):
...
tdl.errors.TdlError: no such folder: no run in it (no result.json)
"""

from tdl.results.comparison import compare, differing, factors, means
from tdl.results.frames import bands, episodes, games, load, logged, read, result_files, row_of, runs
from tdl.results.titles import titles

__all__ = [
    "bands",
    "compare",
    "differing",
    "episodes",
    "factors",
    "games",
    "load",
    "logged",
    "means",
    "read",
    "result_files",
    "row_of",
    "runs",
    "titles",
]
