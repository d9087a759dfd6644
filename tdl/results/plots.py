"""Plots that compare runs by the factors of their sweep: each is drawn on axes that the caller has.

The first key has the axis, the second the colours (alone, the first has both); the others are told apart by marker and
dashes, so nothing is pooled. Bars and bands are 95% intervals of the mean over seeds (Student's t), bars as those of
`tdl.results.means`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import blended_transform_factory

from tdl.results.comparison import GAMES, REACH, SCORE, means, plain, reach_columns, run_mean
from tdl.results.design import Looks, Scale, colour_key, ordered, setting_of, values_of
from tdl.results.frames import last_blocks
from tdl.results.palette import GREY
from tdl.results.style import MILLIONS, THOUSANDS, dress, from_zero
from tdl.statistics.intervals import mean_interval
from tdl.storage.run_folder import FAILED, FINISHED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "THOUSANDS", "add_strip", "curve_of", "draw_curves", "draw_distributions", "draw_heat", "draw_reach",
    "draw_scores", "draw_speed", "failed_in", "failed_word", "legend_of", "mark_failed", "ordered",
    "scored", "setting_of",
]  # fmt: skip

MAX_CURVES = 12
"""The most settings with a curve each on one pair of axes; of more the best are drawn, and the title says so."""

MAX_ROWS = 40
"""The most settings with a row each; of more the best are drawn, and the title says so."""

FEW = 8
"""Curves of at most so many blocks have a mark at each."""

FAINT: dict[str, Any] = {"alpha": 0.4, "linewidths": 0, "s": 9, "zorder": 2}
"""The dot of a single run."""

STRIP = 0.12
"""The height of the strip below all scores in which failed runs are marked, as a share of the axis."""


def scored(table: pd.DataFrame, blocks: pd.DataFrame) -> pd.DataFrame:
    """The finished runs; with scores of the last block where none has games after training."""
    table = table[table["status"] == FINISHED]
    if SCORE not in table.columns or table[SCORE].isna().all():
        table = table.assign(eval_mean=last_blocks(table, blocks))
    return table[table[SCORE].notna()]


def failed_in(table: pd.DataFrame) -> pd.DataFrame:
    """The runs that began and failed, as those that diverged."""
    if "episodes" not in table or "status" not in table:
        return table[:0]
    return table[(table["status"] == FAILED) & table["episodes"].notna()]


def has_games(table: pd.DataFrame) -> bool:
    """Whether the games of each run have an interval."""
    return {*GAMES} <= {*table} and bool(table[[*GAMES]].notna().all(axis=None))


def draw_scores(
    axes: Axes, table: pd.DataFrame, keys: Sequence[str], looks: Looks | None = None, scale: Scale | None = None,
    *, alone: bool = True,
) -> None:  # fmt: skip
    """Mean scores of settings with intervals, and a faint dot for each run; a cross where runs failed.

    Lines join the means of numbers only. Without keys a dot for each seed, and their mean. Where each setting has one
    run, intervals are over its games.

    Parameters
    ----------
    table : runs with scores, as of `scored`; with those that failed, too, where these are to be marked.
    keys : those that the runs differ in, as `ordered` has them.
    looks, scale : where other axes are to have the same.
    alone : with a legend, and with failed runs marked; other axes may need the same height first (`mark_failed`).
    """
    dress(axes)
    axes.set_ylabel("mean score")
    axes.yaxis.set_major_formatter(THOUSANDS)
    played = table[table[SCORE].notna()]
    if not keys:
        _draw_seeds(axes, played)
        return
    looks, scale = looks or Looks(table, keys, keys[2:]), scale or Scale.of(keys[0], table[keys[0]])
    asides = _asides(table, keys[1:])
    scores = _with_games(means(played, list(keys)), played, list(keys))
    scores["aside"] = _aside_of(scores, keys[1:], asides)
    if scale.kind in ("log", "linear"):
        for _, line in scores.groupby("aside"):
            look = looks.of(line.iloc[0]) | {"marker": "", "linewidth": 0.9, "alpha": 0.6}
            look |= {"color": GREY} if len(keys) == 1 else {}  # the colours are those of the points
            axes.plot([scale.at(*row) for row in line[[keys[0], "aside"]].to_numpy(object)], line["mean"], **look)
    for _, row in scores.iterrows():
        _draw_mean(axes, scale.at(row[keys[0]], row["aside"]), row, looks.of(row))
    dots = played.assign(aside=_aside_of(played, keys[1:], asides))
    beside = 0.09 if len(asides) == 1 else 0.35 * min(np.diff(sorted(asides.values())))
    places = [scale.at(*row) for row in dots.assign(aside=dots["aside"] + beside)[[keys[0], "aside"]].to_numpy(object)]
    axes.scatter(places, dots[SCORE], c=[looks.of(row)["color"] for _, row in dots.iterrows()], **FAINT)
    scale.set_on(axes)
    axes.set_xlabel(keys[0])
    if max(map(len, scale.labels)) * len(scale.values) > 40 and not any("\n" in label for label in scale.labels):
        axes.tick_params(axis="x", labelrotation=30)
    limit_scores(axes, played[SCORE].to_numpy(float))
    if alone:
        mark_failed(axes, table, keys, looks, scale)
        if len(keys) > 1:
            legend_of(axes, table, keys[1:], looks)


def _with_games(scores: pd.DataFrame, played: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Means, those of a single run with the interval of its games, where no setting has several."""
    if scores["low"].notna().any() or not has_games(played):
        return scores
    own = played.groupby(keys, dropna=False, observed=True, as_index=False)[[*GAMES]].first()
    low, high = np.where(scores["runs"] == 1, scores[keys].merge(own, "left", on=keys)[[*GAMES]].T, np.nan)
    return scores.assign(low=low, high=high)


