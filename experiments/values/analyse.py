"""Makes the csv files and the figure of an experiment about what values mean, from the folders of its runs.

    python -m experiments.values.analyse PLAYED SOLVED [into=FOLDER] [games=1000]

PLAYED has runs whose networks play, each on the drops of its seed; SOLVED runs with `evaluate.solution`. results.csv
has a row for each of the first, also of its first afterstates (`start_value`), stages.csv its errors by largest tile;
solved.csv and solved_stages.csv have the same, exactly, of the second. `tdl.statistics.value_errors` explains them.
"""

import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from numpy.typing import NDArray
from tqdm import tqdm

import tdl
import tdl.results
from experiments.tools import arguments, write
from experiments.tools.drawing import panels
from experiments.tools.own_steps import name_of
from tdl.players.played_values import played_values
from tdl.results.style import BLUE, GREEN, GREY, PURPLE, VERMILION
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import load
from tdl.statistics.intervals import mean_interval
from tdl.statistics.value_errors import exact_errors, played_errors

KEYS = ["learner", "learner.td_lambda"]
SOLVED_KEYS = ["learner.initial_value", *KEYS]
FIRST_STAGE = 128  # boards with smaller tiles are of this stage, on 4x4: they are few and much alike
GAMES = 1000  # games of each network
RARE = 500  # afterstates that a stage must have had in these games, of each seed, to be drawn
COLOURS = {"TC(0)": VERMILION, "TC(.5)": PURPLE, "TD(0)": BLUE, "TD(.5)": GREEN}
SPREAD = {"errorbar": None, "linestyle": ":", "marker": "", "legend": False}

Judged = tuple[dict[str, Any], NDArray[Any]]  # figures of a run, and its errors by stage
load_solution = cache(load)


def played(run: dict[str, Any], games: int) -> Judged:
    """Of a run whose network plays."""
    rows = played_values(tdl.load(run["run"]), games, run["seed"])
    whole, start = played_errors(rows, 0)[0], played_errors(rows[rows["move"] == 0], 0)[0]
    figures = {"greedy_mean": run["eval_mean"], "start_value": start["value"], "start_earned": start["earned"]}
    figures |= {"start_bias": start["bias"], "bias": whole["bias"], "rmse": whole["rmse"]}
    return figures, played_errors(rows, np.maximum(rows["tile"], FIRST_STAGE))


def solved(run: dict[str, Any]) -> Judged:
    """Of a run on a solved game."""
    solution = load_solution(run["evaluate.solution"])
    play = evaluate_policy(solution, tdl.load(run["run"]).afterstate_values)
    whole = exact_errors(play, 0)[0]
    figures = {"optimal": solution.optimal, "expected": play.expected, "gap": solution.optimal - play.expected}
    figures |= {"moves": play.moves} | {name: whole[name] for name in ("bias", "rmse", "bias_optimal", "regret")}
    return figures, exact_errors(play)


def rows_of(runs: pd.DataFrame, keys: list[str], judge: Callable[..., Judged]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row for each run, and a row for each of its stages."""
    results, stages = [], []
    for run in tqdm(runs.sort_values([*keys, "seed"]).to_dict("records"), unit="network"):
        setting = {key: run[key] for key in [*keys, "seed"]}
        figures, errors = judge(run)
        results.append(setting | figures)
        stages.append(pd.DataFrame(setting, range(len(errors))).join(pd.DataFrame(errors)))
    return pd.DataFrame(results), pd.concat(stages)


def draw(folder: Path) -> str:
    """Bias and root mean square error by stage on 4x4, and bias on a solved board, into figure.png; its caption."""
    stages, exact = pd.read_csv(folder / "stages.csv"), pd.read_csv(folder / "solved_stages.csv")
    exact["boards"] *= GAMES
    parts = [("2048 on 4x4: bias", stages, "bias"), ("2048 on 4x4: root mean square error", stages, "rmse")]
    by_start = exact.groupby(SOLVED_KEYS[0])
    parts += [(f"2584 on 2x3, first values {start:,.0f}: bias", rows, "bias") for start, rows in by_start]
    styles = {"x": "stage", "hue": "learner", "palette": COLOURS, "hue_order": COLOURS, "dodge": 0.3, "linewidth": 1}
    with panels(folder / "figure.png", 5.6, 2, 2) as grid:
        for axes, (title, rows, name) in zip(grid.flat, parts, strict=True):
            often = _often(rows)
            key = axes is grid[0, 0] and "auto"
            sns.pointplot(often, y=name, **styles, errorbar=mean_interval, markersize=2, legend=key, ax=axes)
            axes.axhline(0, color=GREY, linewidth=0.8)
            axes.set(title=title, xlabel="largest tile of the afterstate", ylabel="points")
            axes.tick_params(axis="x", labelrotation=45)
        sns.pointplot(_often(stages), y="spread", **styles, **SPREAD, ax=grid[0, 1])
        axes.set_yscale("symlog", linthresh=10)  # biases of a few points beside some of a thousand
        axes.set(ylim=(-20, 2000), ylabel="points (linear to 10, then log)")
    bias = f"Bias: value minus the points that follow. Means over {stages['seed'].nunique()} seeds with 95% intervals."
    return f"{bias} Dotted: error of one constant for each stage. Tile 128 includes smaller ones. Below: exact."


def _often(rows: pd.DataFrame) -> pd.DataFrame:
    """The stages that every seed of a learner often came to, with the learner in words."""
    rows = rows[rows["boards"] >= RARE]
    rows = rows.assign(learner=[name_of(KEYS, setting) for setting in rows[KEYS].itertuples(index=False, name=None)])
    return rows[rows.groupby(["learner", "stage"])["seed"].transform("nunique") == rows["seed"].nunique()]


FIGURES = {"stages.csv": ("figure.png", draw)}


def main(*words: str) -> None:
    folders, target, options = arguments("values", words, "games")
    by_play, exact = (tdl.results.runs(folder) for folder in folders)
    judge = partial(played, games=int(options.get("games", GAMES)))
    (results, stages), (exact_results, exact_stages) = (
        rows_of(by_play, KEYS, judge),
        rows_of(exact, SOLVED_KEYS, solved),
    )
    write(target, results=results.round(1), stages=stages.round(1))
    write(target, solved=exact_results.round(3), solved_stages=exact_stages.round(4))
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
