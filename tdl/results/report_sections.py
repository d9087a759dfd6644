"""A page about runs: what its sections hold."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from tdl.errors import printable
from tdl.results import origin
from tdl.results.answers import failures, sentence
from tdl.results.comparison import EVALUATED, GAMES, SCORE, against_best, factors, reach_columns
from tdl.results.design import ordered, setting_of, with_scores
from tdl.results.frames import begun_in, blocks_of
from tdl.results.report_figures import distributions, reach_rates, sweep
from tdl.results.report_page import Link, Section, Table
from tdl.results.tables import figures_in_words, in_words, intervals_in_words, reach_in_words
from tdl.results.titles import titles
from tdl.storage.run_folder import CHECKPOINT, CURVE, FINISHED, RunFolder
from tdl.storage.titles import title, value_text


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
        return self.table[self.table.reindex(columns=[EVALUATED])[EVALUATED].isna()]

    def evaluated(self) -> pd.DataFrame:
        """The rows of evaluations."""
        return self.table.drop(self.trained().index)

    def link(self, path: Path, text: str | None = None) -> Link:
        """A link to a file or folder; without a text of its own it shows the place."""
        return Link(self.place(path) if text is None else text,
                    quote(os.fsencode(os.path.relpath(path, self.page))))  # fmt: skip

    def place(self, path: Path) -> str:
        """A path, relative to the folder of `folders` that it is in."""
        folders = [folder.resolve() for folder in self.folders]
        inner = (str(path.relative_to(f)) for f in folders if path.is_relative_to(f) and path != f)
        return printable(next(inner, str(path)))


def sections(source: Source) -> list[Section]:
    """The sections of the page, in their order."""
    trained, evaluated = _known(source.trained()), _known(source.evaluated())
    evaluated = evaluated.assign(**{EVALUATED: [_checkpoint(source, run) for run in evaluated["run"]]})
    judged = evaluated.reindex(columns=evaluated.columns.union([SCORE], sort=False)).dropna(subset=SCORE)
    judged = judged.sort_values(SCORE, ascending=False)
    blocks, begun = blocks_of(trained), begun_in(trained)
    played = with_scores(trained, blocks).dropna(subset=SCORE)
    keys = ordered(begun, factors(begun)) if len(begun) else []
    return [
        Section("Answer", _answers(played, judged), [*failures(trained), *failures(evaluated)]),
        _origin(source, trained, evaluated),
        *([_settings(trained, played)] if len(played) else []),
        *sweep(source.trained(), played, blocks, keys),
        *reach_rates(played, keys),
        *distributions(played, keys),
        *(_evaluations(source, judged) if len(judged) else []),
        *_runs(source),
        *_unfinished(source),
    ]


def _known(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that have a configuration, which a job that was lost early left not."""
    rows = table[table["seed"].notna()] if "seed" in table else table[:0]
    if "learner.alpha" in rows:  # what a run that began has in its result
        rows = rows.assign(alpha=rows["alpha"].fillna(rows["learner.alpha"]))
    return rows


def _answers(played: pd.DataFrame, judged: pd.DataFrame) -> list[str]:
    """The best setting, and the best of the evaluations, in a sentence each."""
    texts = [sentence(played)] if len(played) else []
    if len(judged):
        best = judged.to_dict("records")[0]
        name = title({key: best[key] for key in factors(judged) if key != "evaluate.episodes"})
        mean = ", ".join(filter(None, [name, *intervals_in_words(judged[:1], SCORE, *GAMES)]))
        kind = "Best" if len(judged) > 1 else "One"
        texts.append(f"{kind} evaluation: {mean}, {best['evaluate.episodes']:,} games.")
    return texts or ["No run has a score yet."]


def _origin(source: Source, trained: pd.DataFrame, evaluated: pd.DataFrame) -> Section:
    starts = origin.starts_of(source.jobs)
    counts = ", ".join(f"{number} {status}" for status, number in source.table["status"].value_counts().items())
    kinds = {"run": len(source.trained()), "evaluation": len(source.evaluated())}
    content = " and ".join(f"{number} {kind}{'s' * (number > 1)}" for kind, number in kinds.items() if number)
    facts = {"Content": f"{content}: {counts}"}
    table = trained if len(trained) else evaluated
    if len(table):
        keys = factors(table)
        facts["Varied"] = "; ".join(f"{key}: {_values(table[key])}" for key in keys)
        facts["Seeds"] = _values(table["seed"])
        facts["Held fixed"] = origin.held_fixed(table, keys, starts)
    facts |= origin.facts(source.table)
    commands = origin.commands(source.folders, starts)
    folders = {start.folder for some in starts.values() for start in some}
    if commands and len(folders) == 1:
        facts["Folder of the commands"] = folders.pop()
    facts = {name: text for name, text in facts.items() if text}
    return Section("How it was made", facts=facts, commands=commands)