def limit_scores(axes: Axes, scores: Any) -> None:
    """An axis from 0 where the scores are far apart, and nowhere wider than they deserve: intervals may leave it."""
    least, most = float(np.min(scores)), float(np.max(scores))
    low, high = axes.get_ylim()
    room = max(most - least, 0.1 * most)
    low, high = max(low, least - 1.5 * room, 0), min(high, most + 1.5 * room)
    axes.set_ylim(0 if low < 0.4 * most else low - 0.06 * (high - low), high)


def _draw_mean(axes: Axes, x: float, row: Any, look: dict[str, Any]) -> None:
    """A mean with its interval, if it has one."""
    below_above = None if np.isnan(row["low"]) else [[row["mean"] - row["low"]], [row["high"] - row["mean"]]]
    axes.errorbar([x], [row["mean"]], below_above, color=look["color"], marker=look["marker"], markersize=4.5,
                  linestyle="none", elinewidth=1.1, capsize=2, zorder=3)  # fmt: skip


def _draw_seeds(axes: Axes, played: pd.DataFrame) -> None:
    """A dot for each seed, with its games' interval where known, and their mean with its interval as a band."""
    scale = Scale("names", tuple(values_of(played["seed"])))
    colour, places = Looks(played, []).colour(None), [scale.at(seed) for seed in played["seed"]]
    axes.scatter(places, played[SCORE], color=colour, s=16, zorder=3)
    if has_games(played):
        bounds = played[[*GAMES]].to_numpy(float).T
        bars = np.abs(bounds - played[SCORE].to_numpy(float))
        axes.errorbar(places, played[SCORE], bars, color=colour, linestyle="none", elinewidth=1.1, capsize=2)
    mean, low, high = run_mean(played)
    if not np.isnan(low):
        axes.axhline(mean, color=colour, linewidth=1)
        axes.axhspan(low, high, color=colour, alpha=0.13, linewidth=0)
    scale.set_on(axes)
    axes.set_xlabel("seed")
    limit_scores(axes, played[SCORE].to_numpy(float))


def failed_word(failed: pd.DataFrame) -> str:
    """What became of failed runs, in a word."""
    diverged = len(failed) and "error" in failed and failed["error"].map(str).str.contains("diverged").all()
    return "diverged" if diverged else FAILED


