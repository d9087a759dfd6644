"""The file of a race, `race.csv` in the folder of a sweep: a row for each look and each setting that took part in it.

It is for people and reports; no race reads it.
"""

import csv
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from tdl.errors import ConfigError, printable
from tdl.storage.atomic import new_file
from tdl.storage.reading import read_text

RACE = "race.csv"

LEADS, STAYS, WORSE, DIVERGES = "leads", "stays", "worse", "diverged"
"""The verdicts of a look; with the last two a setting stops."""

MAX_RACE = 1 << 24
"""Bytes of the file; a thousand looks at a hundred settings have some ten million."""


class RaceRow(NamedTuple):
    """What a look saw of a setting.

    Attributes
    ----------
    look, seeds, share : the number of the look; how many seeds each setting had played, and what share of the budget.
    setting, job : the words by which it differs, and the folder of the job of its first seed.
    score : its mean.
    behind, margin : how far it was below the leader, and how far is enough to stop, as shares of the leader's score.
    verdict : of `LEADS`, `STAYS`, `WORSE`, `DIVERGES`.
    """

    look: int
    seeds: int
    share: float
    setting: str
    job: str
    score: float
    behind: float
    margin: float
    verdict: str

    @property
    def stops(self) -> bool:
        """Whether the setting plays no more."""
        return self.verdict in (WORSE, DIVERGES)

    def why(self) -> str:
        """When it stopped, and why.

        >>> RaceRow(3, 4, 1.0, "alpha=1", "alpha1", 812.5, 0.124, 0.061, WORSE).why()
        'after 4 seeds: 12% behind, 6.1% were enough'
        """
        early = f" to {self.share:.0%} of the budget" if self.share < 1 else ""
        gap = f"{_percent(self.behind)} behind, {_percent(self.margin)} were enough"
        return f"after {self.seeds} seeds{early}: {DIVERGES if self.verdict == DIVERGES else gap}"


def write_race(folder: Path, rows: Iterable[RaceRow]) -> None:
    """Write the file into the folder of a sweep, in one step."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(RaceRow._fields)
    table.writerows(rows)
    with new_file(folder / RACE) as file:
        file.write(text.getvalue().encode())


def read_race(folder: Path) -> list[RaceRow]:
    """The rows of the file in the folder of a sweep; none where there is no file.

    Raises
    ------
    ConfigError : it cannot be read, is too large, or holds what no race writes.
    """
    path = folder / RACE
    if not path.exists():
        return []
    rows = csv.DictReader(StringIO(read_text(path, MAX_RACE)))
    try:
        return [_row(row) for row in rows]
    except (KeyError, TypeError, ValueError, csv.Error):
        raise ConfigError(f"{path}: cut or corrupt: not the looks of a race") from None


def _row(texts: dict[str, str]) -> RaceRow:
    types = RaceRow.__annotations__
    row = RaceRow(**{name: types[name](printable(texts[name])) for name in RaceRow._fields})
    shares = row.share > 0 and all(0 <= share <= 1 for share in (row.share, row.behind, row.margin))
    if not shares or min(row.look, row.seeds) < 1 or row.verdict not in (LEADS, STAYS, WORSE, DIVERGES):
        raise ValueError
    return row


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"
