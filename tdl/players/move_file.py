"""The moves of an agent's games, each with the four values by which it was chosen, as one `.npz`."""

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tdl.game.boards import pack
from tdl.game.rules import Rules
from tdl.players.batch_play import Actions, BatchPlayer, Moves, ValuesOfMoves, Which, play_by_values
from tdl.players.kinds import Agent
from tdl.players.player import Player
from tdl.search.options import SearchOptions
from tdl.storage.records import Records
from tdl.storage.row_spool import RowSpool, new_archive, write_array
from tdl.training.options import OnProgress


def move_of(rules: Rules) -> np.dtype[Any]:
    """The row of a move: tile indices before it, the action, its reward, and the values of up, right, down, left."""
    board = (rules.rows, rules.cols)
    return np.dtype([("boards", "u1", board), ("actions", "u1"), ("rewards", "<i4"), ("values", "<f4", (4,))])


def write_moves(
    file: BinaryIO,
    rules: Rules,
    values_of: ValuesOfMoves,
    episodes: int,
    seed: int,
    about: Mapping[str, Any],
    on_progress: OnProgress | None = None,
) -> Records:
    """Play the games of `play_by_values` and write their moves, game after game.

    Parameters
    ----------
    file : has an array of each field of `move_of`; `offsets`, the first move of each game and the number of all moves;
        and `scores` of the games. Until all are played their moves lie on its disk.
    about : by its names also in the file, as texts of JSON.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).
    """

    def keep(games: Which, moves: Moves, values: NDArray[Any], actions: Actions) -> None:
        boards = moves.tiles.reshape(-1, rules.rows, rules.cols)
        rewards = moves.rewards[np.arange(len(games)), actions]
        spool.add(games, {"boards": boards, "actions": actions, "rewards": rewards, "values": values})

    with closing(RowSpool(move_of(rules), Path(file.name).parent)) as spool, new_archive(file) as archive:
        records = play_by_values(rules, values_of, episodes, seed, on_turn=keep, on_progress=on_progress)
        spool.pack(archive)
        write_array(archive, "offsets", np.append(0, records["moves"].cumsum(dtype=np.int64)))
        write_array(archive, "scores", records["score"].copy())
        for name, content in about.items():
            write_array(archive, name, np.array(json.dumps(content)))
    return records


def values_of_moves(agent: Agent, search: SearchOptions) -> ValuesOfMoves:
    """The values by which `agent.evaluate` chooses with this search, of many boards at once.

    Raises
    ------
    ConfigError : it has none.
    """
    rules = agent.rules
    if isinstance(agent, BatchPlayer):
        return agent.ahead(search).q
    values = agent.action_values(search)
    if isinstance(agent, Player) and search.greedy and agent.target == "afterstate" and rules.bits * rules.cells <= 64:
        return lambda moves: agent.values_of(pack(moves.tiles.T.astype(np.uint64), rules))
    return lambda moves: np.array([values(pack(tiles, rules)) for tiles in moves.tiles.tolist()])
