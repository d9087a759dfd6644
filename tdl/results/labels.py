"""What figures and tables for people call the columns of `tdl.results`: words, not keys."""

LABELS = {
    "alpha": "step size alpha",
    "eval_mean": "mean score",
    "evaluate.episodes": "games after training",
    "learner.alpha": "step size alpha",
    "learner.td_lambda": "lambda",
    "runs": "seeds",
    "size": "board",
    "tiles": "tile rule",
}


def label(key: str) -> str:
    """A column in words; one without words of its own by the last part of its key.

    >>> label("alpha"), label("learner.reward_shift")
    ('step size alpha', 'reward shift')
    """
    return LABELS.get(key, key.rpartition(".")[2].replace("_", " "))
