"""From the folders of an experiment's runs or evaluations to its results.csv and figure.png.

    python experiments/collect.py EXPERIMENT FOLDER [FOLDER ...] [into=FOLDER] [by=KEY,KEY]
    python experiments/collect.py EXPERIMENT     # a plain figure of the results.csv that is there

A row for each run: what the experiment went over (or `by`, where other keys follow from these), the seed, then
figures. `mean_10k`, `max_10k` and `reach_2048_10k` are of the training games of the block that ends at 10,000
episodes; `greedy_mean` and `reach_2048` of the games after training (`_low` and `_high` bound 95% intervals over
them); `expected`, `gap` and `largest_value_error` are exact.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("agg")

import pandas as pd
import seaborn as sns

import tdl.results
from tdl.results.plots import draw_curves, draw_scores, ordered, scored
from tdl.statistics.intervals import share_interval

HERE = Path(__file__).parent
REACH = "reach_"
EPISODES = [1_000, 2_000, 10_000, 22_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]
FIGURES = ["status", "episodes", "moves", "seconds", "moves_per_second"]
EXACT = ["expected", "optimal", "gap", "largest_value_error"]
MAX_INSIDE = 5
"""Lines of a legend that stand in the axes; more of them stand beside."""

NO_CHOICES = ("save.", "hydra.", "checkpoint", "evaluate.solution")
"""Keys that tell where things lie, not what was compared."""


def table_of(runs: pd.DataFrame, blocks: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The rows of results.csv."""
    table = runs[[*keys, "seed", *(name for name in FIGURES if name not in keys)]].round(
        {"seconds": 1, "moves_per_second": 0}
    )
    table = pd.concat([table, *_of_blocks(runs, blocks), *_of_games(runs)], axis=1)
    for name in EXACT:
        if f"eval_{name}" in runs:
            table[name] = runs[f"eval_{name}"].round(4)
    return table.sort_values([*keys, "seed"], key=lambda column: column.map(_order))


def choices(runs: pd.DataFrame) -> list[str]:
    """What the runs differ in; the number of episodes, too, where no budget ended them."""
    keys = [key for key in tdl.results.factors(runs) if not key.startswith(NO_CHOICES)]
    budgets = [key for key in runs if key.startswith("budget.") and runs[key].notna().any()]
    ended = runs.loc[runs["status"] == "finished", "episodes"]
    return [*keys, "episodes"] if ended.nunique() > 1 and not budgets else keys


def network_seed(checkpoint: str) -> int:
    """The seed of the run that left a checkpoint."""
    run = next(each for each in Path(checkpoint, "x").parents if (each / "result.json").exists())
    return int(tdl.results.runs(run)["seed"].iloc[0])


def _order(value: object) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, (int, float)) else (1, 0.0, str(value))


def _of_blocks(runs: pd.DataFrame, blocks: pd.DataFrame) -> list[pd.Series]:
    """Training figures at the episodes that a run came to, and at its last."""
    columns: list[pd.Series] = []
    if blocks.empty:
        return columns
    blocks = blocks.assign(seconds=blocks.groupby("run")["seconds"].cumsum())
    last = blocks.groupby("run")["episode"].max()
    for episode in sorted({*EPISODES, *(last if last.nunique() == 1 else ())}):
        part = blocks[blocks["episode"] == episode].set_index("run")
        if len(part):
            for name in ("mean", "seconds", "max", *(name for name in blocks if name.startswith(REACH))):
                column = runs["run"].map(part[name]).rename(f"{name}_{episode // 1000}k")
                if name in ("mean", "seconds") or (
                    episode in (10_000, last.max()) and (name == "max" or _tells(column))
                ):
                    columns.append(column.round(4 if name.startswith(REACH) else 1))
    return columns


def _tells(column: pd.Series) -> bool:
    """Whether a tile was reached in some of the games only."""
    return bool(column.max() > 0 and column.min() < 0.995)


