"""Runs as data frames, what they differ in, and figures: the public `tdl.results`.

>>> import tdl.results
>>> tdl.results.load("no/folder")
Traceback (most recent call last):
...
tdl.errors.TdlError: no/folder: no run in it (no such folder)
"""

from tdl.results.answers import failures, finding, latex, sentence
from tdl.results.comparison import against_best, best_by, best_runs, compare, means
from tdl.results.design import differing, factors
from tdl.results.frames import bands, episodes, games, load, logged, read, result_files, row_of, runs
from tdl.results.labels import titles

__all__ = [
    "against_best", "bands", "best_by", "best_runs", "compare", "differing", "episodes", "factors", "failures",
    "finding", "games", "latex", "load", "logged", "means", "read", "result_files", "row_of", "runs", "sentence",
    "titles",
]  # fmt: skip
