"""Words that people type for keys and choices of other names, and the proposals that messages make of them."""

from collections.abc import Iterable

from tdl.errors import nearest

SYNONYMS = {
    "lr": "alpha",
    "learning_rate": "alpha",
    "stepsize": "alpha",
    "step_size": "alpha",
    "eta": "alpha",
    "discount": "gamma",
    "lambda": "learner.td_lambda",
    "lambda_": "learner.td_lambda",
    "lam": "learner.td_lambda",
    "trace_decay": "learner.td_lambda",
    "eps": "learner.epsilon",
    "games": "episodes",
    "n_episodes": "episodes",
    "num_episodes": "episodes",
    "random_seed": "seed",
    "n_threads": "threads",
    "cores": "threads",
    "board": "size",
    "board_size": "size",
    "patterns": "tuples",
    "network": "tuples",
    "ntuples": "tuples",
    "depth": "evaluate.plies",
    "ply": "evaluate.plies",
    "algorithm": "learner",
    "algo": "learner",
    "method": "learner",
    "model": "checkpoint",
    "output": "out",
    "outdir": "out",
    "output_dir": "out",
    "save_dir": "out",
    "tc": "learner=tc",
    "td": "learner=td",
    "dqn": "agent=dqn",
}
"""What other programs and papers call a key, with its name here."""

CHOICES = {
    "learner": {"tcl": "tc", "temporal_coherence": "tc", "td0": "td", "q": "td", "sarsa": "td"},
    "game": {"threes": "threes_law", "fibonacci": "fib"},
    "agent": {"dqlearning": "dqn", "deep_q": "dqn", "n_tuple": "ntuple"},
}
"""The same for choices, by group."""


def like(name: str, known: Iterable[str], synonyms: dict[str, str] | None = None) -> str:
    """A hint such as ``; did you mean 'alpha'?``, or nothing where no name is near.

    Parameters
    ----------
    known : the names there are.
    synonyms : other words for some of them; None: those of keys.

    >>> like("lr", ["alpha", "learner"]), like("TC", ["td", "tc"], {}), like("lambda", ["td_lambda"])
    ("; did you mean 'alpha'?", "; did you mean 'tc'?", "; did you mean 'td_lambda'?")
    """
    names, low = list(known), name.lower()
    meant = (SYNONYMS if synonyms is None else synonyms).get(low.replace("-", "_"))
    if meant is not None and synonyms is None:
        meant = _as_known(meant, names)
    if meant is None:
        meant = next((each for each in names if each.lower() == low and each != name), None)
    return nearest(name, names) if meant is None else f"; did you mean {meant!r}?"


def _as_known(key: str, names: Iterable[str]) -> str | None:
    """A key as these names have it: in its section, or by its own name alone; None: they do not have it."""
    top, last = key.partition("=")[0].partition(".")[0], key.rpartition(".")[2]
    if top in {name.partition(".")[0] for name in names}:
        return key
    return last if last in names else None
