"""The rows of results.csv: a row for each run, with its setting, its seed and its figures.

`mean_10k`, `max_10k` and `reach_2048_10k` are of the training games of the block that ends at 10,000 episodes,
`moves_10k` and `seconds_10k` of all training until then; `greedy_mean` and `reach_2048` are of the games after
training; `_low` and `_high` bound 95% intervals over games. `expected`, `gap`, `value_bias`, `value_rmse` are exact.
"""

import math
from collections.abc import Iterator

import pandas as pd

import tdl.results
from tdl.statistics.intervals import Z95, share_interval

REACH = "reach_"
EPISODES = [1_000, 2_000, 10_000, 20_000, 22_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]
FIGURES = ["status", "episodes", "moves", "seconds", "moves_per_second", "games"]
GREEDY = {"eval_mean": "greedy_mean", "eval_low": "greedy_mean_low", "eval_high": "greedy_mean_high"}
"""Our names of the mean score of the games after training, and of its 95% interval over them."""

EXACT = ["expected", "optimal", "gap", "value_bias", "value_rmse"]

NOT_COMPARED = ("save.", "hydra.", "checkpoint", "evaluate.solution", "trained", "core_seconds")
"""Keys that say where files lie and columns of what trained a network, not what the runs compare."""


def ended(folders: str | list[str]) -> pd.DataFrame:
    """The runs of folders that finished, and those whose learning diverged, which is a result, too."""
    runs = tdl.results.runs(folders)
    diverged = runs["error"].astype(str).str.contains("diverged")
    return runs[(runs["status"] == "finished") | diverged].reset_index(drop=True)


def summary(runs: pd.DataFrame, blocks: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The rows of results.csv: the values of `keys`, the seed and the figures of each run."""
    rows = runs[[*keys, "seed", *(name for name in FIGURES if name in runs and name not in keys)]]
    rows = rows.round({"seconds": 1, "moves_per_second": 0})
    exact = [runs[f"eval_{name}"].round(4).rename(name) for name in EXACT if f"eval_{name}" in runs]
    rows = pd.concat([rows, *_training_figures(runs, blocks), *_evaluation_figures(runs), *exact], axis=1)
    return rows.sort_values([*keys, "seed"], key=lambda column: column.map(_sort_key))


def with_bounds(blocks: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """The blocks, with `mean_low` and `mean_high`: the 95% interval of each mean over its games.

    The games are those of `tdl.results.episodes`.
    """
    if blocks.empty or games.empty:
        return blocks.assign(mean_low=math.nan, mean_high=math.nan)
    ends = blocks[["run", "episode"]].assign(end=blocks["episode"]).sort_values("episode")
    games = pd.merge_asof(games.sort_values("episode"), ends, on="episode", by="run", direction="forward")
    errors = games.groupby(["run", "end"])["score"].sem().rename_axis(["run", "episode"]).rename("error")
    half = Z95 * blocks.join(errors, on=["run", "episode"])["error"]
    return blocks.assign(mean_low=blocks["mean"] - half, mean_high=blocks["mean"] + half)


def compared_keys(runs: pd.DataFrame) -> list[str]:
    """Keys in which the runs differ; the number of episodes, too, where no budget ended them."""
    keys = [key for key in tdl.results.factors(runs) if not key.startswith(NOT_COMPARED)]
    budgets = [key for key in runs if key.startswith("budget.") and runs[key].notna().any()]
    episodes = runs.loc[runs["status"] == "finished", "episodes"]
    return [*keys, "episodes"] if episodes.nunique() > 1 and not budgets else keys


def _sort_key(value: object) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, (int, float)) else (1, 0.0, str(value))


def _training_figures(runs: pd.DataFrame, blocks: pd.DataFrame) -> Iterator[pd.Series]:
    """Figures of the blocks that end at one of `EPISODES`, and of the last block."""
    if blocks.empty:
        return
    whole, bounds = ["moves", "seconds"], [name for name in ("mean_low", "mean_high") if name in blocks]
    rates = [name for name in blocks if name.startswith(REACH)]
    unmade = blocks[rates].fillna(0.0)  # a tile that no game of a run made has no column in its blocks.csv
    blocks = blocks.assign(**blocks.groupby("run")[whole].cumsum(), **unmade)
    last = blocks.groupby("run")["episode"].max()
    for episode in sorted({*blocks["episode"]}):
        if episode not in EPISODES and not (last == episode).all():
            continue
        part, end = blocks[blocks["episode"] == episode].set_index("run"), f"{episode // 1000}k"
        for name in ["mean", *bounds, *whole, *(["max", *rates] if episode in (10_000, last.max()) else [])]:
            column = runs["run"].map(part[name])
            if not name.startswith(REACH) or _is_informative(column):
                title = name.replace("mean", f"mean_{end}") if name.startswith("mean") else f"{name}_{end}"
                yield column.round(4 if name.startswith(REACH) else 1).rename(title)


def _is_informative(rates: pd.Series) -> bool:
    """Whether a tile was reached in some of the games only."""
    return bool(rates.max() > 0 and rates.min() < 0.995)


def _evaluation_figures(runs: pd.DataFrame) -> Iterator[pd.Series]:
    """Figures of the games after training, with their intervals."""
    if "eval_mean" not in runs:
        return
    for name, title in (GREEDY | {"eval_max": "greedy_max"}).items():
        yield runs[name].round(1).rename(title)
    played = runs["eval_mean"].notna()
    games = runs["evaluate.episodes"].where(played, 0).astype(int)
    tiles = [int(name.removeprefix(f"eval_{REACH}")) for name in runs if name.startswith(f"eval_{REACH}")]
    for tile in sorted(tiles):
        rates = runs[f"eval_{REACH}{tile}"].fillna(0.0).where(played)  # a tile of no game has no column in its run
        if _is_informative(rates):
            made = (rates.fillna(0.0) * games).round().astype(int)
            bounds = [share_interval(hits, n) for hits, n in zip(made, games, strict=True)]
            sides = pd.DataFrame(bounds, runs.index, [f"{REACH}{tile}_low", f"{REACH}{tile}_high"]).round(4)
            yield from (rates.round(4).rename(f"{REACH}{tile}"), *(sides[side] for side in sides))
