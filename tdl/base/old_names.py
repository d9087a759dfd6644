"""The keys and choices that have another name than they once had: the one table of both.

Who types an old name is told the new one. Files of runs, checkpoints, solutions and games with old names are read.
"""

from collections.abc import Mapping
from typing import Any

CHOICES: Mapping[str, Mapping[str, str]] = {
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

KEYS: Mapping[str, str] = {
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
    return CHOICES.get(group, {}).get(str(name))


def new_word(word: str) -> str:
    """A word of a command line with new names.

    >>> new_word("game=pow2,threes_law"), new_word("agent.rate=0.1"), new_word("alpha=0.1")
    ('game=2048,threes_law', 'agent.learning_rate=0.1', 'alpha=0.1')
    """
    key, sign, value = word.partition("=")
    names = CHOICES.get(key, {})
    return KEYS.get(key, key) + sign + ",".join(names.get(name, name) for name in value.split(","))


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
        own = {key: value for key, value in agent.items() if f"agent.{key}" not in KEYS}
        for key in agent.keys() - own.keys():
            section, _, name = KEYS[f"agent.{key}"].rpartition(".")
            (own if section else new)[name] = DEFAULTS.get(name) if agent[key] is None else agent[key]
        new["agent"] = own
    return new
