"""The rows of results.csv: settings and figures of runs and evaluations, from their folders.

`experiments.tools.collect` says what the columns are.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

import tdl.results
from experiments.tools.tables import REACH
from tdl.statistics.intervals import Z95, share_interval

EPISODES = [1_000, 2_000, 10_000, 20_000, 22_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]
FIGURES = ["status", "episodes", "moves", "seconds", "moves_per_second", "games"]
EXACT = ["expected", "optimal", "gap", "value_bias", "value_rmse"]
GREEDY = {"eval_mean": "greedy_mean", "eval_low": "greedy_mean_low", "eval_high": "greedy_mean_high"}  # our names
# Keys that say where files lie and columns of what trained a network, not what the runs compare.
NOT_COMPARED = ("save.", "hydra.", "checkpoint", "evaluate.solution", "trained", "core_seconds")
TRAINED = ["episodes", "moves", "core_seconds"]  # what trained a network; seconds of its run times its threads
SETTINGS = ["learner.stages", "learner.stage_downgrade"]  # keys of its run, which its evaluations do not have


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


def with_intervals(blocks: pd.DataFrame, games: pd.DataFrame) -> pd.DataFrame:
    """The blocks of runs with `mean_low` and `mean_high`, the 95% interval of each mean over these games of theirs."""
    if blocks.empty or games.empty:
        return blocks.assign(mean_low=math.nan, mean_high=math.nan)
    ends = blocks[["run", "episode"]].assign(end=blocks["episode"]).sort_values("episode")
    games = pd.merge_asof(games.sort_values("episode"), ends, on="episode", by="run", direction="forward")
    errors = games.groupby(["run", "end"])["score"].sem().rename_axis(["run", "episode"]).rename("error")
    half = Z95 * blocks.join(errors, on=["run", "episode"])["error"]
    return blocks.assign(mean_low=blocks["mean"] - half, mean_high=blocks["mean"] + half)


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
    games = runs["evaluate.episodes"].where(runs["eval_mean"].notna(), 0).astype(int)
    tiles = [int(name.removeprefix(f"eval_{REACH}")) for name in runs if name.startswith(f"eval_{REACH}")]
    for tile in sorted(tiles):
        rates, title = runs[f"eval_{REACH}{tile}"], f"{REACH}{tile}"
        if _is_informative(rates):
            hits = (rates * games).fillna(0.0).round().astype(int)
            bounds = [share_interval(k, n) for k, n in zip(hits, games, strict=True)]
            sides = pd.DataFrame(bounds, runs.index, [f"{title}_low", f"{title}_high"])
            yield from (rates.round(4).rename(title), *(sides[side].round(4) for side in sides))


def run_of(checkpoint: str) -> Path:
    """The folder of the run that wrote a checkpoint."""
    return next(folder for folder in Path(checkpoint, "x").parents if (folder / "result.json").exists())


def network_seed(checkpoint: str) -> int:
    """The seed of the run that wrote a checkpoint."""
    return int(tdl.results.runs(run_of(checkpoint))["seed"].iloc[0])


def with_training(judged: pd.DataFrame) -> pd.DataFrame:
    """Rows of `tdl.results.runs`, of runs or evaluations, with what trained the network.

    That is `TRAINED`, seed, start and `SETTINGS` of its run; what trained the network of `init=` counts.
    """
    checkpoints = judged.get("checkpoint", judged["run"]).fillna(judged["run"])
    judged = judged.drop(columns=["moves", "seed", *SETTINGS], errors="ignore").rename(columns={"episodes": "own"})
    judged["trained"] = [str(run_of(checkpoint)) for checkpoint in checkpoints]
    spent = pd.concat([_spent(run) for run in sorted({*judged["trained"]})])
    return judged.merge(spent.round({"core_seconds": 3}), "left", on=["trained", "own"])


def _spent(run: str) -> pd.DataFrame:
    """What trained the network of a run until the end of each block, `own` episodes of that run.

    With what trained the network that it began with; one that was kept is named by the last episode of its own run.
    """
    blocks = tdl.results.load(run)
    blocks["core_seconds"] = blocks["seconds"] * blocks["threads"]
    spent = blocks[["moves", "core_seconds"]].cumsum().assign(episodes=blocks["episode"], seed=blocks["seed"])
    source = blocks["init"].iloc[0]
    if not pd.isna(source):
        before = _spent(str(run_of(source)))
        kept = Path(source).parent.name == "kept"
        episode = int(Path(source).name) if kept else before["own"].max()
        spent[TRAINED] += before.loc[before["own"] == episode, TRAINED].iloc[0]
        spent = spent.astype({"episodes": int, "moves": int})
    settings = blocks.reindex(columns=SETTINGS)
    return spent.assign(trained=run, own=blocks["episode"], start=blocks["learner.start"], **settings)
