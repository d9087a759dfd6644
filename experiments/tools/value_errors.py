"""Makes the csv files and the figure of an experiment about what values mean, from the folders of its runs.

    python -m experiments.tools.value_errors EXPERIMENT PLAYED SOLVED [into=FOLDER] [games=1000]

PLAYED has runs whose networks play, each on the drops of its seed; SOLVED runs with `evaluate.solution`. Of the first
results.csv has a row for each run, with its first afterstates (`start_value`, `start_earned`, `start_bias`), and
stages.csv its errors by largest tile; of the second solved.csv and solved_stages.csv have the same, exactly.
`tdl.statistics.value_errors` explains the columns.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

import tdl
import tdl.results
from experiments.tools import EXPERIMENTS, split_options
from tdl.agents.played_values import played_values
from tdl.results.palette import BLUE, GREEN, PURPLE, VERMILION
from tdl.results.style import WIDTH, caption, dress, new_figure, save, style
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import load as load_solution
from tdl.statistics.intervals import mean_interval
from tdl.statistics.value_errors import exact_errors, played_errors

KEYS = ["learner", "learner.td_lambda"]
SOLVED_KEYS = [*KEYS, "learner.initial_value"]

FIRST_STAGE = 128
"""Boards with smaller tiles are of this stage, on 4x4: they are few and much alike."""

RARE = 100
"""Afterstates, or games of 100,000, that a stage must have had of each seed to be drawn."""

COLOURS = {("td", 0.0): BLUE, ("td", 0.5): GREEN, ("tc", 0.0): VERMILION, ("tc", 0.5): PURPLE}


def rows_of(runs: pd.DataFrame, keys: list[str]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The setting and seed of each run, and the run itself."""
    order = runs.sort_values([*keys, "seed"]).to_dict("records")
    for run in tqdm(order, unit="network"):
        yield {key: run[key] for key in [*keys, "seed"]}, run


def played(runs: pd.DataFrame, games: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of results.csv and of stages.csv."""
    results, stages = [], []
    for setting, run in rows_of(runs, KEYS):
        rows = played_values(tdl.load(run["run"]), games, run["seed"])
        whole = played_errors(rows, 0)[0]
        start = played_errors(rows[rows["move"] == 0], 0)[0]
        figures = {"greedy_mean": run["eval_mean"], "start_value": start["value"], "start_earned": start["earned"]}
        figures |= {"start_bias": start["bias"], "bias": whole["bias"], "rmse": whole["rmse"]}
        results.append(setting | figures)
        stages.append(_frame(setting, played_errors(rows, np.maximum(rows["tile"], FIRST_STAGE))))
    return pd.DataFrame(results).round(1), pd.concat(stages).round(1)


def solved(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows of solved.csv and of solved_stages.csv."""
    results, stages = [], []
    solutions = {folder: load_solution(folder) for folder in runs["evaluate.solution"].unique()}
    for setting, run in rows_of(runs, SOLVED_KEYS):
        solution, player = solutions[run["evaluate.solution"]], tdl.load(run["run"])
        play = evaluate_policy(solution, player.afterstate_values)
        whole = exact_errors(play, 0)[0]
        figures = {"optimal": solution.optimal, "expected": play.expected, "gap": solution.optimal - play.expected}
        figures |= {"moves": play.moves} | {name: whole[name] for name in ("bias", "rmse", "bias_optimal", "regret")}
        results.append(setting | figures)
        stages.append(_frame(setting, exact_errors(play)))
    return pd.DataFrame(results).round(3), pd.concat(stages).round(4)


def _frame(setting: dict[str, Any], errors: np.ndarray) -> pd.DataFrame:
    table = pd.DataFrame(errors)
    for place, (key, value) in enumerate(setting.items()):
        table.insert(place, key, value)
    return table


def draw(folder: Path) -> None:
    """Draw bias and root mean square error by stage: above games played on 4x4, below exact ones of a solved game."""
    stages, exact = pd.read_csv(folder / "stages.csv"), pd.read_csv(folder / "solved_stages.csv")
    exact["boards"] *= 100_000
    with style():
        figure = new_figure(WIDTH, 5.4)
        grid = figure.subplots(2, 2)
        for row, (table, title) in enumerate(((stages, "2048 on 4x4, games"), (exact, "2584 on 2x3, exact"))):
            starts = sorted(table["learner.initial_value"].unique()) if "learner.initial_value" in table else [None]
            for axes, name, label in zip(grid[row], ("bias", "rmse"), ("bias", "RMSE"), strict=True):
                for start in starts:
                    part = table if start is None else table[table["learner.initial_value"] == start]
                    _lines(axes, part, name, "--" if start else "-")
                axes.set(title=f"{title}: {label}", ylabel="points", xscale="log")
                ticks = sorted(table.loc[table["boards"] >= RARE, "stage"].unique())
                _dress(axes, ticks, FIRST_STAGE if row == 0 else None)
        grid[0, 0].legend(loc="best")
        caption(figure, _caption(stages))
    save(figure, folder / "figure.png")


def _lines(axes: Any, table: pd.DataFrame, name: str, dashes: str) -> None:
    """A line for each learner: means over seeds with their intervals, at the stages that every seed came to."""
    settings = list(table.groupby(KEYS, sort=False))
    seeds = table["seed"].nunique()
    for place, ((learner, td_lambda), part) in enumerate(settings):
        often = part[part["boards"] >= RARE].groupby("stage")[name].apply(lambda column: column.to_numpy())
        often = often[often.map(len) == seeds]
        means = often.map(np.mean)
        bounds = np.array([mean_interval(values) for values in often]).T
        label = f"{str(learner).upper()}({f'{td_lambda:g}'.removeprefix('0') or '0'})"
        places = often.index * 1.035 ** (place - (len(settings) - 1) / 2)
        axes.errorbar(places, means, np.abs(bounds - means.to_numpy()), color=COLOURS[learner, td_lambda], label=label,
                      marker="o", markersize=3, capsize=2, linestyle=dashes, linewidth=1, elinewidth=0.9)  # fmt: skip


def _dress(axes: Any, ticks: list[int], first: int | None) -> None:
    dress(axes)
    axes.axhline(0, color="#444444", linewidth=0.8)
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"≤{tick}" if tick == first else str(tick) for tick in ticks], rotation=45)
    axes.set_xlabel("largest tile of the afterstate")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}k" if abs(value) >= 1000 else f"{value:g}")


def _caption(stages: pd.DataFrame) -> str:
    return (
        "Value of an afterstate less the points that follow it, each afterstate as often as greedy play meets it; "
        f"means over {stages['seed'].nunique()} seeds with their 95% intervals (Student's t). RMSE on 4x4 holds the "
        "luck of the drops, on 2x3 it does not. Dashed: from first values of 1,500."
    )


def main(experiment: str, *words: str) -> None:
    """Write the four csv files and figure.png."""
    (games, exact), options = split_options(words, "into", "games")
    target = Path(options.get("into", EXPERIMENTS / experiment))
    target.mkdir(parents=True, exist_ok=True)
    tables = [*played(tdl.results.runs(games), int(options.get("games", 1000))), *solved(tdl.results.runs(exact))]
    for table, name in zip(tables, ("results", "stages", "solved", "solved_stages"), strict=True):
        table.to_csv(target / f"{name}.csv", index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
