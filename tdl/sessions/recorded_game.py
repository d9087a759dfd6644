"""Games move by move: recorded as an evaluation plays them, played once more by the rules, judged by a deeper search.

Their file is `tdl.sessions.game_file`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tdl.agents.player import Player
from tdl.checks import check_whole
from tdl.errors import ConfigError, refuse
from tdl.game.engine import Engine, Stream
from tdl.game.packing import unpack
from tdl.game.rules import ACTION_NAMES, DROP, Rules
from tdl.game.streams import EVALUATION
from tdl.learning.options import LearnerOptions
from tdl.learning.state import drop_table_of, shares_drops
from tdl.network.ntuple import NTupleNetwork
from tdl.search.options import SearchOptions

MISTAKE = np.dtype([("move", "<i4"), ("chosen", "i1"), ("best", "i1"), ("loss", "<f8")])
"""One judged move: its number, the action chosen, the best by the deeper search, and by how many points it is better.
Equal values lose nothing."""


@dataclass(frozen=True)
class Move:
    """One move of a game and the tile that followed it.

    Attributes
    ----------
    board : packed, before the move.
    action : 0 to 3: up, right, down, left.
    reward : of the move.
    values : what the player thought of the four actions: reward + value, None where illegal.
    cell, tile : where which tile index dropped.
    loss : what the move lost by the values of a deeper search; None where none judged it.
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
class Game:
    """A game from its start to its end, or to where it was given up.

    Attributes
    ----------
    rules : it is played by.
    start : the first board, packed.
    moves : from the first to the last.
    searching : how the player looked ahead before each move.
    seed, episode : of the stream of drops; with them the game is that number of an evaluation with that seed.
    checkpoint : digest of the checkpoint that played, if known.
    complete : whether no action is legal any more.
    """

    rules: Rules
    start: int
    moves: tuple[Move, ...]
    searching: SearchOptions = field(default_factory=SearchOptions)
    seed: int = 0
    episode: int = 0
    checkpoint: str | None = None
    complete: bool = True

    @property
    def score(self) -> int:
        """The sum of all rewards."""
        return sum(move.reward for move in self.moves)

    @property
    def max_tile(self) -> int:
        """Value of the largest tile of the last board."""
        return max(self.rules.value(tile) for tile in unpack(self.boards()[-1], self.rules))

    def boards(self) -> list[int]:
        """The boards before each move, and the last one, packed. Every move is held against the rules.

        Raises
        ------
        ConfigError : names the first move that is not by the rules.
        """
        return [self.start, *replayed(self.rules, self.start, self.moves, complete=self.complete)]


def record_game(
    player: Player,
    seed: int = 0,
    episode: int = 0,
    *,
    plies: int = 1,
    searching: SearchOptions | None = None,
    expectation: str = "auto",
    checkpoint: str | None = None,
    between: Callable[[int], None] | None = None,
) -> Game:
    """Play game number `episode` of the evaluation with this seed, by the drop law, and keep every move.

    It is the game that `evaluate` plays by the player's network, gamma and target.

    Parameters
    ----------
    plies : the player's moves that are looked at before one is chosen.
    searching : how else the player looks ahead; it has plies of its own.
    expectation : as in `evaluate`; a network of states that looks ahead needs "direct".
    checkpoint : digest of the player's checkpoint, to be kept.
    between : called after each move with the number of moves so far. May raise to give the game up.

    Raises
    ------
    ConfigError : a parameter out of its range.
    """
    check_whole("seed", seed, 0)
    check_whole("episode", episode, 0)
    searching = SearchOptions(plies) if searching is None else searching
    searching.check()
    if not can_be_recorded(player, searching, expectation):
        raise refuse("expectation", expectation, "direct for a network of states that looks ahead")
    values_of = values_by(player, searching, expectation)
    engine, drops = player.engine, Stream(seed, EVALUATION, episode)
    board = start = engine.start(drops)
    moves: list[Move] = []
    while not np.isnan(values := values_of(board)).all():
        action = int(np.nanargmax(values))
        after, reward = engine.move(board, action)
        following = engine.place(after, drops)
        cell, tile = dropped(after, following, engine.rules)
        thought = tuple(None if np.isnan(value) else value for value in values.tolist())
        moves.append(Move(board, action, reward, thought, cell, tile))
        board = following
        if between is not None:
            between(len(moves))
    return Game(engine.rules, start, tuple(moves), searching, seed, episode, checkpoint)


ActionValues = Callable[[int], NDArray[np.float64]]
"""Values of up, right, down, left on a packed board, reward included: shape (4,), nan where illegal."""