def mark_failed(axes: Axes, table: pd.DataFrame, keys: Sequence[str], looks: Looks, scale: Scale) -> None:
    """In a strip below all scores a cross for each setting with failed runs, and how many of its runs they are."""
    failed, asides = failed_in(table), _asides(table, keys[1:])
    if failed.empty or not keys:
        return
    add_strip(axes)
    place = blended_transform_factory(axes.transData, axes.transAxes)
    counts = table.groupby(setting_of(table, keys), observed=True).size()
    for name, part in failed.groupby(setting_of(failed, keys), observed=True):
        row = part.iloc[0]
        x = scale.at(row[keys[0]], _aside_of(part[:1], keys[1:], asides)[0])
        axes.plot([x], [STRIP / 2], "x", color=looks.of(row)["color"], markersize=4.5, markeredgewidth=1.5,
                  transform=place, gid="failed")  # fmt: skip
        if len(part) < counts[name]:
            axes.annotate(f"{len(part)} of {counts[name]}", (x, STRIP / 2), xycoords=place, xytext=(4, 0),
                          textcoords="offset points", va="center", fontsize="x-small")  # fmt: skip


def add_strip(axes: Axes) -> None:
    """Room for the marks of failed runs, once."""
    if any(line.get_gid() == "strip" for line in axes.lines):
        return
    low, high = axes.get_ylim()
    axes.set_ylim(low - STRIP * (high - low) / (1 - STRIP), high)
    axes.axhline(low, color="#888888", linewidth=0.6, gid="strip")


def _asides(table: pd.DataFrame, keys: Sequence[str]) -> dict[Any, float]:
    """How far aside of their place on the axis the settings of the further keys stand, so that none hides another."""
    if not keys:
        return {(): 0.0}
    rows = table[list(keys)].drop_duplicates()
    rows = rows.loc[setting_of(rows, keys).sort_values(kind="stable").index]
    settings = list(dict.fromkeys(tuple(map(plain, row)) for row in rows.itertuples(index=False, name=None)))
    width = min(0.3, 0.09 * (len(settings) - 1))
    return dict(zip(settings, np.linspace(-width, width, len(settings)) if width else [0.0], strict=True))


def _aside_of(rows: pd.DataFrame, keys: Sequence[str], asides: dict[Any, float]) -> list[float]:
    return [asides[tuple(map(plain, row))] for row in rows[list(keys)].to_numpy(object)]


def legend_of(axes: Axes, table: pd.DataFrame, keys: Sequence[str], looks: Looks) -> None:
    """A legend beside the axes with the settings of some keys."""
    rows = table[list(keys)].drop_duplicates()
    setting = setting_of(rows, keys)
    handles = []
    for name in setting.cat.categories:
        row = dict.fromkeys(keys) | rows.loc[setting[setting == name].index[0]].to_dict()
        handles.append(Line2D([], [], markersize=4.5, label=name, **looks.of(row)))
    axes.legend(handles=handles, title=", ".join(keys), loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)


def curve_of(part: pd.DataFrame) -> pd.DataFrame:
    """The mean over the runs of a setting at each block: columns episode, mean, low, high."""
    table = part.pivot_table(index="episode", columns="run", values="mean")
    rows = [values[~np.isnan(values)] for values in table.to_numpy(float)]
    bounds = [mean_interval(values) for values in rows]
    figures = [(values.mean(), *bound) for values, bound in zip(rows, bounds, strict=True)]
    return pd.DataFrame(figures, columns=["mean", "low", "high"]).assign(episode=table.index)


