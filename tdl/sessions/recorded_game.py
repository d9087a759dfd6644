"""A recorded game: every move with the board before it, its values and the tile that dropped, checked by the rules."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError
from tdl.game.boards import unpack
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, DROP, Rules
from tdl.search.options import SearchOptions


@dataclass(frozen=True)
class Move:
    """One move of a game and the tile that followed it.

    Attributes
    ----------
    board : packed, before the move.
    action : 0 to 3: up, right, down, left.
    reward : of the move.
    values : of the four actions by the player's search: reward + value, None where illegal.
    cell, tile : where which tile index dropped.
    loss : what the move lost by the values of a deeper search; None where it is not known.
    by : who chose it: "agent", or "person".
    """

    board: int
    action: int
    reward: int
    values: tuple[float | None, ...]
    cell: int
    tile: int
    loss: float | None = None
    by: str = "agent"


@dataclass(frozen=True)
class RecordedGame:
    """A game from its start to its end, or to where it was given up.

    Attributes
    ----------
    rules : it is played by.
    start : the first board, packed.
    moves : from the first to the last.
    search : how the player looked ahead before each move.
    seed, episode : of the stream of drops; with them the game is that number of an evaluation with that seed.
    checkpoint : digest of the checkpoint that played, if known.
    complete : whether no action is legal any more.
    own_start : whether the first board is any, not one of the start law.
    """

    rules: Rules
    start: int
    moves: tuple[Move, ...]
    search: SearchOptions = field(default_factory=SearchOptions)
    seed: int = 0
    episode: int = 0
    checkpoint: str | None = None
    complete: bool = True
    own_start: bool = False

    @property
    def score(self) -> int:
        """The sum of all rewards."""
        return sum(move.reward for move in self.moves)

    @property
    def max_tile(self) -> int:
        """Value of the largest tile of the last board."""
        return max(self.rules.value(tile) for tile in unpack(self.boards()[-1], self.rules))

    def boards(self) -> list[int]:
        """The boards before each move, and the last one, packed. Every move is held against the rules."""
        return [self.start, *boards_after(self, self.moves)]


def optional_values(values: NDArray[np.float64]) -> tuple[float | None, ...]:
    """Action values with None in place of nan, as records and JSON have them."""
    return tuple(None if np.isnan(value) else value for value in values.tolist())


def dropped(after: int, following: int, rules: Rules) -> tuple[int, int]:
    """Cell and tile index of the drop between two boards."""
    drop = after ^ following
    cell = (drop.bit_length() - 1) // rules.bits
    return cell, drop >> rules.bits * cell


def boards_after(game: RecordedGame, moves: Iterable[Move]) -> Iterator[int]:
    """The board after each of the moves of a game, packed; every move is held against the rules.

    After them the game must be over if it is complete, else it must not be.
    """
    engine, board = Engine(game.rules), game.start
    check_start(game)
    for number, move in enumerate(moves):
        try:
            board = _follow(engine, board, move)
        except ConfigError as error:
            raise ConfigError(f"move {number}: {error}") from error
        yield board
    if engine.terminal(board) != game.complete:
        raise ConfigError(f"the game is {'not ' * game.complete}over after its last move")


def check_start(game: RecordedGame) -> None:
    """Refuse a first board that the start law does not make, where it had to."""
    rules, tiles = game.rules, sorted(tile for tile in unpack(game.start, game.rules) if tile)
    if game.own_start:
        return
    for item in rules.start:
        if item != DROP and item in tiles:
            tiles.remove(int(item))
    if len(tiles) != rules.start.count(DROP) or not set(tiles) <= {tile for tile, _ in rules.drop}:
        raise ConfigError(f"the first board has not the tiles of the start law, {list(rules.start)}")


def _follow(engine: Engine, board: int, move: Move) -> int:
    """The board after a move and its drop, checked."""
    rules = engine.rules
    if move.board != board:
        raise ConfigError("its board is not the one that the move before led to")
    legal = {action: (after, reward) for action, after, reward in engine.afterstates(board)}
    if move.action not in legal:
        raise ConfigError(f"{ACTION_NAMES[move.action]} is not legal; {_named(legal)} would be")
    if [action for action, value in enumerate(move.values) if value is not None] != sorted(legal):
        raise ConfigError(f"it must have a value for each legal action, {_named(legal)}, and for no other")
    after, reward = legal[move.action]
    if move.reward != reward:
        raise ConfigError(f"its reward is {move.reward}, by the rules {reward}")
    if unpack(after, rules)[move.cell]:
        raise ConfigError(f"the tile drops on cell {move.cell}, which is not empty")
    if move.tile not in (tiles := [tile for tile, _ in rules.drop]):
        expected = ", ".join(str(rules.value(tile)) for tile in tiles)
        raise ConfigError(f"tile {rules.value(move.tile)} drops, but the drop law has {expected}")
    return after | move.tile << rules.bits * move.cell


def _named(actions: Iterable[int]) -> str:
    return ", ".join(ACTION_NAMES[action] for action in sorted(actions))
