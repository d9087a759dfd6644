"""Words that people type for keys and choices of other names, and the proposals that messages make of them."""

from collections.abc import Iterable

from tdl.errors import nearest
from tdl.old_names import KEYS as OLD_KEYS
from tdl.old_names import new_choice

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
    "game": {"threes": "threes_law", "fibonacci": "2584"},
    "agent": {"dqlearning": "dqn", "deep_q": "dqn", "n_tuple": "ntuple"},
}
"""The same for choices, by group."""


def choice_hint(group: str, name: str, names: Iterable[str]) -> str:
    """A hint such as ``; did you mean '2048'?`` at a choice of a group, or nothing where no name is near.

    >>> choice_hint("game", "pow2", ["2048"]), choice_hint("learner", "TCL", ["td", "tc"])
    ("; did you mean '2048'?", "; did you mean 'tc'?")
    """
    names = list(names)
    meant = new_choice(group, name) or CHOICES.get(group, {}).get(_plain(name)) or _in_capitals(name, names)
    return f"; did you mean {meant!r}?" if meant else nearest(name, names)


def like(name: str, known: Iterable[str]) -> str:
    """The same at a key, of the keys that are known.

    >>> like("lr", ["alpha", "learner"]), like("agent.rate", ["agent.learning_rate"])
    ("; did you mean 'alpha'?", "; did you mean 'agent.learning_rate'?")
    """
    names = list(known)
    tops = {each.partition(".")[0] for each in names} | {"out"}
    for meant in (OLD_KEYS.get(name), SYNONYMS.get(_plain(name)), _in_capitals(name, names)):
        if meant and meant.partition("=")[0].partition(".")[0] in tops:
            return f"; did you mean {meant!r}?"
    return nearest(name, names)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _in_capitals(name: str, names: Iterable[str]) -> str | None:
    return next((each for each in names if each.lower() == name.lower() and each != name), None)