def _of_games(runs: pd.DataFrame) -> list[pd.Series]:
    """Figures of the games after training, with their intervals."""
    if "eval_mean" not in runs:
        return []
    columns = [
        runs[f"eval_{name}"].round(1).rename(f"greedy_{title}")
        for name, title in {"mean": "mean", "low": "mean_low", "high": "mean_high", "max": "max"}.items()
    ]
    games = runs["evaluate.episodes"]
    reached = {int(name.removeprefix(f"eval_{REACH}")): name for name in runs if name.startswith(f"eval_{REACH}")}
    for tile, name in sorted(reached.items()):
        rates = runs[name].fillna(0.0)
        if _tells(rates):
            bounds = [share_interval(round(rate * n), n) for rate, n in zip(rates, games, strict=True)]
            columns.append(rates.round(4).rename(f"{REACH}{tile}"))
            columns += [
                pd.Series([each[i] for each in bounds], runs.index, name=f"{REACH}{tile}_{side}").round(4)
                for i, side in enumerate(("low", "high"))
            ]
    return columns


def draw(runs: pd.DataFrame, blocks: pd.DataFrame, keys: list[str], path: Path) -> None:
    """Learning curves, and the scores of the games after training."""
    sns.set_theme(style="whitegrid")
    panels: list[tuple[Any, pd.DataFrame]] = [(draw_curves, blocks)] if _are_curves(blocks) else []
    table = scored(runs, blocks)
    panels += [(draw_scores, table)] if len(table) else []
    figure = mpl.figure.Figure(figsize=(7 * len(panels), 4.5), layout="constrained")
    for axes, (drawn, frame) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        drawn(axes, frame, keys)
        if (legend := axes.get_legend()) and len(legend.get_texts()) > MAX_INSIDE:
            sns.move_legend(axes, "upper left", bbox_to_anchor=(1, 1))
    figure.savefig(path, dpi=110)


def draw_file(path: Path, figure: Path) -> None:
    """Scores of the runs of a results.csv, a row of dots for each setting, with the interval of their mean."""
    table = pd.read_csv(path)
    keys = list(table.columns[: list(table.columns).index("seed")])
    score = next(name for name in table.columns[::-1] if name in ("greedy_mean", "expected") or name[:5] == "mean_")
    table["setting"] = table[keys].astype(str).agg(", ".join, axis=1)
    sns.set_theme(style="whitegrid")
    drawing = mpl.figure.Figure(figsize=(7, 1.5 + 0.4 * table["setting"].nunique()), layout="constrained")
    axes = drawing.subplots()
    sns.pointplot(table, x=score, y="setting", errorbar=("ci", 95), seed=0, linestyle="none", color=".6", ax=axes)
    sns.stripplot(table, x=score, y="setting", hue="setting", legend=False, ax=axes)
    axes.set(ylabel=", ".join(keys), xlim=(0, None))
    drawing.savefig(figure, dpi=110)


def _are_curves(blocks: pd.DataFrame) -> bool:
    return len(blocks) > 0 and blocks["episode"].nunique() > 1


def main(experiment: str, *words: str) -> None:
    """Write the files."""
    options = dict(word.split("=", 1) for word in words if word.startswith(("into=", "by=")))
    folders = [word for word in words if not word.startswith(("into=", "by="))]
    into = Path(options.get("into", HERE / experiment))
    if not folders:
        return draw_file(into / "results.csv", into / "figure.png")
    runs = tdl.results.runs(folders)
    diverged = runs["error"].astype(str).str.contains("diverged")  # a result, too
    runs = runs[(runs["status"] == "finished") | diverged].reset_index(drop=True)
    if "checkpoint" in runs:  # evaluations: what counts is which network played, not which games
        runs["seed"] = runs["checkpoint"].map(network_seed)
    blocks = tdl.results.load(folders)
    if len(blocks):
        blocks = blocks[blocks["run"].isin(runs["run"])]
    keys = options["by"].split(",") if "by" in options else choices(runs)
    into.mkdir(parents=True, exist_ok=True)
    table_of(runs, blocks, keys).to_csv(into / "results.csv", index=False)
    draw(runs, blocks, keys if "by" in options else ordered(runs, keys), into / "figure.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
