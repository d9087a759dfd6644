"""Recorded games for the page: every board, and what each move lost by the values of an agent."""

from typing import Any

import numpy as np

from tdl.errors import ConfigError
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import RecordedGame, optional_values
from tdl.web.games import MAX_MOVES, made_json
from tdl.web.served_agents import ServedAgent


def replay_json(game: RecordedGame, agent: ServedAgent | None) -> dict[str, Any]:
    """A whole game as a page gets it."""
    if len(game.moves) > MAX_MOVES:
        raise ConfigError(f"game: {len(game.moves):,} moves; at most {MAX_MOVES:,} are shown")
    engine, rules = Engine(game.rules), game.rules
    return {
        "boards": [engine.array(board).tolist() for board in game.boards()],
        "made": [made_json(move, rules) for move in game.moves],
        "rows": rules.rows,
        "cols": rules.cols,
        "title": f"{rules.game} on {rules.rows}x{rules.cols}",
        "seed": game.seed,
        "episode": game.episode,
        "own_start": game.own_start,
        "complete": game.complete,
        **_judged(game, agent),
    }


def _judged(game: RecordedGame, agent: ServedAgent | None) -> dict[str, Any]:
    """What the moves lost: by the deeper search of the record, else by this agent, else by the player's own values.

    `by` says whose values say so, in words; None: nobody's. `values` are those of the four actions before each move,
    as they are shown; `losses` is of each move, and `best` the best action; None where nothing is known. The agent
    looks at every board, 1 ply; one of another game or board is not asked.
    """
    values = [move.values for move in game.moves]
    if game.moves and all(move.loss is not None for move in game.moves):
        losses = [move.loss for move in game.moves]
        return {"by": "the deeper search of the record", "values": values, "losses": losses, "best": None}
    if agent is not None and _shape(agent.rules) == _shape(game.rules):
        by, search = f"{agent.name}, 1 ply", SearchOptions()
        values = [optional_values(agent.values(move.board, search)) for move in game.moves]
    elif game.checkpoint is not None:
        by = "the values of the record"
    else:
        return {"by": None, "values": values, "losses": None, "best": None}
    rows = np.array(values, float).reshape(-1, 4)  # None becomes nan
    chosen = rows[np.arange(len(rows)), [move.action for move in game.moves]]
    best = [ACTION_NAMES[action] for action in np.nanargmax(rows, axis=1)]
    return {"by": by, "values": values, "losses": (np.nanmax(rows, axis=1) - chosen).tolist(), "best": best}


def _shape(rules: Rules) -> tuple[str, int, int]:
    """What an agent and a game have to have in common: the same tiles on the same board."""
    return rules.game, rules.rows, rules.cols
