"""A page about runs: what its sections hold."""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd

from tdl.errors import printable
from tdl.reports import origin
from tdl.reports.figures import Runs, distributions, figures
from tdl.reports.page import Link, Section, Table
from tdl.results.answers import failures, sentence
from tdl.results.comparison import NO_FACTORS, REACH, SCORE, against_best, factors, plain, reach_columns
from tdl.results.design import failed_in, with_scores
from tdl.results.frames import begun_in, load
from tdl.results.titles import titles
from tdl.statistics.intervals import interval_text, p_text
from tdl.storage.run_folder import CHECKPOINT, CURVE, FINISHED, RunFolder
from tdl.storage.titles import title, value_text

MAX_TILES = 4
"""The most reach rates in a table, those of the largest tiles."""

SHOWN = ("checkpoint", "evaluate.plies", "evaluate.episodes")
"""Keys that the table of evaluations shows in any case."""


@dataclass(frozen=True)
class Source:
    """What a page is about.

    Attributes
    ----------
    folders : what was asked for.
    jobs : the folder of each job in them, with that of its run.
    table : a row for each (`tdl.sweeps.table.table_of`).
    page : the folder of the page: links are relative to it.
    """

    folders: Sequence[Path]
    jobs: Mapping[Path, Path]
    table: pd.DataFrame
    page: Path

    def trained(self) -> pd.DataFrame:
        """The rows of runs that train."""
        return self.table[~self._evaluates()]

    def evaluated(self) -> pd.DataFrame:
        """The rows of evaluations."""
        return self.table[self._evaluates()]

    def _evaluates(self) -> pd.Series:
        if "checkpoint" not in self.table:
            return pd.Series(False, index=self.table.index)
        return self.table["checkpoint"].notna()

    def href(self, path: Path) -> str:
        """The address of a file or folder."""
        return quote(os.fsencode(os.path.relpath(path, self.page)))

    def place(self, path: Path) -> str:
        """A path, relative to the folder of `folders` that it is in."""
        folders = [folder.resolve() for folder in self.folders]
        inner = (str(path.relative_to(f)) for f in folders if path.is_relative_to(f) and path != f)
        return printable(next(inner, str(path)))


def sections(source: Source) -> list[Section]:
    """The sections of the page, in their order."""
    trained, evaluated = _known(source.trained()), _known(source.evaluated())
    evaluated = evaluated.assign(checkpoint=[_checkpoint(source, run) for run in evaluated["run"]])
    begun = begun_in(trained)
    curves = [*begun["run"], *failed_in(trained)["run"]]
    blocks = load(curves) if curves else begun
    played = with_scores(trained, blocks) if len(begun) else begun.assign(**{SCORE: math.nan})
    runs = Runs(source.trained(), begun, played[played[SCORE].notna()], blocks)
    found = [_answer(trained, evaluated, runs), _origin(source, trained, evaluated)]
    if len(runs.played):
        found.append(_settings(trained, runs.played))
    return [*found, *figures(runs), *_evaluations(source, evaluated), *_runs(source), *_unfinished(source)]


