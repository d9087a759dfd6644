"""Makes an experiment's results.csv, and the figure.png that its page shows, from the folders of its runs.

    python -m experiments.tools.collect EXPERIMENT FOLDER [FOLDER ...] [into=FOLDER] [by=KEY,KEY]

A row for each run or evaluation, with its setting, the seed and moves of the network's training, and its figures.
`by` names the keys of the settings, where some of the keys in which the runs differ follow from others. `mean_10k`,
`max_10k` and `reach_2048_10k` are of the training games of the block that ends at 10,000 episodes, `moves_10k` and
`seconds_10k` of all training until then; `greedy_mean` and `reach_2048` are of the games after training; `_low` and
`_high` bound 95% intervals over games. `expected`, `gap`, `value_bias` and `value_rmse` are exact.
"""

import sys

import pandas as pd

import tdl.results
from experiments.tools import arguments, write
from experiments.tools.figures import draw_results
from experiments.tools.pages import is_shown
from experiments.tools.runs import NOT_COMPARED, ended, summary, with_intervals, with_training


def compared_keys(runs: pd.DataFrame) -> list[str]:
    """Keys in which the runs differ; the number of episodes, too, where no budget ended them."""
    keys = [key for key in tdl.results.factors(runs) if not key.startswith(NOT_COMPARED)]
    budgets = [key for key in runs if key.startswith("budget.") and runs[key].notna().any()]
    episodes = runs.loc[runs["status"] == "finished", "episodes"]
    return [*keys, "episodes"] if episodes.nunique() > 1 and not budgets else keys


def main(experiment: str, *words: str) -> None:
    folders, target, options = arguments(experiment, words, "by")
    runs, blocks = ended(folders), tdl.results.load(folders)
    if "checkpoint" in runs:  # evaluations: the seed that counts is the network's, not that of the games
        runs = with_training(runs).assign(games=runs["evaluate.episodes"])
        runs["evaluate.plies"] = runs["evaluate.plies"].fillna(1).astype(int)
    if len(blocks):
        blocks = with_intervals(blocks[blocks["run"].isin(runs["run"])], tdl.results.episodes(folders))
    keys = options["by"].split(",") if "by" in options else compared_keys(runs)
    write(target, results=summary(runs, blocks, keys))
    if is_shown(target, "figure.png"):
        draw_results(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
