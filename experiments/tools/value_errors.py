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
from matplotlib.ticker import FuncFormatter
from tqdm import tqdm

import tdl
import tdl.results
from experiments.tools import split_options, target_of
from tdl.agents.played_values import played_values
from tdl.results.palette import BLUE, GREEN, PURPLE, VERMILION
from tdl.results.style import WIDTH, caption, dress, new_figure, save, style
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import load as load_solution
from tdl.statistics.intervals import mean_interval
from tdl.statistics.value_errors import exact_errors, played_errors

KEYS = ["learner", "learner.td_lambda"]
SOLVED_KEYS = ["learner.initial_value", *KEYS]

FIRST_STAGE = 128
"""Boards with smaller tiles are of this stage, on 4x4: they are few and much alike."""

GAMES = 1000
"""Games of each network."""

RARE = 500
"""Afterstates that a stage must have had in these games, of each seed, to be drawn."""

POINTS = FuncFormatter(lambda value, _: f"{value / 1000:g}k" if abs(value) >= 1000 else f"{value:g}")

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
    """Bias and root mean square error by stage of games on 4x4; below, biases on a solved board by first value."""
    stages, exact = pd.read_csv(folder / "stages.csv"), pd.read_csv(folder / "solved_stages.csv")
    exact["boards"] *= GAMES
    with style():
        figure = new_figure(WIDTH, 5.6)
        upper, lower = figure.subplots(2, 2)
        for axes, name, title in zip(upper, ("bias", "rmse"), ("bias", "root mean square error"), strict=True):
            _lines(axes, stages, name)
            _dress(axes, stages, f"2048 on 4x4: {title}")
        _lines(upper[1], stages, "spread", dotted=True)
        upper[1].set_ylim(bottom=0)
        for axes, (start, part) in zip(lower, exact.groupby("learner.initial_value"), strict=True):
            _lines(axes, part, "bias")
            _dress(axes, part, f"2584 on 2x3, first values {start:,.0f}: bias")
        lower[-1].set_yscale("symlog", linthresh=10)  # biases of a few points beside some of a thousand
        lower[-1].set_ylim(-20, 2000)
        lower[-1].yaxis.set_major_formatter(POINTS)
        upper[0].legend(loc="upper left")
        caption(figure, _caption(stages))
    save(figure, folder / "figure.png")


def _lines(axes: Any, table: pd.DataFrame, name: str, dotted: bool = False) -> None:
    """A line for each learner: means over seeds with their intervals, at the stages that every seed often came to."""
    settings = list(table.groupby(KEYS, sort=False))
    seeds = table["seed"].nunique()
    for place, ((learner, td_lambda), part) in enumerate(settings):
        often = part[part["boards"] >= RARE].groupby("stage")[name].apply(lambda column: column.to_numpy())
        often = often[often.map(len) == seeds]
        means = often.map(np.mean)
        colour = COLOURS[learner, td_lambda]
        if dotted:
            axes.plot(often.index, means, ":", color=colour, linewidth=1)
            continue
        bounds = np.array([mean_interval(values) for values in often]).T
        label = f"{str(learner).upper()}({f'{td_lambda:g}'.removeprefix('0') or '0'})"
        places = often.index * 1.035 ** (place - (len(settings) - 1) / 2)
        axes.errorbar(places, means, np.abs(bounds - means.to_numpy()), color=colour, label=label, marker="o",
                      markersize=3, capsize=2, linewidth=1, elinewidth=0.9)  # fmt: skip


def _dress(axes: Any, table: pd.DataFrame, title: str) -> None:
    dress(axes)
    often = table[table["boards"] >= RARE].groupby([*KEYS, "stage"]).size()
    ticks = sorted(often[often == table["seed"].nunique()].index.unique("stage"))
    axes.axhline(0, color="#444444", linewidth=0.8)
    axes.set(title=title, ylabel="points", xlabel="largest tile of the afterstate", xscale="log")
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"≤{tick}" if tick == FIRST_STAGE else str(tick) for tick in ticks], rotation=45)
    axes.yaxis.set_major_formatter(POINTS)


def _caption(stages: pd.DataFrame) -> str:
    return (
        "Value of an afterstate less the points that follow it, each afterstate as often as greedy play meets it; "
        f"means over {stages['seed'].nunique()} seeds with their 95% intervals (Student's t). Above: {GAMES:,} games "
        "each; dotted: the standard deviation of the points that follow, the error of one constant for each stage. "
        "Below: exact, against what follows on average. Stages with few afterstates are left out. Note the scales."
    )


def main(experiment: str, *words: str) -> None:
    """Write the four csv files and figure.png."""
    (games, exact), options = split_options(words, "into", "games")
    target = target_of(options, experiment)
    tables = [*played(tdl.results.runs(games), int(options.get("games", GAMES))), *solved(tdl.results.runs(exact))]
    for table, name in zip(tables, ("results", "stages", "solved", "solved_stages"), strict=True):
        table.to_csv(target / f"{name}.csv", index=False)
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
