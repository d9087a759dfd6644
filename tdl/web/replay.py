"""Recorded games for the page: every board, and what each move lost by the values of an agent."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tdl.errors import ConfigError
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import RecordedGame, optional_values
from tdl.web.games import MAX_MOVES, made_json
from tdl.web.served_agents import ServedAgent

Values = tuple[float | None, ...]


@dataclass(frozen=True)
class Losses:
    """What the moves of a game lost.

    Attributes
    ----------
    by : whose values say so, in words; None: nobody's, and nothing is known.
    values : of the four actions before each move, as they are shown.
    losses : of each move; None where nothing is known.
    best : the best action before each move; None where only its loss is known.
    """

    by: str | None
    values: list[Values]
    losses: list[float] | None
    best: list[str] | None


def losses_of(game: RecordedGame, agent: ServedAgent | None) -> Losses:
    """What the moves lost: by the deeper search of the record, else by this agent, else by the player's own values.

    Parameters
    ----------
    agent : looks at every board, 1 ply; one of another game or board is not asked.
    """
    recorded = [move.values for move in game.moves]
    if game.moves and all(move.loss is not None for move in game.moves):
        return Losses("the deeper search of the record", recorded, [move.loss or 0.0 for move in game.moves], None)
    if agent is not None and _shape(agent.rules) == _shape(game.rules):
        search = SearchOptions()
        values = [tuple(optional_values(agent.values(move.board, search))) for move in game.moves]
        return _by_values(f"{agent.name}, 1 ply", game, values)
    if game.checkpoint is not None:
        return _by_values("the values of the record", game, recorded)
    return Losses(None, recorded, None, None)


def _by_values(by: str, game: RecordedGame, values: list[Values]) -> Losses:
    rows = np.array(values, float).reshape(-1, 4)  # None becomes nan
    chosen = rows[np.arange(len(rows)), [move.action for move in game.moves]]
    best = [ACTION_NAMES[action] for action in np.nanargmax(rows, axis=1)] if len(rows) else []
    return Losses(by, values, (np.nanmax(rows, axis=1) - chosen).tolist() if len(rows) else [], best)


def _shape(rules: Rules) -> tuple[str, int, int]:
    """What an agent and a game have to have in common: the same tiles on the same board."""
    return rules.game, rules.rows, rules.cols


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
        "complete": game.complete,
        **asdict(losses_of(game, agent)),
    }
