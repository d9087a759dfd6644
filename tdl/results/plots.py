"""Plots that compare runs by the factors of their sweep: scores, curves, reach rates, histograms, heat map, speed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import seaborn as sns
from matplotlib.ticker import FuncFormatter, PercentFormatter

from tdl.game.merge_laws import game_title
from tdl.results.comparison import REACH, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THOUSANDS = FuncFormatter(lambda value, _: f"{value / 1000:g}k" if value else "0")

MAX_CURVES = 12
"""The most settings with a curve each; with more, curves are means over all keys but the first two."""

MAX_OUTLINES = 6
"""The most settings with a histogram each; with more, histograms are those of the first key."""

LOG_FROM = 20
"""A key has a logarithmic axis where its largest value is at least this many times its least."""

CI95 = ("ci", 95)
"""Bands and bars: 95% intervals of the mean over seeds by resampling, the same each time."""


def ordered(table: pd.DataFrame, keys: list[str]) -> list[str]:
    """The keys in the order of the axes: numbers first, and keys of many values before those of few."""
    columns: dict[str, pd.Series] = {key: table[key] for key in keys}
    return sorted(keys, key=lambda key: (not _is_number(columns[key]), -columns[key].nunique()))


def scored(table: pd.DataFrame, blocks: pd.DataFrame) -> pd.DataFrame:
    """The finished runs; with scores of the last block where none has games after training."""
    table = table[table["status"] == "finished"]
    if "eval_mean" not in table.columns or table["eval_mean"].isna().all():
        last: Any = blocks.groupby("run")["mean"].last() if len(blocks) else {}
        table = table.assign(eval_mean=table["run"].map(last))
    return table[table["eval_mean"].notna()]


def draw_scores(axes: Axes, table: pd.DataFrame, keys: Sequence[str]) -> None:
    """Mean scores against the first key: a dot for each run, a line through the means over seeds.

    Of the keys, `ordered`, the second has the colours, the others share the dashes. Without any, seeds.
    """
    x = keys[0] if keys else "seed"
    named = table.assign(**{key: _named(table[key]) for key in keys})
    named[x] = table[x] if keys and _is_number(table[x]) else _named(table[x])
    hue = keys[1] if len(keys) > 1 else None
    style = _joined(named, keys[2:]).rename(", ".join(keys[2:])) if len(keys) > 2 else None
    if keys:
        sns.lineplot(named, x=x, y="eval_mean", hue=hue, style=style, errorbar=CI95, seed=0, legend="brief", ax=axes)
    sns.scatterplot(named, x=x, y="eval_mean", hue=hue, style=style, s=30, legend=False, ax=axes)
    if _is_number(table[x]) and keys and table[x].min() > 0 and table[x].max() >= LOG_FROM * table[x].min():
        axes.set_xscale("log")
    elif max(named[x].map(str).str.len()) > 8:
        axes.tick_params(axis="x", labelrotation=30)
    axes.set_ylabel("mean score of the games after training")
    _finish(axes, "score")


def draw_curves(axes: Axes, blocks: pd.DataFrame, keys: Sequence[str]) -> None:
    """Mean scores of blocks (`tdl.results.load`) against episodes, a curve with a band for each setting."""
    named, hue = blocks.assign(setting=_drawn_setting(blocks, keys)), "setting" if keys else None
    legend: Any = "brief" if named["setting"].nunique() <= MAX_CURVES else False
    sns.lineplot(named, x="episode", y="mean", hue=hue, errorbar=CI95, n_boot=200, seed=0, legend=legend, ax=axes)
    axes.set_xlabel("episodes")
    axes.set_ylabel("mean score of a block")
    axes.xaxis.set_major_formatter(THOUSANDS)
    axes.set_xlim(left=0)
    _title_legend(axes, keys)
    _finish(axes, "learning curves")


def draw_reach(axes: Axes, table: pd.DataFrame, keys: Sequence[str]) -> None:
    """Share of the games after training that reached each tile, a line with a band for each setting.

    Tiles that all games reached, or none, are left out.
    """
    names = [name for name in table.columns if name.startswith(REACH) and 0 < table[name].mean() < 1]
    long = table.assign(setting=_drawn_setting(table, keys)).melt("setting", names, "tile", "rate")
    tiles = sorted({int(name.removeprefix(REACH)) for name in names})
    long["tile"] = pd.Categorical(long["tile"].str.removeprefix(REACH), [str(tile) for tile in tiles])
    sns.lineplot(long, x="tile", y="rate", hue="setting" if keys else None, errorbar=CI95, seed=0, marker="o", ax=axes)
    axes.set_ylabel("games that reached the tile")
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    _title_legend(axes, keys)
    axes.set_title("reach rates of the games after training")


def draw_distributions(axes: Axes, games: pd.DataFrame, keys: Sequence[str]) -> None:
    """The scores of the games after training: outlines of histograms with equal areas. `games` has the keys, too."""
    if setting_of(games, keys).nunique() > MAX_OUTLINES:
        keys = keys[:1]
    named, hue = games.assign(setting=_drawn_setting(games, keys)), "setting" if keys else None
    sns.histplot(
        named, x="score", hue=hue, element="step", fill=False, stat="density", common_norm=False, bins=60, ax=axes
    )
    axes.set_xlabel("score of a game")
    axes.set_ylabel("share of the games")
    axes.set_yticks([])
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(THOUSANDS)
    _title_legend(axes, keys)
    axes.set_title("scores of the games after training")


def draw_heat(axes: Axes, table: pd.DataFrame, keys: Sequence[str]) -> None:
    """Mean scores by the first two keys, over seeds and all other factors."""
    row, column = keys[1], keys[0]
    named = table.assign(**{key: _named(table[key]) for key in (row, column)})
    cells = named.groupby([row, column], observed=True)["eval_mean"].mean().unstack()
    form = ",.0f" if cells.max().max() >= 100 else ".2f"
    sns.heatmap(cells, annot=True, fmt=form, cmap="viridis", cbar_kws={"format": THOUSANDS}, ax=axes)
    axes.invert_yaxis()
    axes.set_title("mean score")


def draw_speed(axes: Axes, table: pd.DataFrame, keys: Sequence[str]) -> None:
    """Moves per second of training, a dot for each run."""
    named = table.assign(setting=_drawn_setting(table, keys))
    sns.stripplot(named, x="moves_per_second", y="setting", hue="setting", legend=False, jitter=False, ax=axes)
    axes.set_xlabel("moves per second of training")
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1e6:g}M" if value else "0"))
    axes.set_ylabel(", ".join(keys))
    axes.set_title("speed")


def setting_of(table: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """The setting of each run: the values of the keys as one text, in their order."""
    return _joined(table.assign(**{key: _named(table[key]) for key in keys}), keys)


def _drawn_setting(table: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """The setting of each run, by the first two keys only where settings are many."""
    setting = setting_of(table, keys)
    return setting if setting.nunique() <= MAX_CURVES else setting_of(table, keys[:2])


def _title_legend(axes: Axes, keys: Sequence[str]) -> None:
    legend = axes.get_legend()
    if legend is not None:
        legend.set_title(", ".join(keys))
        for text in legend.get_texts():
            text.set_fontsize("small")


def _finish(axes: Axes, title: str) -> None:
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(THOUSANDS)
    axes.set_title(title)


def _is_number(column: pd.Series) -> bool:
    """Whether all values are numbers, as an axis of numbers needs them."""
    is_number = pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)
    return bool(is_number and column.notna().all())


def _named(column: pd.Series) -> pd.Series:
    """The values as text, in their order; of paths the folder's name."""
    texts = column.map(game_title if column.name == "game" else text_of)
    if texts.str.contains("/").all():
        texts = texts.map(lambda text: Path(text).name if Path(text).name != "checkpoint" else Path(text).parent.name)
    numbers = pd.api.types.is_numeric_dtype(column)
    order = list(dict.fromkeys(texts[column.sort_values().index] if numbers else sorted(texts)))
    return pd.Series(pd.Categorical(texts, order), index=column.index)


def _joined(named: pd.DataFrame, keys: Sequence[str]) -> pd.Series:
    """One text for the values of several keys."""
    rows = named[list(keys)].sort_values(list(keys))
    texts = pd.Series([", ".join(map(str, values)) for values in rows.to_numpy()], index=rows.index, dtype=str)
    return pd.Series(pd.Categorical(texts[named.index], list(dict.fromkeys(texts))), index=named.index)