def _settings(trained: pd.DataFrame, played: pd.DataFrame) -> Section:
    """All settings, the best first, those without a score last."""
    keys = factors(trained)
    settings = against_best(played, keys)
    scored = len(settings)
    if keys:
        ranked = settings.reset_index(names="rank").merge(trained[keys].drop_duplicates(), how="right")
        settings = ranked.sort_values("rank", kind="stable", ignore_index=True)
    cells = in_words(settings, keys, played)
    if len(cells) > 1:
        cells.loc[0, "below the best"] = "best"
    missing = {name: _missing(runs) for name, runs in trained.groupby(setting_of(trained, keys), observed=True)}
    cells.insert(len(keys) + 4, "not finished", [missing[name] for name in setting_of(settings, keys)])
    cells = cells.loc[:, [name in keys or (cells[name] != "").any() for name in cells.columns]]
    return Section("Settings", table=Table(_caption(played, scored), cells, best=[0] if len(cells) > 1 else []))


def _missing(runs: pd.DataFrame) -> str:
    """What became of a setting's runs that are not finished, as "1 of 3 diverged"."""
    return ", ".join(line.replace(" runs ", " ", 1).partition(";")[0] for line in failures(runs))


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
    if reach_columns(played):
        lines.append("Tiles: the share of those games that reached them.")
    if played["moves_per_second"].notna().any():
        lines.append("Moves/s: of training.")
    return " ".join(lines)


def _evaluations(source: Source, table: pd.DataFrame) -> list[Section]:
    """Games of trained networks: a row for each evaluation, the best first."""
    varied = [key for key in factors(table) if key not in ("checkpoint", "evaluate.episodes", "evaluate.plies")]
    cells = pd.DataFrame({
        "evaluation": [source.link(Path(run)) for run in table["run"]],
        "checkpoint": table["checkpoint"].tolist(),
        "trained for": figures_in_words(table["episodes"]),
        **{key: [value_text(key, value) for value in table[key]] for key in varied},
        "plies": table["evaluate.plies"].map(str).tolist(),
        "seed": table["seed"].map(str).tolist(),
        "games": figures_in_words(table["evaluate.episodes"]),
        "mean score": intervals_in_words(table, SCORE, *GAMES),
        **reach_in_words(table),
        "moves/s": figures_in_words(table["eval_moves_per_second"]),
    })  # fmt: skip
    caption = (
        "Games of trained networks without learning, by tdl evaluate. The 95% intervals are over games "
        "(Student's t): they say how well the games measure that one network, not how well its setting learns. "
        "Trained for: games. Tiles: the share of games that reached them."
    )
    shown = Table(caption, cells, best=[0] if len(cells) > 1 else [])
    section = Section("Evaluations", table=shown)
    named = table.drop(columns="evaluate.episodes").assign(**{"evaluate.plies": table["evaluate.plies"].astype(str)})
    return [section, *distributions(named, ordered(named, factors(named)), "Scores of evaluations")]


def _checkpoint(source: Source, run: str) -> str:
    """What was evaluated, as the folder of the run that left it."""
    paths = [Path(each["path"]) for each in RunFolder(run).result_if_whole().get("checkpoints", [])]
    return ", ".join(source.place(path.parent if path.name == CHECKPOINT else path) for path in paths)


def _runs(source: Source) -> list[Section]:
    """Every run with what differs, and the way to its files."""
    table = source.trained()
    if table.empty:
        return []
    folders = [Path(run) for run in table["run"]]
    curves = [folder / CURVE for folder in folders]
    shown = table.reindex(columns=["episodes", SCORE, "moves_per_second"])
    cells = pd.DataFrame({
        "run": titles(table).tolist(),
        "folder": [source.link(folder) for folder in folders],
        "curve": [source.link(curve, "curve") if curve.exists() else "" for curve in curves],
        "status": table["status"].tolist(),
        "games": figures_in_words(shown["episodes"]),
        "mean score": figures_in_words(shown[SCORE]),
        "moves/s": figures_in_words(shown["moves_per_second"]),
    })  # fmt: skip
    caption = "Each folder has result.json with every key of the configuration, and the files of the run."
    return [Section("Runs", table=Table(caption, cells))]


def _unfinished(source: Source) -> list[Section]:
    rows = source.table[source.table["status"] != FINISHED]
    if rows.empty:
        return []
    shown = rows.reindex(columns=["run", "status", "episodes", "error"]).astype(object)
    cells = pd.DataFrame({
        "run": [source.link(Path(run)) for run in shown["run"]],
        "status": shown["status"].tolist(),
        "games": figures_in_words(shown["episodes"]),
        "error": ["" if pd.isna(error) else str(error) for error in shown["error"]],
    })  # fmt: skip
    text = "They are in no mean; learning curves show those that have begun."
    return [Section("Not finished", table=Table(text, cells))]


def _values(column: pd.Series) -> str:
    values = sorted(column.drop_duplicates(), key=lambda value: (str(type(value)), value))
    return ", ".join(value_text(str(column.name), value) for value in values)
