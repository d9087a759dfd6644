"""What a sweep says on the screen when it ends: its settings, best first, what failed, and what follows."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tdl.storage.run_folder import FINISHED
from tdl.storage.titles import short_name

if TYPE_CHECKING:
    import pandas as pd

MAX_ROWS = 40
"""The most settings that are shown; the others are in the table of the sweep."""

METHOD = (
    "95% intervals: Student's t over {}. Differences: Welch's test, p and interval corrected for all pairs (Holm)."
)


def answer(table: pd.DataFrame) -> str:
    """Text for the screen, some lines; `table` has a row for each job (`tdl.sweeps.table.table_of`)."""
    from tdl.results.answers import failures, sentence  # here: pandas takes half a second
    from tdl.results.comparison import against_best
    from tdl.results.design import factors

    keys = factors(table)
    samples, score, what = _samples(table, keys)
    lines = []
    if score in samples and samples[score].notna().any():
        settings = _shown(against_best(samples, keys, score), table, keys, what)
        lines += [_fitted(settings), ""]
        if len(settings) > MAX_ROWS:
            lines += [f"... and {len(settings) - MAX_ROWS} settings below these", ""]
        lines.append(sentence(samples, keys, score, what.rstrip("s")))
        if len(settings) > 1:
            lines.append(METHOD.format(what))
        if score == LAST:
            lines.append("No games were played after training: scores are those of the last block of training.")
    return "\n".join([*lines, *failures(table)])


LAST = "last_block"
"""Column for the mean score of the last block, where no games were played after training."""


def _samples(table: pd.DataFrame, keys: Sequence[str]) -> tuple[pd.DataFrame, str, str]:
    """A row for each independent value, the column that holds it, and what is counted.

    Values are runs with a seed of their own; of evaluations of finished networks they are games.
    """
    from tdl.results.frames import blocks_of, games, last_blocks

    finished = table[table["status"] == FINISHED]
    if "checkpoint" in finished and finished["checkpoint"].notna().all() and len(finished):
        columns = ["run", *(key for key in keys if key in finished)]
        scores = games(finished["run"])[["run", "score"]]  # moves and largest tiles are no settings
        return scores.merge(finished[columns], on="run"), "score", "games"
    if "eval_mean" in finished and finished["eval_mean"].notna().any():
        return finished, "eval_mean", "runs"
    return finished.assign(**{LAST: last_blocks(finished, blocks_of(finished))}), LAST, "runs"


def _shown(settings: pd.DataFrame, table: pd.DataFrame, keys: Sequence[str], what: str) -> pd.DataFrame:
    """The settings as text: the columns by which they differ, and their figures, the dispensable ones last."""
    from tdl.results.answers import in_words

    words = in_words(settings, keys, table[table["status"] == FINISHED]).drop(columns=["below the best", "differs"])
    first = [*keys, "runs", "mean score"]
    figures = [name for name in words.columns[::-1] if name not in first and (words[name] != "").any()]
    shown = words[[*first, *sorted(figures, key=lambda name: name == "moves/s")]].assign(runs=settings["runs"])
    return shown.rename(columns={key: short_name(key, keys) for key in keys} | {"runs": what})


def _fitted(shown: pd.DataFrame) -> str:
    """The table as lines that fit the terminal; for that columns are dropped from the right, not what identifies."""
    width = shutil.get_terminal_size((100, 24)).columns
    needed = list(shown.columns).index("mean score") + 1
    rows = shown.head(MAX_ROWS)
    for columns in range(len(shown.columns), needed - 1, -1):
        text = str(rows.iloc[:, :columns].to_string(index=False))
        if max(map(len, text.splitlines())) <= width:
            break
    return text
