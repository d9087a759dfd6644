"""Many games played at once: by players that value many boards at once, and by a look ahead over any player."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import check_whole
from tdl.errors import ConfigError, DivergenceError
from tdl.game.batch import Batch
from tdl.game.boards import BoardLike, pack, unpack
from tdl.game.engine import EVALUATION, EXPLORATION, Engine, Stream
from tdl.game.rules import Rules
from tdl.players.kinds import MAX_DEEP_PLIES, ActionValues, Agent, Values
from tdl.search.options import SearchOptions
from tdl.storage.records import RECORD, Records
from tdl.training.options import Enough, OnProgress, PlayOptions

Which = NDArray[np.int64]
Actions = NDArray[np.int64]


@dataclass(frozen=True)
class Moves:
    """Boards with their moves.

    Attributes
    ----------
    tiles : uint8 (n, cells), tile indices.
    legal : bool (n, 4): up, right, down, left.
    rewards : int32 (n, 4), points; of illegal moves anything.
    after : uint8 (n, 4, cells), afterstates; of illegal moves anything.
    """

    tiles: NDArray[np.uint8]
    legal: NDArray[np.bool_]
    rewards: NDArray[np.int32]
    after: NDArray[np.uint8]

    def __getitem__(self, rows: Any) -> Moves:
        return Moves(self.tiles[rows], self.legal[rows], self.rewards[rows], self.after[rows])


def moves_of(batch: Batch, which: Which) -> Moves:
    """The moves of some games that are being played."""
    return Moves(batch.tiles[which], batch.legal[which], batch.rewards[which], batch.afterstates()[which])


def moves_of_boards(engine: Engine, boards: Sequence[int]) -> Moves:
    """The moves of packed boards, one call of the game a board."""
    n, rules = len(boards), engine.rules
    moves = Moves(
        np.zeros((n, rules.cells), np.uint8),
        np.zeros((n, 4), np.bool_),
        np.zeros((n, 4), np.int32),
        np.zeros((n, 4, rules.cells), np.uint8),
    )
    for row, board in enumerate(boards):
        moves.tiles[row] = unpack(board, rules)
        for action, after, reward in engine.afterstates(board):
            moves.legal[row, action], moves.rewards[row, action] = True, reward
            moves.after[row, action] = unpack(after, rules)
    return moves


def best_of(values: NDArray[np.floating[Any]]) -> Actions:
    """The first of the best actions, nan being illegal: values of shape (n, 4) to int64 (n,)."""
    best: Actions = np.where(np.isnan(values), -np.inf, values).argmax(axis=1)
    return best


ValuesOfMoves = Callable[[Moves], NDArray[np.floating[Any]]]
"""Values of the four actions on boards, in points: shape (n, 4), nan where illegal."""

SelectActions = Callable[[Which, Moves], Actions]
"""The actions of games, from the games' numbers and the moves on their boards."""

OnMove = Callable[[Which, Moves, Actions, NDArray[np.int32], Moves], None]
"""Called after each move of the boards: which boards, the moves there were, actions, rewards, the moves there are."""

OnTurn = Callable[[Which, Moves, NDArray[np.floating[Any]], Actions], None]
"""Called before each move of the boards: the games' numbers, the moves there are, their values, and the actions."""


def play_block(
    batch: Batch,
    first: int,
    episodes: int,
    *,
    seed: int,
    role: int,
    select_actions: SelectActions,
    on_move: OnMove | None = None,
    on_progress: OnProgress | None = None,
) -> Records:
    """Play games to their ends; a board whose game is over takes the next one.

    Parameters
    ----------
    on_progress : called after each move of all boards; may end the games by `Enough`.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).
    """
    records = np.zeros(episodes, RECORD)
    which = np.arange(min(batch.n, episodes))
    batch.start(which, seed, role, first + which)
    started, played, moves = len(which), 0, moves_of(batch, which)
    while len(which):
        going = moves.legal.any(axis=1)
        if not going.all():
            ended = which[~going]
            for name in ("episode", "score", "moves", "max_tile"):
                records[name][batch.episode[ended] - first] = getattr(batch, name)[ended]
            more = ended[: episodes - started]
            batch.start(more, seed, role, first + started + np.arange(len(more)))
            started += len(more)
            which = np.union1d(which[going], more)
            moves = moves_of(batch, which)
            continue  # a game can be over before it begins
        actions = select_actions(batch.episode[which], moves)
        rewards = batch.step(actions, which)
        before, moves, played = moves, moves_of(batch, which), played + len(which)
        if on_move:
            on_move(which, before, actions, rewards, moves)
        if on_progress:
            try:
                on_progress(started - len(which), played)
            except Enough:
                break
    return records


