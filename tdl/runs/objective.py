"""The one number that says how good a finished run is: what a job returns to a sweeper that tunes."""

from tdl.statistics.block_table import read_blocks
from tdl.storage.run_folder import RunFolder


def objective(folder: RunFolder) -> float | None:
    """The mean score of the games after training.

    Without such games it is the expected score in a solved game, or else the mean of the last block of the training;
    None where nothing was played.
    """
    evaluation = folder.result_if_whole().get("evaluation", {})
    if "mean" in evaluation:
        return float(evaluation["mean"])
    if "exact" in evaluation:
        return float(evaluation["exact"]["expected"])
    try:
        means = read_blocks(folder.blocks)["mean"]
    except FileNotFoundError:
        return None
    return float(means[-1]) if len(means) else None