def _known(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that have a configuration, which a job that was lost early left not, without keys of one value.

    There are a hundred of those, and every look at what differs would compare them again.
    """
    rows = table[table["seed"].notna()] if "seed" in table else table[:0]
    if "learner.alpha" in rows:  # what a run that began has in its result
        rows = rows.assign(alpha=rows["alpha"].fillna(rows["learner.alpha"]))
    kept = [name in {*NO_FACTORS, *SHOWN} or name.startswith("eval_") for name in rows.columns]
    return rows.loc[:, [keep or rows[name].map(str).nunique() > 1 for keep, name in zip(kept, rows, strict=True)]]


def _answer(trained: pd.DataFrame, evaluated: pd.DataFrame, runs: Runs) -> Section:
    found = sentence(runs.played) if len(runs.played) else "" if len(evaluated) else "No run has a score yet."
    told = [found, _highest(evaluated)]
    return Section("Answer", list(filter(None, told)), [*failures(trained), *failures(evaluated)])


def _origin(source: Source, trained: pd.DataFrame, evaluated: pd.DataFrame) -> Section:
    starts = origin.starts_of(source.jobs)
    counts = ", ".join(f"{number} {status}" for status, number in source.table["status"].value_counts().items())
    kinds = {"run": source.trained(), "evaluation": source.evaluated()}
    what = [f"{len(rows)} {name}{'s' if len(rows) > 1 else ''}" for name, rows in kinds.items() if len(rows)]
    told = {"Content": f"{' and '.join(what)}: {counts}"}
    table, all_keys = (trained, kinds["run"]) if len(trained) else (evaluated, kinds["evaluation"])
    if len(table):
        keys = factors(table)
        told["Varied"] = "; ".join(f"{key}: {_values(table[key])}" for key in keys)
        told["Seeds"] = _values(table["seed"])
        told["Held fixed"] = origin.held_fixed(all_keys, keys, starts)
    told |= origin.facts(source.table)
    made = origin.commands(source.folders, starts)
    folders = {start.folder for some in starts.values() for start in some}
    if made and len(folders) == 1:
        told["Folder of the commands"] = folders.pop()
    return Section("How it was made", facts={name: text for name, text in told.items() if text}, commands=made)


def _settings(trained: pd.DataFrame, played: pd.DataFrame) -> Section:
    """All settings, the best first, those without a score last."""
    keys = factors(trained)
    groups, scored = _groups(trained, keys), _groups(played, keys)
    ranked = {_key(row, keys): row for row in against_best(played, keys).to_dict("records")}
    tiles = _tiles(played)
    rows = [_ranked(row, scored[key], tiles) for key, row in ranked.items()]
    names = [*ranked, *(key for key in groups if key not in ranked)]
    if len(names) > 1:
        rows[0]["below the best"] = "best"
    cells = pd.DataFrame([list(map(value_text, keys, key)) for key in names], columns=keys)
    cells = pd.concat([cells, pd.DataFrame(rows)], axis=1).fillna({"runs": "0"}).fillna("")
    cells.insert(
        list(cells).index("differs") + 1, "not finished", [_missing(groups[key], scored.get(key)) for key in names]
    )
    cells = cells.loc[:, [name in keys or (cells[name] != "").any() for name in cells.columns]]
    return Section("Settings", table=Table(_caption(played, len(scored)), cells, best=[0] if len(names) > 1 else []))


def _ranked(row: Mapping[Any, Any], played: pd.DataFrame, tiles: Sequence[str]) -> dict[str, str]:
    """The cells of a setting with a score: of its row of `against_best`, and of its runs."""
    return {
        "runs": str(row["runs"]),
        "mean score": interval_text(row["mean"], row["low"], row["high"]),
        "below the best": interval_text(row["difference"], row["difference_low"], row["difference_high"]),
        "differs": "" if math.isnan(row["p"]) else f"{'yes' if row['differs'] else 'no'}, {p_text(row['p'])}",
        **{name.removeprefix(REACH): f"{played[name].mean():.1%}" for name in tiles},
        "moves/s": _rounded(played["moves_per_second"].mean()),
    }


def _missing(group: pd.DataFrame, played: pd.DataFrame | None) -> str:
    """What became of a setting's runs that are not finished, as "1 of 3 diverged"."""
    told = failures(group) if played is None or len(group) > len(played) else []
    return ", ".join(line.replace(" runs ", " ", 1).partition(";")[0] for line in told)


def _caption(played: pd.DataFrame, settings: int) -> str:
    games = "games after training" if "eval_low" in played else "last block of games of the training"
    several = " with 95% intervals (Student's t)" if len(played) > settings else "; an interval needs several"
    lines = [f"Mean score of the {games}: means over seeds{several}."]
    if settings > 1:
        lines.append(
            "Below the best: the difference of the means. A setting differs where p is below 0.05: Welch's test with "
            f"Holm's correction for all {settings * (settings - 1) // 2} pairs of settings, as these scores chose the "
            "best. The interval goes with this p: it excludes 0 where the setting differs."
        )
    if _tiles(played):
        lines.append("Tiles: the share of those games that reached them.")
    if played["moves_per_second"].notna().any():
        lines.append("Moves/s: of training.")
    return " ".join(lines)


def _evaluations(source: Source, table: pd.DataFrame) -> list[Section]:
    """Games of trained networks: a row for each evaluation, the best first."""
    table = table[table[SCORE].notna()].sort_values(SCORE, ascending=False) if SCORE in table else table[:0]
    if table.empty:
        return []
    varied = [key for key in factors(table) if key not in ("checkpoint", "evaluate.episodes", "evaluate.plies")]
    cells = pd.DataFrame({
        "evaluation": [Link(source.place(Path(run)), source.href(Path(run))) for run in table["run"]],
        "checkpoint": table["checkpoint"].tolist(),
        "trained for": [f"{games:,}" for games in table["episodes"]],
        **{key: [value_text(key, value) for value in table[key]] for key in varied},
        "plies": table["evaluate.plies"].map(str).tolist(),
        "seed": table["seed"].map(str).tolist(),
        "games": [f"{games:,}" for games in table["evaluate.episodes"]],
        "mean score": [interval_text(*row) for row in table[[SCORE, "eval_low", "eval_high"]].to_numpy(float)],
        **{name.removeprefix(REACH): [f"{rate:.1%}" for rate in table[name]] for name in _tiles(table)},
        "moves/s": [_rounded(speed) for speed in table["eval_moves_per_second"]],
    })  # fmt: skip
    caption = (
        "Games of trained networks without learning, by tdl evaluate. The 95% intervals are over games "
        "(Student's t): they say how well the games measure that one network, not how well its setting learns. "
        "Trained for: games. Tiles: the share of games that reached them."
    )
    shown = Table(caption, cells, best=[0] if len(cells) > 1 else [])
    section = Section("Evaluations", table=shown)
    named = table.drop(columns="evaluate.episodes").assign(**{"evaluate.plies": table["evaluate.plies"].astype(str)})
    return [section, *distributions(Runs(table, named, named, named[:0]), "Scores of evaluations")]


def _highest(table: pd.DataFrame) -> str:
    """The best of some evaluations, in a sentence."""
    scored = table[table[SCORE].notna()] if SCORE in table else table[:0]
    if scored.empty:
        return ""
    best = scored.sort_values(SCORE).to_dict("records")[-1]
    keys = [key for key in factors(scored) if key != "evaluate.episodes"]
    name = title({key: best[key] for key in keys})
    mean = interval_text(best[SCORE], best["eval_low"], best["eval_high"])
    games = f"{best['evaluate.episodes']:,} games"
    return f"{'Best' if len(scored) > 1 else 'One'} evaluation: {name}{', ' if name else ''}{mean}, {games}."


def _checkpoint(source: Source, run: str) -> str:
    """What was evaluated, as the folder of the run that left it."""
    paths = [Path(each["path"]) for each in RunFolder(run).result_if_whole().get("checkpoints", [])]
    return ", ".join(source.place(path.parent if path.name == CHECKPOINT else path) for path in paths)


def _runs(source: Source) -> list[Section]:
    """Every run with what differs, and the way to its files."""
    table = source.trained()
    if table.empty:
        return []
    rows = []
    for row, name in zip(table.to_dict("records"), titles(table), strict=True):
        folder = Path(row["run"])
        curve = folder / CURVE
        score = row.get(SCORE)
        rows.append({
            "run": name,
            "folder": Link(source.place(folder), source.href(folder)),
            "curve": Link("curve", source.href(curve)) if curve.exists() else "",
            "status": row["status"],
            "games": _rounded(row.get("episodes")),
            "mean score": _rounded(score),
            "moves/s": _rounded(row.get("moves_per_second")),
        })  # fmt: skip
    caption = "Each folder has result.json with every key of the configuration, and the files of the run."
    return [Section("Runs", table=Table(caption, pd.DataFrame(rows)))]


def _unfinished(source: Source) -> list[Section]:
    rows = source.table[source.table["status"] != FINISHED]
    if rows.empty:
        return []
    shown = rows.reindex(columns=["run", "status", "episodes", "error"]).astype(object)
    cells = pd.DataFrame({
        "run": [Link(source.place(Path(run)), source.href(Path(run))) for run in shown["run"]],
        "status": shown["status"].tolist(),
        "games": [_rounded(games) for games in shown["episodes"]],
        "error": ["" if pd.isna(error) else str(error) for error in shown["error"]],
    })  # fmt: skip
    text = "They are in no mean; learning curves show those that have begun."
    return [Section("Not finished", table=Table(text, cells))]


Key = tuple[object, ...]


def _groups(table: pd.DataFrame, keys: Sequence[str]) -> dict[Key, pd.DataFrame]:
    """The rows of each setting, in the order of the table."""
    found: dict[Key, list[int]] = {}
    for number, row in enumerate(table.to_dict("records")):
        found.setdefault(_key(row, keys), []).append(number)
    return {key: table.iloc[numbers] for key, numbers in found.items()}


def _key(row: Mapping[Any, Any], keys: Sequence[str]) -> Key:
    """The values of a setting, None for nan, which is not equal to itself."""
    return tuple(plain(row[key]) for key in keys)


def _tiles(played: pd.DataFrame) -> list[str]:
    """The columns of the largest tiles that tell something."""
    return reach_columns(played)[-MAX_TILES:]


def _values(column: pd.Series) -> str:
    values = sorted(column.drop_duplicates(), key=lambda value: (str(type(value)), value))
    return ", ".join(value_text(str(column.name), value) for value in values)


def _rounded(value: float | None) -> str:
    return "" if value is None or pd.isna(value) else f"{value:,.0f}"