class BatchPlayer(Agent):
    """Plays the legal action of the largest `q`, the first of equals, on many boards at once."""

    __slots__ = ()

    def q(self, moves: Moves) -> NDArray[np.floating[Any]]:
        """Values of the four actions on boards, in points: shape (n, 4), nan where illegal."""
        raise NotImplementedError

    def select_actions(self, moves: Moves) -> Actions:
        """The actions on boards that each have a legal one: int64 (n,)."""
        return best_of(self.q(moves))

    def values(self, board: BoardLike) -> Values:
        """Values of the four actions (up, right, down, left) on a board, in points: shape (4,), nan where illegal."""
        values: Values = self.values_of([self.engine.board(board)])[0]
        return values

    def values_of(self, boards: Sequence[int]) -> Values:
        """`values` of packed boards: shape (n, 4)."""
        return self.q(moves_of_boards(self.engine, boards)).astype(np.float64)

    def play(self, episodes: int, options: PlayOptions, on_progress: OnProgress | None = None) -> Records:
        """Play many games at once; of the options seed, threads and plies count."""
        self.use_threads(options.threads)
        return play_games(self.ahead(options.search), episodes, options.seed, on_progress=on_progress)

    def action_values(self, search: SearchOptions) -> ActionValues:
        """Its action values when it looks so many plies ahead."""
        return self.ahead(search).values

    def ahead(self, search: SearchOptions) -> BatchPlayer:
        """The player that looks so many plies ahead."""
        if search != SearchOptions(search.plies):
            raise ConfigError("search: of an agent of kind dqn only the number of plies can be chosen")
        return look_ahead(self, search.plies)


def play_games(
    player: BatchPlayer, episodes: int, seed: int = 0, *, boards: int = 128, on_progress: OnProgress | None = None
) -> Records:
    """`play_by_values` by the values of a player."""
    return play_by_values(player.rules, player.q, episodes, seed, boards=boards, on_progress=on_progress)


def play_by_values(
    rules: Rules,
    values_of: ValuesOfMoves,
    episodes: int,
    seed: int = 0,
    *,
    boards: int = 128,
    on_turn: OnTurn | None = None,
    on_progress: OnProgress | None = None,
) -> Records:
    """Play games without learning, on the drops that the evaluations of n-tuple networks meet with this seed.

    Parameters
    ----------
    rules : of the games.
    values_of : values of the four actions; the first of the best is played.
    episodes : number of games.
    seed : of the drops.
    boards : played at once. Rounding in a network may depend on it.

    Returns
    -------
    structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).

    Raises
    ------
    DivergenceError : the value of a legal move is not finite.
    """

    def select_actions(games: Which, moves: Moves) -> Actions:
        values = values_of(moves)
        if not np.isfinite(values[moves.legal]).all():
            raise DivergenceError("the value of a move is not finite: the learning has diverged")
        actions = best_of(values)
        if on_turn:
            on_turn(games, moves, values, actions)
        return actions

    return play_block(
        Batch(rules, max(1, min(boards, episodes))),
        0,
        episodes,
        seed=seed,
        role=EVALUATION,
        select_actions=select_actions,
        on_progress=on_progress,
    )


class LookAhead(BatchPlayer):
    """Plays the action with the largest reward + value of the best action after the drop.

    Parameters
    ----------
    player : whose values count, reward included.
    sampled : the drop is one that is drawn, for each action anew; else the mean over all drops is taken.
    seed : of the drops that are drawn; they are not those of the game.
    """

    def __init__(self, player: Agent, *, sampled: bool, seed: int = 0) -> None:
        check_whole("seed", seed, 0)
        self.player, self.sampled, self.engine = player, sampled, player.engine
        self._drops = Stream(seed, EXPLORATION, 0)

    @property
    def instructions(self) -> str:
        """What its player computes with."""
        return self.player.instructions

    def use_threads(self, threads: int) -> None:
        """As its player."""
        self.player.use_threads(threads)

    def q(self, moves: Moves) -> Values:
        """Values of the four actions on boards: float64 (n, 4), nan where illegal."""
        rows, actions = np.nonzero(moves.legal)
        drops = [self._drops_of(pack(cells.tolist(), self.rules)) for cells in moves.after[rows, actions]]
        number = np.repeat(np.arange(len(rows)), np.array([len(of_move) for of_move in drops], np.int64))
        following = [drop for of_move in drops for drop in of_move]
        shares = np.array([share for _, share in following])
        values = self._state_values([board for board, _ in following])
        expected = np.bincount(number, shares * values, minlength=len(rows))
        out = np.full(moves.legal.shape, np.nan)
        out[rows, actions] = moves.rewards[rows, actions] + expected
        return out

    def _drops_of(self, after: int) -> list[tuple[int, float]]:
        """Boards after a drop, and how probable each is."""
        return [(self.engine.place(after, self._drops), 1.0)] if self.sampled else self.engine.drops(after)

    def _state_values(self, boards: list[int]) -> Values:
        """The value of the best action on each board; 0 where the game is over."""
        values = self.player.values_of(boards)
        over = np.isnan(values).all(axis=1)
        return np.where(over, 0, np.where(np.isnan(values), -np.inf, values).max(axis=1))


def one_sampled_look_ahead(player: Agent, seed: int = 0) -> LookAhead:
    """For each legal action one sampled successor, then greedy: the look-ahead of the published DQN."""
    return LookAhead(player, sampled=True, seed=seed)


def look_ahead(player: BatchPlayer, plies: int = 2) -> BatchPlayer:
    """Expectimax over a player's values: all drops are weighed; 2 plies are one drop and one more move, and so on."""
    check_whole("plies", plies, 1, MAX_DEEP_PLIES + 1)
    for _ in range(plies - 1):
        player = LookAhead(player, sampled=False)
    return player
