"""Words that people type for keys and choices of other names, and the proposals that messages make of them."""

from collections.abc import Iterable

from tdl.base.old_names import KEYS as OLD_KEYS
from tdl.base.old_names import new_choice
from tdl.errors import nearest

_WORDS = {
    "alpha": "lr learning_rate stepsize step_size eta",
    "gamma": "discount",
    "seed": "random_seed",
    "threads": "n_threads num_threads cores workers n_jobs",
    "size": "board board_size",
    "episodes": "games n_episodes num_episodes n_games train.games train.episodes",
    "block": "log_every log_interval log.every log_frequency print_every",
    "budget.seconds": "time max_time max_seconds seconds duration time_limit budget.time",
    "budget.moves": "moves max_moves steps max_steps total_timesteps",
    "evaluate.episodes": "eval.games eval.episodes eval_games eval_episodes evaluate.games games n_games n_episodes",
    "evaluate.plies": "depth ply plies eval.depth evaluate.depth",
    "search.plies": "search.depth train.depth train.plies",
    "search.cutoff": "min_prob search.min_prob eval.min_prob",
    "search.seconds": "eval.time search.time time_per_move time max_time",
    "search.table": "tt search.tt search.tt_mb search.tt_size eval.tt transposition_table cache",
    "save.every": "save_every save_freq save_frequency checkpoint_every checkpoint.every",
    "save.keep": "keep_last checkpoint.keep checkpoint.keep_last",
    "init": "init_from load pretrained warm_start",
    "logger": "log",
    "logger=tensorboard": "tensorboard",
    "logger=wandb": "wandb",
    "out": "output outdir output_dir save_dir",
    "checkpoint": "model",
    "tuples": "patterns network ntuples",
    "tiles.drop": "p4 prob_4 game.p4 drop spawn_prob",
    "placer": "spawner spawn env environment opponent adversary",
    "agent": "player",
    "experiment": "recipe preset",
    "learner": "algorithm algo method",
    "learner=tc": "tc",
    "learner=td": "td",
    "agent=dqn": "dqn",
    "learner.td_lambda": "lambda lambda_ lam trace_decay returns mc monte_carlo",
    "learner.epsilon": "epsilon eps",
    "learner.n_step": "n_step nstep",
    "learner.initial_value": "v_init v0 init_value optimistic optimism",
    "learner.schedule": "schedule alpha_schedule alpha.schedule lr_schedule",
    "learner.target": "values value afterstate afterstates",
    "learner.order": "update updates backward forward",
    "learner.start=restart": "restart restarts",
    "agent.learning_rate": "agent.lr dqn.lr agent.alpha",
}
"""The keys here, with what other programs, papers and people call them."""

SYNONYMS: dict[str, list[str]] = {}
"""What such a word may mean: keys, the likelier first. Not every program has each."""

for _key, _words in _WORDS.items():
    for _word in _words.split():
        SYNONYMS.setdefault(_word, []).append(_key)

CHOICES = {
    "learner": {"tcl": "tc", "temporal_coherence": "tc", "td0": "td", "q": "td", "sarsa": "td", "dqn": "agent=dqn"},
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

    >>> like("lr", ["alpha", "learner"]), like("agent.rate", ["agent.learning_rate"]), like("lambda", ["td_lambda"])
    ("; did you mean 'alpha'?", "; did you mean 'agent.learning_rate'?", "; did you mean 'td_lambda'?")
    """
    names = list(known)
    for meant in [OLD_KEYS[name]] if name in OLD_KEYS else SYNONYMS.get(_plain(name), []):
        if own := _as_known(meant, names):
            return f"; did you mean {own!r}?"
    capital = _in_capitals(name, names)
    return f"; did you mean {capital!r}?" if capital else nearest(name, names)


def _as_known(key: str, names: Iterable[str]) -> str | None:
    """A key as these names have it: in its section, or by its own name alone; None: they do not have it."""
    if key.partition("=")[0].partition(".")[0] in {name.partition(".")[0] for name in names}:
        return key
    last = key.rpartition(".")[2]
    return last if last in names else None


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _in_capitals(name: str, names: Iterable[str]) -> str | None:
    return next((each for each in names if each.lower() == name.lower() and each != name), None)
