"""Plots that compare runs by the factors of their sweep, by seaborn: each is drawn on axes that the caller has.

The first key has the axis, the others the colours (alone, it has both), so nothing is pooled. Bars and bands are 95%
intervals of the mean over seeds (Student's t), bars as those of `tdl.results.means`. A setting has one where
`tdl.statistics.intervals.has_interval`; of others each run is shown. Axes of scores begin at 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import PercentFormatter

from tdl.results import design
from tdl.results.comparison import run_mean
from tdl.results.design import ordered, placed, setting_of
from tdl.results.frames import REACH, SCORE, reach_columns
from tdl.results.labels import label
from tdl.results.style import THOUSANDS, colours
from tdl.statistics.intervals import has_interval, mean_interval
from tdl.storage.run_folder import FAILED, FINISHED

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["THOUSANDS", "draw_curves", "draw_distributions", "draw_reach", "draw_scores", "ordered"]

MAX_CURVES, MAX_ROWS = 9, 40  # the most settings with a curve or a row, of more the best
DENSE = 100  # the most points of a curve, nearly
AFTER = "mean score after training"
NO_MARKS = pd.DataFrame(columns=["run", "value", "low", "high", "marker", "at"])


def draw_scores(
    axes: Axes, table: pd.DataFrame, keys: Sequence[str], palette: dict[str, str] | None = None, name: str = AFTER,
    marks: pd.DataFrame = NO_MARKS,
) -> None:  # fmt: skip
    """Mean scores of settings with intervals, and a faint dot for each run; a cross at 0 where runs failed.

    Of settings that a race stopped each run is a triangle. Lines join the means of numbers only; names stand on the
    vertical axis, the scores beside them. The `keys` are as `ordered` has them, `name` says what the scores are of.
    Other axes may have the same `palette` of `palette_of`. The `marks` are figures of others as of `NO_MARKS`: beside
    a `run` of ours a `value` and its interval, by a `marker`.
    """
    rows, hues = placed(table, keys), keys[1:] or keys
    palette = palette or palette_of(table, hues)
    upright = design.is_upright(table, keys)
    dodged = not upright and len(keys) > 1 and len(palette) > 1
    at, score = ("x", "y") if upright else ("y", "x")
    certain, failed = _certain(rows, rows[SCORE]), rows.index.isin(design.failed_in(rows).index)
    rows = rows.assign(judged=rows[SCORE].where(certain), alone=rows[SCORE].where(~certain), zero=np.nan)
    rows.loc[failed, "zero"] = 0.0
    stopped = design.stops(rows)
    rows = rows.assign(early=rows["alone"].where(stopped), alone=rows["alone"].where(~stopped))
    hue = rows["colour"].rename(_labels(hues))
    layer: dict[str, Any] = {at: "place", "orient": at, "native_scale": True, "hue": hue, "hue_order": [*palette],
                             "palette": palette, "legend": False, "ax": axes}  # fmt: skip
    points = layer | {"dodge": 0.8 - 0.8 / len(palette) if dodged else False}
    if keys and upright:
        rows["place"] = _aside(rows, design.scale_of(keys[0], table[keys[0]])) if keys[1:] else rows["place"]
        _scale(axes, keys[0], table[keys[0]])
        colour: dict[str, Any] = {"color": "grey"}
        if len(keys) > 1:
            colour = {name: layer[name] for name in ("hue", "hue_order", "palette")}
        sns.lineplot(rows, x="place", y=SCORE, errorbar=None, linewidth=0.8, legend=False, ax=axes, **colour)
    points |= {score: "judged", "legend": len(keys) > 1, "linestyle": "none", "markersize": 4.5}
    sns.pointplot(rows, **points, err_kws={"linewidth": 1.2},
                  errorbar=lambda scores: run_mean(rows.loc[scores.index])[1:])  # fmt: skip
    dots = layer | {"dodge": dodged, "jitter": False}
    sns.stripplot(rows, **dots | {score: "judged"}, size=4, alpha=0.35)
    sns.stripplot(rows, **dots | {score: "alone"}, size=4.5)
    if stopped.any():
        sns.stripplot(rows, **dots | {score: "early"}, size=5, marker="v")
    if failed.any():
        sns.stripplot(rows, **dots | {score: "zero"}, size=6, marker="X", clip_on=False, label="_failed")
    axes.set(**{f"{at}label": _labels(keys[:1]), f"{score}label": name})
    axes.set(**{f"{at}lim": getattr(axes, f"get_{at}lim")()} | ({} if keys else {"xticks": []}))
    _mark(axes, rows, marks, palette, "place", upright=upright)
    from_zero(axes, score)
    _legend(axes)


def palette_of(table: pd.DataFrame, keys: Sequence[str]) -> dict[str, str]:
    """The colour of each setting of the keys, by its name as of `setting_of`."""
    names = [str(name) for name in setting_of(table, keys).cat.categories]
    if len(keys) != 1:
        return dict(zip(names, colours(names).values(), strict=True))
    of_values = colours([*design.value_words(table[keys[0]])], numbers=design.is_number(table[keys[0]]))
    return dict(zip(names, of_values.values(), strict=True))


def _aside(rows: pd.DataFrame, scale: str) -> pd.Series:
    """Places of numbers, a fiftieth of the axis from colour to colour: none hides another, and each is still read."""
    place = np.log(rows["place"]) if scale == "log" else rows["place"]
    aside: pd.Series = place + 0.02 * np.ptp(place) * (rows["colour"].cat.codes - rows["colour"].nunique() / 2 + 0.5)
    return np.exp(aside) if scale == "log" else aside


def _certain(rows: pd.DataFrame, scores: pd.Series) -> pd.Series:
    """Whether a row is of a setting whose scores, one of each run, have an interval that holds."""
    of_setting = scores.reindex(rows.index).groupby(rows["setting"], observed=True)
    judged = of_setting.agg(lambda scores: has_interval(scores.dropna().to_numpy(float)))
    return rows["setting"].isin(judged.index[judged.astype(bool)]) & ~design.stops(rows)


def from_zero(axes: Axes, *sides: str) -> None:
    """Axes that begin at 0 and end where the data do, in all panels that share them; numbers in thousands."""
    for side in sides:
        axes.update_datalim([(0, 0)], updatex=side == "x", updatey=side == "y")
        axes.autoscale_view(scalex=side == "x", scaley=side == "y")
        getattr(axes, f"set_{side}lim")(0, None, auto=True)
        getattr(axes, f"{side}axis").set_major_formatter(THOUSANDS)


def _scale(axes: Axes, key: str, column: pd.Series) -> None:
    """An axis of numbers, with ticks exactly at these."""
    names, scale = design.value_words(column), design.scale_of(key, column)
    axes.set_xscale("linear" if scale == "names" else scale)
    axes.set_xticks(np.arange(len(names)) if scale == "names" else np.array([*names], float), names.values())
    axes.minorticks_off()
    axes.tick_params(axis="x", labelrotation=45 if len(names) > 6 else 0)


def _labels(keys: Sequence[str]) -> str:
    return ", ".join(map(label, keys))


def _legend(axes: Axes) -> None:
    """The legend, if there is one, beside the axes."""
    if axes.get_legend():
        sns.move_legend(axes, "upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0)


def draw_curves(
    axes: Axes, blocks: pd.DataFrame, keys: Sequence[str], palette: dict[str, str] | None = None,
    along: str | None = None, marks: pd.DataFrame = NO_MARKS,
) -> None:  # fmt: skip
    """Mean scores of blocks (`tdl.results.load`) against what limits the runs, as far as all runs of a setting go.

    A setting is a mean with its band, or a thin line for each run; so is each run that did not finish, and a cross
    ends those that failed. Where colours do not tell all settings apart, the first key has the dashes. Curves go
    `along` episodes, moves or seconds; None: what ends the runs. `palette` and `marks`, these `at` their places, are
    as of `draw_scores`.
    """
    blocks, along = design.with_progress(blocks, along)
    rows, hues = placed(blocks, keys), keys[1:] or keys
    palette = palette or palette_of(blocks, hues)
    rows, title = _few(rows, rows.groupby("run").tail(1), keys, "mean", MAX_CURVES)
    finished, ends = rows["status"] == FINISHED, rows.groupby("run").tail(1)
    certain = finished & _certain(rows, ends["mean"].where(finished))
    shown = [name for name in palette if not title or name in {*rows["colour"]}]
    layer: dict[str, Any] = {"x": "at", "y": "mean", "palette": palette, "hue_order": shown, "ax": axes}
    band: dict[str, Any] = {
        "errorbar": lambda means: mean_interval(means.to_numpy()),
        "err_kws": {"alpha": 0.15, "linewidth": 0},
    }
    thin: dict[str, Any] = {"units": "run", "estimator": None, "linewidth": 0.7}
    dots: dict[str, Any] = {"marker": ".", "markersize": 5, "markeredgewidth": 0}
    dashed = len(keys) > 1 and rows["setting"].nunique() > rows["colour"].nunique()
    for part, kind in ((_aligned(rows[certain]), band), (rows[~certain], thin)):
        if len(part):
            style = setting_of(part, keys[:1]).rename(_labels(keys[:1])) if dashed else None
            sns.lineplot(part, **layer, **kind, **dots, hue=part["colour"].rename(_labels(hues)), style=style,
                         legend="full" if keys and not axes.get_legend() else False)  # fmt: skip
    if len(failed := ends[ends["status"] == FAILED]):
        sns.scatterplot(failed, **layer, hue="colour", marker="X", legend=False, label="_failed", zorder=3)
    _mark(axes, rows, marks, palette, "at", upright=True)
    axes.set(xlabel=f"{along} of training", ylabel="mean score in training", title=title)
    from_zero(axes, "x", "y")
    _legend(axes)


def _mark(
    axes: Axes, rows: pd.DataFrame, marks: pd.DataFrame, palette: dict[str, str], across: str, *, upright: bool
) -> None:
    """Figures of others, open, so that they hide no point of ours, and in the colour of our setting."""
    ours = rows.drop_duplicates("run")[["run", "place", "colour"]]
    for mark in marks.merge(ours, on="run").to_dict("records"):
        bars = [[mark["value"] - mark["low"]], [mark["high"] - mark["value"]]]
        point = {"x": mark[across], "y": mark["value"], "yerr": bars}
        if not upright:
            point = {"x": mark["value"], "y": mark[across], "xerr": bars}
        axes.errorbar(**point, marker=mark["marker"], markersize=10 if mark["marker"] == "*" else 5, elinewidth=0.8,
                      markerfacecolor="white", color=palette[mark["colour"]], linestyle="none", zorder=5,
                      clip_on=False)  # fmt: skip


def _few(
    rows: pd.DataFrame, scores: pd.DataFrame, keys: Sequence[str], column: str, most: int
) -> tuple[pd.DataFrame, str]:
    """Of too many settings the best of each colour, and of these the best; and a title that says so."""
    means = scores.groupby(["colour", "setting"], observed=True)[column].mean()
    if len(means) <= most:
        return rows, ""
    best = means.sort_values(ascending=False).reset_index().drop_duplicates("colour")[:most]
    few = rows[rows["setting"].isin(best["setting"])]
    few = few.assign(**{name: few[name].cat.remove_unused_categories() for name in ("colour", "setting")})
    colours = f", one for each {' and '.join(map(label, keys[1:]))}" if len(keys) > 1 else ""
    return few, f"the {len(best)} best of {len(means)} settings{colours}"


def _aligned(rows: pd.DataFrame) -> pd.DataFrame:
    """The runs of each setting at the same places, between two blocks in a straight line, as far as all of them go.

    So a mean is of all runs everywhere.
    """
    parts = []
    for _, part in rows.groupby("setting", observed=True):
        means = part.pivot_table("mean", "at", "run").interpolate("index", limit_area="inside").dropna()
        means = means.iloc[:: -max(1, len(means) // DENSE)]  # from the end, which is the one to be seen
        runs = part.drop(columns=["at", "mean"]).drop_duplicates("run")
        parts.append(means.melt(value_name="mean", ignore_index=False).reset_index().merge(runs, on="run"))
    return pd.concat(parts, ignore_index=True) if parts else rows[:0]


def draw_reach(axes: Axes, table: pd.DataFrame, keys: Sequence[str]) -> None:
    """The share of games after training that reached each tile, but for tiles of all games or of none, as scores."""
    rows = placed(table, keys)
    rows, title = _few(rows, rows, keys, SCORE, MAX_CURVES)
    tiles = {name: int(name.removeprefix(REACH)) for name in reach_columns(table)}
    rates = rows.rename(columns=tiles).melt([*keys, "run"], [*tiles.values()], "tile", "rate").astype({"tile": int})
    draw_scores(axes, rates.rename(columns={"rate": SCORE}), ["tile", *keys], name="games that reached the tile")
    axes.set(ylim=(0, 1.02), title=title)
    axes.yaxis.set_major_formatter(PercentFormatter(1))


def draw_distributions(axes: Axes, games: pd.DataFrame, keys: Sequence[str]) -> None:
    """The scores of the games after training, a box for each setting, the best above. `games` has the keys, too.

    A box has the middle half of the games and their median, whiskers reach from the 5th to the 95th percentile,
    and the dot is the mean.
    """
    rows = placed(games, keys)
    rows, title = _few(rows, rows, keys, "score", MAX_ROWS)
    order = rows.groupby("setting", observed=True)["score"].mean().sort_values(ascending=False, kind="stable").index
    mean = {"marker": "o", "markersize": 3.5, "markerfacecolor": "white", "markeredgecolor": "black"}
    sns.boxplot(rows, x="score", y=rows["setting"].rename(_labels(keys)), order=order, hue="colour", legend=False,
                palette=palette_of(games, keys[1:] or keys), dodge=False, fill=False, whis=(5, 95), showfliers=False,
                showmeans=True, meanprops=mean, ax=axes)  # fmt: skip
    axes.set(xlabel="score of a game", title=title)
    from_zero(axes, "x")
