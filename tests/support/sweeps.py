"""Sweeps for tests: started inside this process, and what they leave, found again by seed."""

import csv
import json
from pathlib import Path

from support.programs import SMALL, files, inside, result

SHORT = ("episodes=10", "evaluate.episodes=0")

WRITTEN = {"multirun.yaml", *(f"sweep.{kind}" for kind in ("csv", "png", "svg", "pdf", "txt", "tex"))}
"""Files of the sweep itself."""


def sweep(folder, *words):
    """A sweep of small runs, inside this process."""
    return inside("-m", *SMALL, *words, f"hydra.sweep.dir={folder}")


def rows_of(folder):
    """The rows of `sweep.csv`."""
    with (Path(folder) / "sweep.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def table(folder, key):
    """Rows of `sweep.csv` by the values of a column, no two of which are equal."""
    rows = rows_of(folder)
    by_value = {row[key]: row for row in rows}
    assert len(by_value) == len(rows)
    return by_value


def states(folder, key="seed"):
    """The statuses of the jobs by the values of a column."""
    return {value: row["status"] for value, row in table(folder, key).items()}


def folder_of(folder, **values):
    """The folder of the job with these values in its configuration."""
    (job,) = (path.parent for path in Path(folder).glob("*/result.json")
              if values.items() <= result(path.parent)["config"].items())  # fmt: skip
    return job


def jobs_in(folder):
    """The files of the jobs, with their digests."""
    return {name: digest for name, digest in files(folder).items() if name not in WRITTEN}


def mark(folder, status):
    """Write another status into the result of a run."""
    (Path(folder) / "result.json").write_text(json.dumps(result(folder) | {"status": status}))
