"""A network as a player of NumPy alone: one Python file, and its arrays in one `.npz`."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.machine import allocate
from tdl.errors import refuse
from tdl.game.boards import action_names
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.players.player import Player, load
from tdl.storage.atomic import new_folder

TEMPLATE = Path(__file__).parent / "templates" / "standalone_player.py"

Array = NDArray[Any]


def export(source: str, target: Path, options: Namespace) -> str:
    """Make the folder `target` of the player of a run or checkpoint, and say how to use it.

    Parameters
    ----------
    options : `actions` are the names of the moves 0 to 3 for `get_action`, with commas between.
    """
    actions = action_names(options.actions, "--actions")
    arrays = arrays_of(load(source))
    with new_folder(target) as folder:
        folder.mkdir()
        (folder / "player.py").write_text(program(actions), encoding="utf-8")
        np.savez_compressed(folder / "player.npz", **arrays)  # cut into planes of bytes it is no smaller
    sizes = [f"{name} ({(target / name).stat().st_size / 1e6:,.2f} MB)" for name in ("player.py", "player.npz")]
    return f"{target}: {' and '.join(sizes)}\nIn this folder: from player import best, values, get_action"


def program(actions: Sequence[str]) -> str:
    """The Python file, whose `get_action` counts the moves in this order."""
    names = ", ".join(f'"{name}"' for name in actions)
    default = ", ".join(f'"{name}"' for name in ACTION_NAMES)
    return TEMPLATE.read_text(encoding="utf-8").replace(f"ACTIONS = [{default}]", f"ACTIONS = [{names}]")


def arrays_of(player: Player) -> dict[str, Any]:
    """What `player.npz` holds, as the Python file says."""
    network, rules = player.network, player.rules
    sizes = [table.size for table in network.layout.tables]
    drops = rules.drop if player.target == "state" else ()
    return {
        **_rules_arrays(rules),
        **_feature_arrays(network, np.cumsum([0, *sizes])),
        "gamma": np.array(player.gamma, np.float32),
        "drop_tiles": np.array([tile for tile, _ in drops], np.int64),
        "drop_shares": np.array([share for _, share in drops], np.float64),
        "thresholds": np.array(network.stages.thresholds, np.int64).reshape(-1, 1),
        "by_sum": np.array(network.stages.by == "sum"),
        "stride": np.array(sum(sizes)),
        "weights": natural_weights(network),
    }


def _rules_arrays(rules: Rules) -> dict[str, Array]:
    indices = range(rules.largest + 1)
    return {
        "shape": np.array([rules.rows, rules.cols]),
        "tiles": np.array([*map(rules.value, indices), rules.value(rules.largest + 1)], np.int64),
        "merges": np.array([[rules.merge(a, b) for b in indices] for a in indices], np.int8),
    }


def _feature_arrays(network: NTupleNetwork, first: Array) -> dict[str, Array]:
    """Where the index of each feature comes from: digits of the board, and what each of them is multiplied by."""
    radix, cap = network.layout.radix, network.tuples.count_cap
    pairs = list(dict.fromkeys(pair for _, compared in network.orders for pair in compared))
    counted = list(dict.fromkeys(tile for _, tiles in network.counts for tile in tiles))
    names: list[Any] = list(range(network.rules.cells))  # of all digits: cells, compared pairs, counted tiles
    names += [(sign, pair) for sign in "<>" for pair in pairs] + [("count", tile) for tile in counted]
    place = {name: number for number, name in enumerate(names)}
    read: list[tuple[list[Any], int]] = [(list(cells), radix) for _, cells in network.features]
    read += [([(sign, pair) for sign in "<>" for pair in compared], 2) for _, compared in network.orders]
    read += [([("count", tile) for tile in tiles], cap + 1) for _, tiles in network.counts]
    powers = np.zeros((network.m, len(names)), np.int64)
    for feature, (digits, base) in enumerate(read):  # an order may compare a pair twice
        np.add.at(powers[feature], [place[digit] for digit in digits], base ** np.arange(len(digits)))
    tables = [table for table, _ in (*network.features, *network.orders, *network.counts)]
    return {
        "powers": powers,
        "first": first[tables].reshape(-1, 1),
        "radix": np.array(radix),
        "pairs": np.array(pairs, np.int64).reshape(-1, 2).T,
        "counted": np.array(counted, np.int64).reshape(-1, 1, 1),
        "cap": np.array(cap),
    }


def natural_weights(network: NTupleNetwork) -> Array:
    """All tables, stage after stage, each in natural order, in the network's precision.

    An entry without a weight of its own has what it is worth by promotion.

    Raises
    ------
    ConfigError : the network reads lowered boards, or there is too little memory.
    """
    if (lowest := network.stages.downgrade) is not None:
        raise refuse("learner.stage_downgrade", lowest, "null: what is exported reads boards as they are")
    share, stages = np.float32(network.stages.share), network.stages.count
    ends = np.cumsum([table.size for table in network.layout.tables])
    entries = stages * int(ends[-1])
    weights = allocate("checkpoint", entries, f"the {entries:,} weights to export", network.weights.dtype.type)
    for number, table in enumerate(np.split(weights.reshape(stages, -1), ends[:-1], axis=1)):
        for stage in range(stages):
            values = network.table(number, stage)
            table[stage] = np.where(np.isnan(values), share * table[stage - 1], values)
    return weights
