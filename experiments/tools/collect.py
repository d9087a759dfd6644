"""Makes an experiment's results.csv and figure.png from the folders of its runs or evaluations.

    python -m experiments.tools.collect EXPERIMENT FOLDER [FOLDER ...] [into=FOLDER] [by=KEY,KEY]
    python -m experiments.tools.collect EXPERIMENT     # a figure of the results.csv that is there

Runs stand beside evaluations by their own games after training; both have the moves that trained the network. `by`
names the keys of the settings, where some of the keys in which the runs differ follow from others.
`experiments.tools.summary` explains the columns of results.csv.
"""

import sys

import tdl.results
from experiments.tools import arguments
from experiments.tools.figures import draw_results
from experiments.tools.summary import compared_keys, ended, summary, with_bounds, with_training


def main(experiment: str, *words: str) -> None:
    folders, target, options = arguments(experiment, words, "by")
    if folders:
        runs, blocks = ended(folders), tdl.results.load(folders)
        if "checkpoint" in runs:  # evaluations: the seed that counts is the network's, not that of the games
            runs = with_training(runs).assign(games=runs["evaluate.episodes"])
            runs["evaluate.plies"] = runs["evaluate.plies"].fillna(1).astype(int)
        if len(blocks):
            blocks = with_bounds(blocks[blocks["run"].isin(runs["run"])], tdl.results.episodes(folders))
        keys = options["by"].split(",") if "by" in options else compared_keys(runs)
        summary(runs, blocks, keys).to_csv(target / "results.csv", index=False)
    draw_results(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
