"""A page about runs: what its sections hold, from the answer to the runs that did not finish."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import pandas as pd
from matplotlib.figure import Figure

from tdl.errors import printable
from tdl.results import origin
from tdl.results.answers import failures, in_words, interval_words, number_words, of_race, reach_words, sentence
from tdl.results.comparison import against_best, means
from tdl.results.design import factors, ordered, setting_of, stops, with_scores
from tdl.results.frames import EVALUATED, REACH, SCORE, SCORE_BOUNDS, blocks_of, games, reach_columns, started
from tdl.results.labels import label, titles
from tdl.results.plots import draw_distributions, draw_reach
from tdl.results.report_page import Drawing, Link, Section, Table
from tdl.results.style import new_figure, style, write
from tdl.results.sweep_figure import sweep_figure
from tdl.storage.run_folder import CHECKPOINT, CURVE, FINISHED, RunFolder
from tdl.storage.titles import title, value_text

SIZE = (7.0, 3.9)  # inches of a figure; a page scales it
HOLM = (
    "Below the best: the difference of the means. A setting differs where p is below 0.05: Welch's test with Holm's "
    "correction for all {} pairs of settings, as these scores chose the best. The interval goes with this p: it "
    "excludes 0 where the setting differs."
)

STOPS = "Settings that a race stopped have no p value and no intervals: their numbers of seeds depend on their scores."

EVALUATIONS = (
    "Games of trained networks without learning, by tdl evaluate. The 95% intervals are over games (Student's t): "
    "they say how well the games measure that one network, not how well its setting learns. Trained for: games. "
    "Tiles: the share of games that reached them."
)


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

    def link(self, path: Path, text: str = "") -> Link:
        """A link to a file or folder; without a text of its own it shows the place."""
        return Link(text or self.place(path), quote(os.fsencode(os.path.relpath(path, self.page))))

    def place(self, path: Path) -> str:
        """A path, relative to the folder of `folders` that it is in."""
        folders = [folder.resolve() for folder in self.folders]
        inner = (str(path.relative_to(f)) for f in folders if path.is_relative_to(f) and path != f)
        return printable(next(inner, str(path)))


def sections(source: Source) -> list[Section]:
    """The sections of the page, in their order."""
    evaluates = source.table.reindex(columns=[EVALUATED])[EVALUATED].notna()
    runs, evaluations = source.table[~evaluates], source.table[evaluates]
    trained, evaluated = _configured(runs), _configured(evaluations)
    evaluated = evaluated.assign(**{EVALUATED: [_checkpoint(source, run) for run in evaluated["run"]]})
    scored = evaluated.dropna(subset=SCORE) if SCORE in evaluated else evaluated[:0]
    judged = scored.sort_values(SCORE, ascending=False) if len(scored) else scored
    blocks, begun = blocks_of(trained), started(trained)
    played = with_scores(trained, blocks).dropna(subset=SCORE)
    keys = ordered(begun, factors(begun)) if len(begun) else []
    return [
        Section("Answer", _answers(played, judged), [*failures(trained), *failures(evaluated)]),
        _origin(source, len(runs), len(evaluations), trained if len(trained) else evaluated),
        *_settings(trained, played),
        *_sweep(runs, played, blocks, keys),
        *_reach_rates(played, keys),
        *_distributions("Score distributions", played, keys),
        *_evaluations(source, judged),
        *_runs(source, runs),
        *_unfinished(source),
    ]


def _configured(table: pd.DataFrame) -> pd.DataFrame:
    """The rows that have a configuration, which a job that was lost early left not."""
    rows = table[table["seed"].notna()] if "seed" in table else table[:0]
    if "learner.alpha" in rows:  # what a run that began has in its result
        rows = rows.assign(alpha=rows["alpha"].fillna(rows["learner.alpha"]))
    return rows


def _checkpoint(source: Source, run: str) -> str:
    """What was evaluated, as the folder of the run that left it."""
    paths = [Path(checkpoint["path"]) for checkpoint in RunFolder(run).result_if_whole().get("checkpoints", [])]
    return ", ".join(source.place(path.parent if path.name == CHECKPOINT else path) for path in paths)


def _answers(played: pd.DataFrame, judged: pd.DataFrame) -> list[str]:
    """The best setting, and the best of the evaluations, in a sentence each."""
    texts = [sentence(played), " ".join(of_race(against_best(played)))] if len(played) else []
    texts = [text for text in texts if text]
    if len(judged):
        best = judged.to_dict("records")[0]
        name = title({key: best[key] for key in factors(judged) if key != "evaluate.episodes"})
        mean = ", ".join(filter(None, [name, *interval_words(judged[:1], SCORE, *SCORE_BOUNDS)]))
        kind = "Best" if len(judged) > 1 else "One"
        texts.append(f"{kind} evaluation: {mean}, {best['evaluate.episodes']:,} games.")
    return texts or ["No run has a score yet."]


def _origin(source: Source, runs: int, evaluations: int, table: pd.DataFrame) -> Section:
    starts = origin.starts_of(source.jobs)
    counts = ", ".join(f"{number} {status}" for status, number in source.table["status"].value_counts().items())
    kinds = {"run": runs, "evaluation": evaluations}
    content = " and ".join(f"{number} {kind}{'s' * (number > 1)}" for kind, number in kinds.items() if number)
    facts = {"Content": f"{content}: {counts}"}
    if len(table):
        keys = factors(table)
        facts["Varied"] = "; ".join(f"{key}: {_values(table[key])}" for key in keys)
        facts["Seeds"] = _values(table["seed"])
        facts["Held fixed"] = origin.held_fixed(table, keys, starts)
    facts |= origin.facts(source.table)
    commands = origin.commands(source.folders, starts)
    folders = {start.folder for of_job in starts.values() for start in of_job}
    if commands and len(folders) == 1:
        facts["Folder of the commands"] = folders.pop()
    return Section("How it was made", facts={name: text for name, text in facts.items() if text}, commands=commands)


def _values(column: pd.Series) -> str:
    values = sorted(column.drop_duplicates(), key=lambda value: (str(type(value)), value))
    return ", ".join(value_text(str(column.name), value) for value in values)


def _settings(trained: pd.DataFrame, played: pd.DataFrame) -> Iterator[Section]:
    """All settings, the best first, those without a score last."""
    if played.empty:
        return
    keys = factors(trained)
    settings = against_best(played, keys)
    caption = " ".join([_settings_caption(played, len(settings)), *([STOPS] if stops(played).any() else [])])
    if keys:
        ranked = settings.reset_index(names="rank").merge(trained[keys].drop_duplicates(), how="right")
        settings = ranked.sort_values("rank", kind="stable", ignore_index=True)
    cells = in_words(settings, keys, played)
    if len(cells) > 1:
        cells.loc[0, "below the best"] = "best"
    unfinished = {}
    for name, runs in trained.groupby(setting_of(trained, keys), observed=True):  # as "1 of 3 diverged"
        unfinished[name] = ", ".join(line.replace(" runs ", " ", 1).partition(";")[0] for line in failures(runs))
    cells.insert(len(keys) + 4, "not finished", [unfinished[name] for name in setting_of(settings, keys)])
    cells = cells.loc[:, [name in keys or (cells[name] != "").any() for name in cells.columns]]
    yield Section("Settings", table=Table(caption, cells, best=[0] if len(cells) > 1 else []))


def _settings_caption(played: pd.DataFrame, settings: int) -> str:
    games = "games after training" if "eval_low" in played else "last block of games of the training"
    several = " with 95% intervals (Student's t)" if len(played) > settings else "; an interval needs several"
    lines = {
        f"Mean score of the {games}: means over seeds{several}.": True,
        HOLM.format(settings * (settings - 1) // 2): settings > 1,
        "Tiles: the share of those games that reached them.": len(reach_columns(played)) > 0,
        "Moves/s: of training.": played["moves_per_second"].notna().any(),
    }
    return " ".join(line for line, shown in lines.items() if shown)


def _sweep(table: pd.DataFrame, played: pd.DataFrame, blocks: pd.DataFrame, keys: Sequence[str]) -> Iterator[Section]:
    """The figure of a sweep with its caption, as that of `tdl run -m`: of all runs, and of those with a score.

    `keys` are what the runs differ in, in the order of the axes.
    """
    several = len(blocks) > 0 and blocks.groupby("run").size().max() > 1
    drawn = sweep_figure(table, blocks) if several or len(played) > 1 else None
    if drawn is None:
        return
    (figure, caption), seen = drawn, []
    if len(played):
        scores = means(played, keys)
        scores = scores.assign(words=interval_words(scores, "mean", "low", "high"))
        seen.append(_extremes(f"Mean score{_by(keys)}", scores, keys, "mean", "best", "lowest"))
    if several and len(begun := started(blocks)):
        seen.append(_curves_seen(begun, keys))
    yield _section("Scores and learning curves", figure, " ".join([*seen, caption]))


def _curves_seen(blocks: pd.DataFrame, keys: Sequence[str]) -> str:
    ends = blocks.sort_values("episode").groupby("run")["mean"]
    start = f"Mean score of a block of games, up to episode {blocks['episode'].max():,}{_by(keys)}"
    if not keys:
        return f"{start}: from {ends.head(1).mean():,.0f} to {ends.tail(1).mean():,.0f}."
    last = _of_settings(blocks.loc[ends.tail(1).index], keys, "mean", "mean")
    return _extremes(start, last, keys, "mean", "highest in the last block", "lowest")


def _reach_rates(played: pd.DataFrame, keys: Sequence[str]) -> Iterator[Section]:
    """The share of games that reached each tile; in words of the tile in which runs differ most."""
    if names := reach_columns(played):
        tile = max(names, key=lambda name: played[name].std() if len(played) > 1 else 0.0)
        start = f"Share of games that reached each tile{_by(keys)}; tile {tile.removeprefix(REACH)}"
        shares = _of_settings(played, keys, tile, "mean", ".1%")
        seen = _extremes(start, shares, keys, tile, "most often", "least often")
        yield _section("Reach rates", _drawn(draw_reach, played, keys), seen)


def _distributions(name: str, played: pd.DataFrame, keys: Sequence[str]) -> Iterator[Section]:
    """The scores of the single games of some runs."""
    data = games(played["run"]).merge(played[["run", *keys]], on="run") if len(played) else played
    if len(data):
        start = f"Scores of {len(data):,} games{_by(keys)}, up to {data['score'].max():,}; median"
        seen = _extremes(start, _of_settings(data, keys, "score", "median"), keys, "score", "highest", "lowest")
        yield _section(name, _drawn(draw_distributions, data, keys), seen)


def _drawn(draw: Callable[..., object], data: pd.DataFrame, keys: Sequence[str]) -> Figure:
    with style():
        figure = new_figure(*SIZE)
        draw(figure.subplots(), data, keys)
    return figure


def _section(name: str, figure: Figure, seen: str) -> Section:
    """A section with a figure as SVG; all ids in it begin with its own, so that none is that of another figure."""
    file = io.BytesIO()
    write(figure, file, "svg")
    head, _, body = file.getvalue().decode().partition("</defs>")  # which hold a style, for all of the page
    (box,) = re.findall('viewBox="(.*?)"', head)
    ids = re.compile(r'(?<= id=")|(?<=href="#)|(?<=url\(#)')
    section = Section(name)
    shapes = re.sub("<[^>]*>", lambda tag: ids.sub(f"{section.slug}-", tag[0]), body.rpartition("</svg>")[0])
    return replace(section, drawing=Drawing(box, shapes, seen))


def _of_settings(
    table: pd.DataFrame, keys: Sequence[str], column: str, statistic: str, form: str = ",.0f"
) -> pd.DataFrame:
    """A metric of each setting, and the same in `words`."""
    by = [*keys, "all"]
    rows = table.assign(all=0).groupby(by, dropna=False, observed=True)[column].agg(statistic).dropna().reset_index()
    return rows.assign(words=number_words(rows[column], form))


def _by(keys: Sequence[str]) -> str:
    names = [label(key) for key in keys]
    return f" by {' and '.join(filter(None, [', '.join(names[:-1]), *names[-1:]]))}" if keys else ""


def _extremes(start: str, settings: pd.DataFrame, keys: Sequence[str], column: str, high: str, low: str) -> str:
    """A sentence with the settings of the highest and the lowest metric, in their `words`."""
    rows = settings.sort_values(column, ascending=False, kind="stable").to_dict("records")
    names = [", ".join(filter(None, (title({key: row[key] for key in keys}), row["words"]))) for row in rows]
    return f"{start}: {names[0]}." if len(names) == 1 else f"{start}: {high} {names[0]}; {low} {names[-1]}."


def _evaluations(source: Source, judged: pd.DataFrame) -> Iterator[Section]:
    """Games of trained networks: a row for each evaluation, the best first."""
    if judged.empty:
        return
    varied = [key for key in factors(judged) if key not in ("checkpoint", "evaluate.episodes", "evaluate.plies")]
    cells = pd.DataFrame({
        "evaluation": [source.link(Path(run)) for run in judged["run"]],
        "checkpoint": judged["checkpoint"].tolist(),
        "trained for": number_words(judged["episodes"]),
        **{key: [value_text(key, value) for value in judged[key]] for key in varied},
        "plies": judged["evaluate.plies"].map(str).tolist(),
        "seed": judged["seed"].map(str).tolist(),
        "games": number_words(judged["evaluate.episodes"]),
        "mean score": interval_words(judged, SCORE, *SCORE_BOUNDS),
        **reach_words(judged),
        "moves/s": number_words(judged["eval_moves_per_second"]),
    })  # fmt: skip
    yield Section("Evaluations", table=Table(EVALUATIONS, cells, best=[0] if len(cells) > 1 else []))
    named = judged.drop(columns="evaluate.episodes").astype({"evaluate.plies": str})
    yield from _distributions("Scores of evaluations", named, ordered(named, factors(named)))


def _runs(source: Source, runs: pd.DataFrame) -> Iterator[Section]:
    """Every run with what differs, and the way to its files."""
    if runs.empty:
        return
    folders = [Path(run) for run in runs["run"]]
    curves = [folder / CURVE for folder in folders]
    shown = runs.reindex(columns=["episodes", SCORE, "moves_per_second"])
    cells = pd.DataFrame({
        "run": titles(runs).tolist(),
        "folder": [source.link(folder) for folder in folders],
        "curve": [source.link(curve, "curve") if curve.exists() else "" for curve in curves],
        "status": runs["status"].tolist(),
        "games": number_words(shown["episodes"]),
        "mean score": number_words(shown[SCORE]),
        "moves/s": number_words(shown["moves_per_second"]),
    })  # fmt: skip
    caption = "Each folder has result.json with every key of the configuration, and the files of the run."
    yield Section("Runs", table=Table(caption, cells))


def _unfinished(source: Source) -> Iterator[Section]:
    rows = source.table[source.table["status"] != FINISHED]
    if rows.empty:
        return
    shown = rows.reindex(columns=["run", "status", "episodes", "error"]).astype(object)
    cells = pd.DataFrame({
        "run": [source.link(Path(run)) for run in shown["run"]],
        "status": shown["status"].tolist(),
        "games": number_words(shown["episodes"]),
        "error": ["" if pd.isna(error) else str(error) for error in shown["error"]],
    })  # fmt: skip
    caption = "They are in no mean; learning curves show those that have begun."
    yield Section("Not finished", table=Table(caption, cells))