def draw_curves(
    axes: Axes, blocks: pd.DataFrame, keys: Sequence[str], looks: Looks | None = None, *, legend: bool = True
) -> None:
    """Mean scores of blocks (`tdl.results.load`) against episodes: the mean of each setting with its band.

    A run that failed is in no mean: it is a thin line that ends with a cross.
    """
    dress(axes)
    blocks, title = _best(blocks, keys, "mean", MAX_CURVES)
    looks = looks or Looks(blocks, keys, _but_colour(keys))
    top = 0.0
    for _, part in blocks.groupby(setting_of(blocks, keys), observed=True) if keys else [((), blocks)]:
        look = looks.of(part.iloc[0]) | {"markersize": 3.5}
        failed = part["status"] == FAILED if "status" in part else pd.Series(False, part.index)
        if not failed.all():
            line = curve_of(part[~failed])
            marked = looks.shapes > 1 or len(line) <= FEW
            look |= {"markevery": max(1, len(line) // 7)} if marked else {"marker": ""}
            axes.plot(line["episode"], line["mean"], **look)
            axes.fill_between(line["episode"], line["low"], line["high"], color=look["color"], alpha=0.15, linewidth=0)
            top = max(top, min(line["high"].max(), 1.5 * line["mean"].max()), line["mean"].max())
        for _, run in part[failed].groupby("run"):
            axes.plot(run["episode"], run["mean"], color=look["color"], linewidth=0.7, alpha=0.8)
            axes.plot(
                run["episode"].iloc[-1:], run["mean"].iloc[-1:], "x", color=look["color"], markersize=5, gid="failed"
            )
            top = max(top, run["mean"].max())
    axes.set(xlabel="episodes", ylabel="mean score in training", xlim=(0, None), title=title)
    axes.xaxis.set_major_formatter(THOUSANDS)
    axes.set_ylim(top=1.05 * top if top else 1)
    from_zero(axes)
    if legend and keys:
        legend_of(axes, blocks, keys, looks)


def draw_reach(axes: Axes, table: pd.DataFrame, keys: Sequence[str]) -> None:
    """Share of the games after training that reached each tile, with its interval for each setting.

    Tiles that all games reached, or none, are left out.
    """
    dress(axes)
    table, title = _best(table, keys, SCORE, MAX_CURVES)
    looks = Looks(table, keys, _but_colour(keys))
    tiles = [int(name.removeprefix(REACH)) for name in reach_columns(table)]
    settings = list(table.groupby(setting_of(table, keys), observed=True)) if keys else [((), table)]
    width = min(0.33, 0.06 * (len(settings) - 1))
    for aside, (_, part) in zip(np.linspace(-width, width, len(settings)), settings, strict=True):
        look, places = looks.of(part.iloc[0]), np.arange(len(tiles)) + aside
        rates, *bounds = np.array([run_mean(part, f"{REACH}{tile}") for tile in tiles]).T
        axes.plot(places, rates, color=look["color"], linestyle=look["linestyle"], linewidth=0.7, alpha=0.5)
        bars = np.nan_to_num(np.abs(bounds - rates))
        axes.errorbar(places, rates, bars, color=look["color"], marker=look["marker"], markersize=4, linestyle="none",
                      elinewidth=1, capsize=1.5)  # fmt: skip
    axes.set_xticks(range(len(tiles)), [str(tile) for tile in tiles])
    axes.grid(visible=False, axis="x")
    axes.set(xlabel="tile", ylabel="games that reached the tile", ylim=(0, 1.02), title=title)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    if keys:
        legend_of(axes, table, keys, looks)


def draw_distributions(axes: Axes, games: pd.DataFrame, keys: Sequence[str]) -> None:
    """The scores of the games after training, a box for each setting, the best above. `games` has the keys, too.

    A box has the middle half of the games and their median, whiskers reach from the 5th to the 95th percentile,
    and the dot is the mean.
    """
    dress(axes)
    games, rows, title = _rows(games, keys, "score")
    looks = Looks(games, keys, [])
    scores = [games.loc[index, "score"].to_numpy(float) for index in rows.values()]
    mean = {"marker": "o", "markersize": 3.5, "markerfacecolor": "white", "markeredgecolor": "black"}
    boxes = axes.boxplot(scores, orientation="horizontal", widths=0.6, whis=(5, 95), showfliers=False, showmeans=True,
                         patch_artist=True, medianprops={"color": "black"}, meanprops=mean,
                         positions=range(len(rows)))  # fmt: skip
    for box, index in zip(boxes["boxes"], rows.values(), strict=True):
        colour = looks.of(games.loc[index[0]])["color"]
        box.set(facecolor=(colour, 0.35), edgecolor=colour)
    axes.set(xlabel="score of a game", xlim=(0, None), title=title)
    axes.xaxis.set_major_formatter(THOUSANDS)
    _name_rows(axes, rows, keys)


def draw_heat(axes: Axes, table: pd.DataFrame, keys: Sequence[str]) -> None:
    """Mean scores over seeds: the first key across, all others down."""
    named = table.assign(across=setting_of(table, keys[:1]), down=setting_of(table, keys[1:]))
    cells = named.groupby(["down", "across"], observed=True)[SCORE].mean().unstack()
    form = ",.0f" if cells.max().max() >= 100 else ".2f"
    shown = np.ma.masked_invalid(cells.to_numpy(float))
    image = axes.pcolormesh(shown, cmap="viridis", edgecolors="white", linewidth=1.5)
    for (down, across), mean in np.ndenumerate(shown):
        if not np.ma.is_masked(mean):
            light = float(image.norm(float(mean))) > 0.6  # type: ignore[arg-type]
            axes.text(across + 0.5, down + 0.5, f"{mean:{form}}", ha="center", va="center", fontsize="small",
                      color="black" if light else "white")  # fmt: skip
    axes.set_xticks(np.arange(cells.shape[1]) + 0.5, list(cells.columns))
    axes.set_yticks(np.arange(cells.shape[0]) + 0.5, list(cells.index))
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set(xlabel=keys[0], ylabel=", ".join(keys[1:]))
    axes.figure.colorbar(image, ax=axes, format=THOUSANDS, label="mean score")


def draw_speed(axes: Axes, table: pd.DataFrame, keys: Sequence[str]) -> None:
    """Moves per second of training, a dot for each run, the settings with the fastest above."""
    dress(axes)
    table, rows, title = _rows(table[table["moves_per_second"].notna()], keys, "moves_per_second")
    looks = Looks(table, keys, [])
    for place, index in enumerate(rows.values()):
        speeds = table.loc[index, "moves_per_second"]
        colour = looks.of(table.loc[index[0]])["color"]
        axes.scatter(speeds, [place] * len(speeds), color=colour, s=14, alpha=0.6, linewidths=0)
        axes.plot([speeds.mean()] * 2, [place - 0.25, place + 0.25], color=colour, linewidth=1.4)
    axes.set(xlabel="moves per second of training", xlim=(0, None), title=title)
    axes.xaxis.set_major_formatter(MILLIONS)
    _name_rows(axes, rows, keys)


def _rows(table: pd.DataFrame, keys: Sequence[str], column: str) -> tuple[pd.DataFrame, dict[str, pd.Index], str]:
    """The settings by their means, the lowest first, with the rows of each; and a title where some are left out."""
    table, title = _best(table.reset_index(drop=True), keys, column, MAX_ROWS)
    setting = setting_of(table, keys)
    order = table.groupby(setting, observed=True)[column].mean().sort_values(kind="stable").index
    return table, {name: setting.index[setting == name] for name in order}, title


def _name_rows(axes: Axes, rows: dict[str, pd.Index], keys: Sequence[str]) -> None:
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.set_ylabel(", ".join(keys))
    axes.grid(visible=False, axis="y")


def _best(table: pd.DataFrame, keys: Sequence[str], column: str, most: int) -> tuple[pd.DataFrame, str]:
    """The rows of the best settings by the mean of a column, over blocks of the last; and a title that says so."""
    setting = setting_of(table, keys)
    if setting.nunique() <= most:
        return table, ""
    last = table.groupby("run").tail(1) if "episode" in table and "run" in table else table
    scores = last[column].groupby(setting[last.index], observed=True).mean().sort_values(ascending=False)
    title = f"the {most} best of {setting.nunique()} settings"
    return table[setting.isin(scores.index[:most])], title


def _but_colour(keys: Sequence[str]) -> list[str]:
    return [key for key in keys if key != colour_key(keys)]
