"""The rows of results.csv: a row for each run, with its setting, its seed and its figures.

`mean_10k`, `max_10k` and `reach_2048_10k` are of the training games of the block that ends at 10,000 episodes
(`_low` and `_high` bound the 95% interval of the mean over these), `moves_10k` and `seconds_10k` of all training until
then;
`greedy_mean` and `reach_2048` are of the games after training (`_low` and `_high` bound 95% intervals over them);
`expected`, `gap`, `value_bias` and `value_rmse` are exact.
"""

import math

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


def summary(runs: pd.DataFrame, blocks: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The rows of results.csv: the values of `keys`, the seed and the figures of each run."""
    rows = runs[[*keys, "seed", *(name for name in FIGURES if name in runs and name not in keys)]].round(
        {"seconds": 1, "moves_per_second": 0}
    )
    rows = pd.concat([rows, *_training_figures(runs, blocks), *_evaluation_figures(runs)], axis=1)
    for name in EXACT:
        if f"eval_{name}" in runs:
            rows[name] = runs[f"eval_{name}"].round(4)
    return rows.sort_values([*keys, "seed"], key=lambda column: column.map(_sort_key))


def with_errors(blocks: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """The blocks, with the standard error of each mean by its games (`tdl.results.episodes`) as `mean_error`."""
    if blocks.empty or games.empty:
        return blocks.assign(mean_error=math.nan)
    ends = blocks[["run", "episode"]].assign(end=blocks["episode"]).sort_values("episode")
    games = pd.merge_asof(games.sort_values("episode"), ends, on="episode", by="run", direction="forward")
    errors = games.groupby(["run", "end"])["score"].sem().rename_axis(["run", "episode"]).rename("mean_error")
    return blocks.merge(errors.reset_index(), on=["run", "episode"], how="left")


def compared_keys(runs: pd.DataFrame) -> list[str]:
    """Keys in which the runs differ; the number of episodes, too, where no budget ended them."""
    keys = [key for key in tdl.results.factors(runs) if not key.startswith(NOT_COMPARED)]
    budgets = [key for key in runs if key.startswith("budget.") and runs[key].notna().any()]
    episodes = runs.loc[runs["status"] == "finished", "episodes"]
    return [*keys, "episodes"] if episodes.nunique() > 1 and not budgets else keys


def _sort_key(value: object) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, (int, float)) else (1, 0.0, str(value))


def _training_figures(runs: pd.DataFrame, blocks: pd.DataFrame) -> list[pd.Series]:
    """Figures of the blocks that end at one of `EPISODES`, and of the last block."""
    columns: list[pd.Series] = []
    if blocks.empty:
        return columns
    whole = ["moves", "seconds"]
    rates = [name for name in blocks if name.startswith(REACH)]
    unmade = blocks[rates].fillna(0.0)  # a tile that no game of a run made has no column in its blocks.csv
    blocks = blocks.assign(**blocks.groupby("run")[whole].cumsum(), **unmade)
    last = blocks.groupby("run")["episode"].max()
    for episode in sorted({*EPISODES, *(last if last.nunique() == 1 else ())}):
        part = blocks[blocks["episode"] == episode].set_index("run")
        if len(part):
            for name in ("mean", *whole, "max", *rates):
                column = runs["run"].map(part[name]).rename(f"{name}_{episode // 1000}k")
                if name in ("mean", *whole) or (
                    episode in (10_000, last.max()) and (name == "max" or _is_informative(column))
                ):
                    columns.append(column.round(4 if name.startswith(REACH) else 1))
                if name == "mean" and "mean_error" in part:
                    half = Z95 * runs["run"].map(part["mean_error"])
                    bounds = {"low": column - half, "high": column + half}
                    columns += [bound.round(1).rename(f"{column.name}_{side}") for side, bound in bounds.items()]
    return columns


def _is_informative(rates: pd.Series) -> bool:
    """Whether a tile was reached in some of the games only."""
    return bool(rates.max() > 0 and rates.min() < 0.995)


def _evaluation_figures(runs: pd.DataFrame) -> list[pd.Series]:
    """Figures of the games after training, with their intervals."""
    if "eval_mean" not in runs:
        return []
    columns = [
        runs[f"eval_{name}"].round(1).rename(f"greedy_{title}")
        for name, title in {"mean": "mean", "low": "mean_low", "high": "mean_high", "max": "max"}.items()
    ]
    games = runs["evaluate.episodes"]
    tiles = {int(name.removeprefix(f"eval_{REACH}")): name for name in runs if name.startswith(f"eval_{REACH}")}
    played = runs["eval_mean"].notna()
    for tile, name in sorted(tiles.items()):
        rates = runs[name].fillna(0.0).where(played)  # a tile that no game reached has no column in its run
        if _is_informative(rates):
            bounds = [
                share_interval(round(rate * n), n) if known else (math.nan, math.nan)
                for rate, n, known in zip(rates, games, played, strict=True)
            ]
            columns.append(rates.round(4).rename(f"{REACH}{tile}"))
            columns += [
                pd.Series([bound[i] for bound in bounds], runs.index, name=f"{REACH}{tile}_{side}").round(4)
                for i, side in enumerate(("low", "high"))
            ]
    return columns
