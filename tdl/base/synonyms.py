"""Other names of keys and choices: those that they once had, and those of other programs, papers and people.

Who types one is told ours. Files of runs, checkpoints, solutions and games with old names are read.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tdl.errors import nearest

OLD_CHOICES: Mapping[str, Mapping[str, str]] = {
    "game": {"pow2": "2048", "fib": "2584"},
    "experiment": {
        "best_300s": "restart",
        "best_100k": "milestone",
        "r1_state": "td_states",
        "r1_alpha": "td_states_alpha",
        "r2_afterstate": "td_afterstates",
        "r2_poor": "poor_tuples",
        "r3_adversary": "fib_adversary_plies2",
        "r4_dqn": "published_dqn",
        "r5_axe_box": "axe_box",
    },
}
"""By group the old name of a choice and its new one."""

OLD_KEYS: Mapping[str, str] = {
    "agent.batch": "agent.batch_size",
    "agent.device": "device",
    "agent.epsilon_first": "agent.epsilon_start",
    "agent.every": "agent.train_frequency",
    "agent.least": "agent.learning_starts",
    "agent.optimiser": "agent.optimizer",
    "agent.rate": "agent.learning_rate",
    "agent.replay": "agent.buffer_size",
    "agent.target_network": "agent.target_network_frequency",
}
"""The old name of a key and its new one."""

DEFAULTS: Mapping[str, Any] = {"device": "cpu"}
"""Values of keys that were null in runs without a deep Q-learner and are not null under their new names."""


def new_choice(group: str, name: object) -> str | None:
    """The new name of a choice; None where the name is not an old one.

    >>> new_choice("game", "pow2"), new_choice("game", "2048")
    ('2048', None)
    """
    return OLD_CHOICES.get(group, {}).get(str(name))


def new_word(word: str) -> str:
    """A word of a command line with new names.

    >>> new_word("game=pow2,threes_law"), new_word("agent.rate=0.1"), new_word("alpha=0.1")
    ('game=2048,threes_law', 'agent.learning_rate=0.1', 'alpha=0.1')
    """
    key, sign, value = word.partition("=")
    names = OLD_CHOICES.get(key, {})
    return OLD_KEYS.get(key, key) + sign + ",".join(names.get(name, name) for name in value.split(","))


def with_new_names(record: Mapping[str, Any]) -> dict[str, Any]:
    """A `meta.json` or `result.json` of any version with new names: of its rules, its configuration, its agent.

    What is not as such a file has it stays as it is, for the check of the file to refuse.

    >>> with_new_names({"rules": {"game": "fib"}, "config": {"agent": {"device": None}}})
    {'rules': {'game': '2584'}, 'config': {'agent': {}, 'device': 'cpu'}}
    """
    record = dict(record)
    for part, key in (("rules", "game"), ("names", "game")):
        if isinstance(laws := record.get(part), Mapping) and (name := new_choice("game", laws.get(key))):
            record[part] = {**laws, key: name}
    if isinstance(config := record.get("config"), Mapping):
        record["config"] = _config(config)
    if isinstance(network := record.get("network"), Mapping) and isinstance(network.get("choices"), Mapping):
        record["network"] = {**network, "choices": _config({"agent": network["choices"]})["agent"]}
    return record


def _config(config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration with new names."""
    new = dict(config)
    if isinstance(game := new.get("game"), Mapping) and (name := new_choice("game", game.get("name"))):
        new["game"] = {**game, "name": name}
    if isinstance(agent := new.get("agent"), Mapping):
        own = {key: value for key, value in agent.items() if f"agent.{key}" not in OLD_KEYS}
        for key in agent.keys() - own.keys():
            section, _, name = OLD_KEYS[f"agent.{key}"].rpartition(".")
            (own if section else new)[name] = DEFAULTS.get(name) if agent[key] is None else agent[key]
        new["agent"] = own
    return new


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
"""Our keys, with what other programs, papers and people call them."""

SYNONYMS: dict[str, list[str]] = {}
"""What such a word may mean: keys, the likelier first. Not every program has each."""

for _key, _words in _WORDS.items():
    for _word in _words.split():
        SYNONYMS.setdefault(_word, []).append(_key)

OTHER_CHOICES = {
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
    other = OTHER_CHOICES.get(group, {}).get(_in_lower_case(name))
    meant = new_choice(group, name) or other or _in_capitals(name, names)
    return f"; did you mean {meant!r}?" if meant else nearest(name, names)


def like(name: str, known: Iterable[str]) -> str:
    """The same at a key, of the keys that are known.

    >>> like("lr", ["alpha", "learner"]), like("agent.rate", ["agent.learning_rate"]), like("lambda", ["td_lambda"])
    ("; did you mean 'alpha'?", "; did you mean 'agent.learning_rate'?", "; did you mean 'td_lambda'?")
    """
    names = list(known)
    for meant in [OLD_KEYS[name]] if name in OLD_KEYS else SYNONYMS.get(_in_lower_case(name), []):
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


def _in_lower_case(name: str) -> str:
    return name.lower().replace("-", "_")


def _in_capitals(name: str, names: Iterable[str]) -> str | None:
    return next((known for known in names if known.lower() == name.lower() and known != name), None)
