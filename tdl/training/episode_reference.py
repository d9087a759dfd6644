"""The episode loop in plain Python: the reference implementation of `tdl.training.selfplay`.

A lane is a generator; one step is one move.
"""

from collections.abc import Iterator

import numpy as np

from tdl.game.boards import Board
from tdl.game.engine import EXPLORATION
from tdl.game.game_reference import Stream, legal, move, place, start
from tdl.game.rules import Rules
from tdl.learning.learning_reference import Game, ReferenceLearner
from tdl.learning.state import ROOM
from tdl.search.adversary_reference import ReferenceAdversary
from tdl.search.expectimax_reference import ReferenceExpectimax

Record = tuple[int, int, int, int]


class ReferencePlay:
    """Plays blocks of episodes with a learner, or without learning.

    Parameters
    ----------
    learner : `ReferenceLearner`, with its options.
    learns : False plays greedy games only.
    seed, role, lanes : as those of `SelfPlay`.
    adversary : who puts the tiles; None: the drop law.
    search : what moves are chosen by; None: the learner's backup.
    """

    def __init__(
        self,
        learner: ReferenceLearner,
        *,
        learns: bool = True,
        seed: int = 0,
        role: int = 0,
        lanes: int = 1,
        adversary: ReferenceAdversary | None = None,
        search: ReferenceExpectimax | None = None,
    ) -> None:
        self.learner, self.options, self.rules = learner, learner.options, learner.network.rules
        self.learns, self.seed, self.role, self.lanes = learns, seed, role, lanes
        self.adversary, self.search = adversary, search
        self.entered: list[list[Board]] = [[] for _ in range(learner.network.stages.count)]

    def play(self, first: int, episodes: int) -> list[Record]:
        """Play a block: its records (episode, score, moves, max_tile), ordered by episode."""
        waiting = iter(range(first, first + episodes))
        records: list[Record] = []

        def episodes_of_lane() -> Iterator[None]:
            for episode in waiting:
                yield from self._episode(episode, records)

        lanes = [episodes_of_lane() for _ in range(self.lanes)]
        lanes = [lane for lane in lanes if _alive(lane)]  # every lane takes its first game before any lane moves
        while lanes:
            lanes = [lane for lane in lanes if _alive(lane)]
        return sorted(records)

    def _episode(self, episode: int, records: list[Record]) -> Iterator[None]:
        """The game on record, and those that the start rule lets follow."""
        drops, chance = Stream(self.seed, self.role, episode), Stream(self.seed, EXPLORATION, episode)
        board: Board | None = start(drops, self.rules)
        number = attempts = 0
        while board is not None:
            game = Game(board, number, attempts)
            yield from self._game(game, drops, chance)
            if number == 0:
                largest = max(self.rules.value(tile) for tile in game.board)
                records.append((episode, game.score, len(game.path), largest))
            number += 1
            board = self._follow_up(game, drops, chance, number) if self.learns else None
            attempts = game.attempts

    def _game(self, game: Game, drops: Stream, chance: Stream) -> Iterator[None]:
        """One game: choose, observe, update, place; other lanes move at each `yield`."""
        values_states, shifted = self.options.target == "state", self.options.reward_shift
        gained = 0
        yield
        while actions := legal(game.board, self.rules):
            after, reward = self._select_action(game.board, actions, chance)
            learned = game.board if values_states else after
            game.path.append((learned, gained if values_states and not shifted else reward))
            game.states.append(game.board)
            game.stored.append(self.learner.network.value(learned))
            if self.learns:
                self._note_stage(game, learned)
                if self.options.order != "backward":
                    self.learner.observe(game)
            gained = reward
            game.score += reward
            game.board = self._drop(after, drops)
            yield
        if not self.learns or not game.path:
            return
        final = np.float32(gained if values_states and not shifted else 0)
        if self.options.order == "backward":
            self.learner.replay_backward(game, final)
        else:
            self.learner.finish(game, final)

    def _select_action(self, board: Board, actions: list[int], chance: Stream) -> tuple[Board, int]:
        """The afterstate and reward of the first of the best moves, or of a random one."""
        moves = [m for m in (move(board, action, self.rules) for action in actions) if m]
        if self.search is None:
            best = max(moves, key=lambda m: self.learner.backup(m[1], m[0]))
        else:
            values = self.search.values(board)
            best = moves[actions.index(max(values, key=lambda action: values[action]))]
        if self.options.epsilon and self.learns:
            draw = chance.next()
            if (draw & 0xFFFFFFFF) < round(self.options.epsilon * 2**32):
                return moves[(draw >> 32) * len(moves) >> 32]
        return best

    def _drop(self, after: Board, drops: Stream) -> Board:
        """The next board, by the placer."""
        if self.adversary is not None:
            return self.adversary.place(after, drops)
        return place(after, drops, self.rules)

    def _note_stage(self, game: Game, board: Board) -> None:
        """Keep a board that enters a stage, for the carousel."""
        stage = self.learner.network.stages.of([self.rules.value(tile) for tile in board])
        if stage > game.stage:
            game.stage = stage
            self.entered[stage].append(board)

    def _follow_up(self, game: Game, drops: Stream, chance: Stream, number: int) -> Board | None:
        """The board that the episode's next game begins with, if one follows."""
        if self.options.start == "restart" and len(game.path) >= self.options.restart_moves:
            at = int(np.float32(len(game.path) - 1) * np.float32(self.options.restart_at))
            if at < 1:
                return None
            board = game.path[at][0]
        elif self.options.start == "milestone" and game.path:
            sums = [sum(map(self.rules.value, learned)) for learned, *_ in game.path]
            reached = sums[-1] // self.options.milestone * self.options.milestone
            at = 1 + max((i for i, total in enumerate(sums) if total < reached), default=-1)
            game.attempts = 1 if at else game.attempts + 1
            if not reached or game.attempts > self.options.attempts:
                return None
            board = game.path[at][0]
        elif self.options.start == "carousel" and number < len(self.entered) and self.entered[number]:
            entered = self.entered[number]
            ring = [entered[-1 - (len(entered) - 1 - i) % ROOM] for i in range(min(len(entered), ROOM))]
            board = ring[(chance.next() >> 32) * len(ring) >> 32]
        else:
            return None
        return board if self.options.target == "state" else self._drop(board, drops)


def _alive(lane: Iterator[None]) -> bool:
    return next(lane, StopIteration) is not StopIteration


def play_simply(rules: Rules, greedy: bool, seed: int, role: int, first: int, episodes: int) -> list[Record]:
    """Games of random moves, or of those with the largest reward: what `tdl.players.baselines` plays."""
    records: list[Record] = []
    for episode in range(first, first + episodes):
        drops, chance = Stream(seed, role, episode), Stream(seed, EXPLORATION, episode)
        board, score, played = start(drops, rules), 0, 0
        while actions := legal(board, rules):
            moves = [m for m in (move(board, action, rules) for action in actions) if m]
            if greedy:
                board, reward = max(moves, key=lambda m: m[1])
            else:
                board, reward = moves[(chance.next() >> 32) * len(moves) >> 32]
            board, score, played = place(board, drops, rules), score + reward, played + 1
        records.append((episode, score, played, max(rules.value(tile) for tile in board)))
    return records
