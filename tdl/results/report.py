"""A page about runs: its sections, as HTML and as Markdown."""

import base64
import html
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tdl.game.merge_laws import game_title
from tdl.results import plots
from tdl.results.comparison import REACH, compare, factors, means, text_of
from tdl.results.frames import begun_in, games, load
from tdl.statistics.intervals import interval_text

MAX_SETTINGS = 40
"""The most settings that are compared with the best."""

STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
table { border-collapse: collapse; margin: 1rem 0; font-size: 14px; display: block; overflow-x: auto }
th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap }
img { max-width: 100%; margin: .5rem 0 }
h2 { margin-top: 2.5rem }
"""


@dataclass
class Section:
    """A part of the page; its figure is a PNG image."""

    title: str
    text: str = ""
    table: pd.DataFrame | None = None
    figure: bytes | None = None


def sections(folders: Sequence[Path], table: pd.DataFrame) -> list[Section]:
    """The sections of a page about the runs in these folders, which `table` lists (`tdl.sweeps.table.table_of`)."""
    sns.set_theme(style="whitegrid", context="notebook")
    begun = begun_in(table)
    blocks = load(begun["run"]) if len(begun) else begun
    played = plots.scored(table, blocks)
    keys = plots.ordered(begun, factors(begun)) if len(begun) else []
    parts = [_overview(table, begun, keys)]
    if len(played):
        named = played.assign(setting=plots.setting_of(played, keys))
        parts += [_settings(named, keys), *_against_best(named, keys)]
    return [*parts, *_figures(begun, played, blocks, keys), *_unfinished(table, folders)]


def as_html(title: str, parts: Sequence[Section]) -> str:
    """The page, with its style and images inside."""
    body = []
    for part in parts:
        body.append(f"<h2>{html.escape(part.title)}</h2>")
        if part.text:
            body.append(f"<p>{html.escape(part.text)}</p>")
        if part.table is not None:
            body.append(part.table.to_html(index=False, border=0, na_rep=""))
        if part.figure is not None:
            image = base64.b64encode(part.figure).decode()
            body.append(f'<img alt="{html.escape(part.title)}" src="data:image/png;base64,{image}">')
    title = html.escape(title)
    head = f'<meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
    return f"<!doctype html><html><head>{head}</head><body><h1>{title}</h1>{''.join(body)}</body></html>\n"


def as_markdown(title: str, parts: Sequence[Section]) -> str:
    """The tables and texts; figures are left out."""
    lines = [f"# {title}", ""]
    for part in parts:
        if part.table is None and not part.text:
            continue
        lines += [f"## {part.title}", "", *([part.text, ""] if part.text else [])]
        if part.table is not None:
            lines += [*_markdown(part.table), ""]
    return "\n".join(lines)


def _markdown(table: pd.DataFrame) -> list[str]:
    rows = [[str(name) for name in table.columns], ["---"] * len(table.columns)]
    rows += [["" if pd.isna(cell) else str(cell) for cell in row] for row in table.to_numpy().tolist()]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]


def _overview(table: pd.DataFrame, begun: pd.DataFrame, keys: Sequence[str]) -> Section:
    counts = table["status"].value_counts()
    statuses = ", ".join(f"{number} {status}" for status, number in counts.items())
    over = "; ".join(f"{key}: {', '.join(_texts(begun[key].drop_duplicates()))}" for key in keys)
    seeds = f"Seeds: {', '.join(map(str, sorted(begun['seed'].unique())))}." if len(begun) else ""
    differ = f"They differ in {over}." if over else "They differ in nothing but their seeds."
    return Section("Runs", f"{len(table)} runs: {statuses}. {differ} {seeds}")


def _settings(named: pd.DataFrame, keys: Sequence[str]) -> Section:
    scores = means(named, keys)
    shown = scores[[*keys, "runs"]].assign(**{key: _texts(scores[key]) for key in keys})
    shown["mean score"] = [interval_text(*row) for row in scores[["mean", "low", "high"]].to_numpy()]
    speeds = means(named, keys, "moves_per_second") if named["moves_per_second"].notna().any() else None
    if speeds is not None and len(speeds) == len(scores):
        shown["moves/s"] = [f"{speed:,.0f}" for speed in speeds["mean"]]
    for name in [name for name in named.columns if name.startswith(REACH)][-plots.MAX_CURVES :]:
        if 0 < named[name].mean() < 1:
            rates = named.groupby(list(keys), dropna=False)[name].mean() if keys else [named[name].mean()]
            shown[name.removeprefix(REACH)] = [f"{rate:.1%}" for rate in rates]
    text = "Means over seeds with 95% intervals (stratified bootstrap); shares of games that reached each tile."
    return Section("Settings", text, shown)


def _texts(values: pd.Series) -> pd.Series:
    return values.map(game_title if values.name == "game" else text_of)


def _against_best(named: pd.DataFrame, keys: Sequence[str]) -> list[Section]:
    scores = means(named, ["setting"]).sort_values("mean", ascending=False)
    if len(scores) < 2:
        return []
    best, *others = scores["setting"].head(MAX_SETTINGS + 1)
    rows = []
    for other in others:
        comparison = compare(named[["setting", "eval_mean", "seed"]], "setting", best, other)
        better = f"{comparison['improvement']:.0%}"
        if not math.isnan(comparison["improvement_low"]):
            better += f" [{comparison['improvement_low']:.0%}, {comparison['improvement_high']:.0%}]"
        rows.append((other, interval_text(comparison["difference"], comparison["low"], comparison["high"]), better))
    text = f"How much better {', '.join(keys)} = {best} is, and the probability that one of its runs beats another's."
    if len(scores) > len(others) + 1:
        text += f" Of {len(scores)} settings, those that come next."
    return [Section("Against the best", text, pd.DataFrame(rows, columns=["setting", "difference", "P(better)"]))]


def _figures(begun: pd.DataFrame, played: pd.DataFrame, blocks: pd.DataFrame, keys: Sequence[str]) -> list[Section]:
    figures = []
    if len(played):
        figures.append(("Scores", _figure(lambda axes: plots.draw_scores(axes, played, keys))))
    if not blocks.empty and blocks.groupby("run").size().max() > 1:
        figures.append(("Learning curves", _figure(lambda axes: plots.draw_curves(axes, blocks, keys))))
    if any(0 < played[name].mean() < 1 for name in played.columns if name.startswith(REACH)):
        figures.append(("Reach rates", _figure(lambda axes: plots.draw_reach(axes, played, keys))))
    all_games = games(played["run"]).merge(played[["run", *keys]], on="run") if len(played) else played
    if len(all_games):
        figures.append(("Score distributions", _figure(lambda axes: plots.draw_distributions(axes, all_games, keys))))
    if len(keys) > 1 and len(played):
        figures.append(("Heat map", _figure(lambda axes: plots.draw_heat(axes, played, keys))))
    if len(begun) and begun["moves_per_second"].notna().any():
        figures.append(("Speed", _figure(lambda axes: plots.draw_speed(axes, begun, keys))))
    return [Section(title, figure=figure) for title, figure in figures]


def _unfinished(table: pd.DataFrame, folders: Sequence[Path]) -> list[Section]:
    rows = table[table["status"] != "finished"]
    if rows.empty:
        return []
    text = "They are in no mean; learning curves show those that have begun."
    shown = rows.reindex(columns=["run", "status", "episodes", "error"])
    return [Section("Not finished", text, shown.assign(run=[_place(Path(run), folders) for run in rows["run"]]))]


def _place(run: Path, folders: Sequence[Path]) -> str:
    """The path of a run, relative to the folder of the report that it is in."""
    resolved = [folder.resolve() for folder in folders]
    return next((str(run.relative_to(folder)) for folder in resolved if run.is_relative_to(folder)), str(run))


def _figure(draw: Callable[[Axes], None]) -> bytes:
    figure = Figure(figsize=(10, 5), layout="constrained")
    draw(figure.subplots())
    file = io.BytesIO()
    figure.savefig(file, dpi=110, format="png")
    return file.getvalue()