def values_by(player: Player, searching: SearchOptions, expectation: str) -> ActionValues:
    """What a player thinks of the moves of a board when it looks ahead so: the numbers that the kernel plays by."""
    if searching.greedy and _shares_drops(player, expectation):
        return _by_drop_table(player)
    options = dataclasses.asdict(searching)
    return functools.partial(player.values, plies=options.pop("plies"), **options)


def _shares_drops(player: Player, expectation: str) -> bool:
    return shares_drops(player.network, LearnerOptions(target=player.target, expectation=expectation))


def can_be_recorded(player: Player, searching: SearchOptions, expectation: str = "auto") -> bool:
    """Whether `record_game` can think as `evaluate` does: when it looks ahead it has no table of the drops."""
    return searching.greedy or not _shares_drops(player, expectation)


def _by_drop_table(player: Player) -> Callable[[int], NDArray[np.float64]]:
    """The same by the table of drops (`tdl/learning/drop_table.pxd`), which rounds otherwise than sums over boards."""
    network, engine, gamma = player.network, player.engine, np.float32(player.gamma)
    spread = NTupleNetwork(network.rules, network.tuples, weights=drop_table_of(network))

    def values(board: int) -> NDArray[np.float64]:
        out = np.full(4, np.nan)
        for action, after, reward in engine.afterstates(board):
            mean = np.float32(network.value(after)) + np.float32(spread.value(after)) / np.float32(engine.empty(after))
            out[action] = np.float32(reward) + gamma * mean
        return out

    return values


def dropped(after: int, following: int, rules: Rules) -> tuple[int, int]:
    """Cell and tile index of the drop between two boards."""
    drop = after ^ following
    cell = (drop.bit_length() - 1) // rules.bits
    return cell, drop >> rules.bits * cell


def replayed(rules: Rules, start: int, moves: Iterable[Move], *, complete: bool = True) -> Iterator[int]:
    """Play moves once more: the board after each, packed.

    Parameters
    ----------
    complete : whether the game must be over after them; else it must not be.

    Raises
    ------
    ConfigError : names the first move that is not by the rules, or tells that the game is not over after the last one.
    """
    engine, board = Engine(rules), start
    check_start(board, rules)
    for number, move in enumerate(moves):
        try:
            board = _follow(engine, board, move)
        except ConfigError as error:
            raise ConfigError(f"move {number}: {error}") from error
        yield board
    if engine.terminal(board) != complete:
        raise ConfigError(f"the game is {'not ' * complete}over after its last move")


def check_start(board: int, rules: Rules) -> None:
    """Refuse a first board that the start law does not make.

    Raises
    ------
    ConfigError : names the law.
    """
    tiles = sorted(tile for tile in unpack(board, rules) if tile)
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


def mistakes(
    game: Game,
    player: Player,
    plies: int = 3,
    *,
    searching: SearchOptions | None = None,
    expectation: str = "auto",
    between: Callable[[int], None] | None = None,
) -> NDArray[np.void]:
    """What each move of a game lost by the values of a deeper search, or of another player.

    Parameters
    ----------
    player : of the same rules.
    plies : the player's moves that it looks at to judge one.
    searching : how else it looks ahead; it has plies of its own.
    expectation : as in `evaluate`.
    between : called after each move with the number of moves judged. May raise to give it up.

    Returns
    -------
    structured array of dtype `MISTAKE`, shape (moves,), in the order of the game. `np.sort(found, order="loss")[::-1]`
    has the largest losses first.

    Raises
    ------
    ConfigError : a player of other rules, or plies out of range.
    """
    searching = SearchOptions(plies) if searching is None else searching
    searching.check()
    if player.network.rules != game.rules:
        raise ConfigError(
            f"player: of other rules than the game: {player.network.rules.to_dict()}, not {game.rules.to_dict()}"
        )
    found, values_of = np.zeros(len(game.moves), MISTAKE), values_by(player, searching, expectation)
    for number, move in enumerate(game.moves):
        values = values_of(move.board)
        best = int(np.nanargmax(values))
        found[number] = (number, move.action, best, values[best] - values[move.action])
        if between is not None:
            between(number + 1)
    return found


def with_losses(game: Game, found: NDArray[np.void]) -> Game:
    """The game with what its moves lost, by the result of `mistakes`."""
    losses = found["loss"].tolist()
    moves = [dataclasses.replace(move, loss=loss) for move, loss in zip(game.moves, losses, strict=True)]
    return dataclasses.replace(game, moves=tuple(moves))
