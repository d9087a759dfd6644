"""Deep Q-learning by self-play, block by block: what `tdl.agents.trainer.Trainer` is to n-tuple networks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.batch_moves import Moves
from tdl.agents.batch_play import Actions, Which, play_block
from tdl.agents.options import OnProgress
from tdl.checks import check_whole
from tdl.dqn.learner import Learner
from tdl.dqn.options import DQNOptions
from tdl.dqn.player import DQNPlayer
from tdl.dqn.pytorch import prepare, torch, without_denormals
from tdl.dqn.replay import Replay, Transitions
from tdl.dqn.returns import Returns
from tdl.game.batch import Batch
from tdl.game.rules import Rules
from tdl.game.streams import LOGGED, TRAINING
from tdl.storage.records import RECORD

REPLAY, GENERATOR, COUNTERS = "replay_", "generator", "counters"


class DQNTrainer:
    """A deep Q-learner that plays and learns.

    The games of an iteration, one after the other in the published program, are played at once: within an iteration
    its network does not change, and the replay gets their moves game by game, so nothing else does.

    Parameters
    ----------
    rules : of the game.
    choices : of the learner.
    seed : of the drops, by episode as everywhere, and of all else that is drawn.
    threads : PyTorch's. With one the result is the same bit for bit on the same machine.
    episode : number of the next episode (not 0 when training is continued).
    engine : what boards are while they are played with, "bits" or "array"; the same games.
    device : "cpu", or "cuda".

    Attributes
    ----------
    episode, moves : episodes and moves played so far; the logged games are not counted.
    mean_abs_error : of the updates of the last block, in points; nan where there was none.
    logged : the greedy games played after the fits of the last block, as `tdl.storage.records.RECORD`; `episode` is
        the number of training games before them.
    player : plays by the network as it is.

    Raises
    ------
    ConfigError : a parameter out of its range, choices that exclude each other, or no such device.
    """

    def __init__(
        self,
        rules: Rules,
        choices: DQNOptions,
        *,
        seed: int = 0,
        threads: int = 1,
        episode: int = 0,
        engine: str = "bits",
        device: str = "cpu",
    ) -> None:
        choices.check()
        check_whole("seed", seed, 0)
        check_whole("episode", episode, 0)
        prepare(threads, device)
        self.rules, self.choices, self.seed = rules, choices, seed
        self.episode, self.moves = episode, 0
        self.mean_abs_error = float("nan")
        self._draws = torch.Generator()
        self._draws.manual_seed(seed)
        self.learner = Learner(choices, rules, self._draws, device)
        self.replay = Replay(choices, rules.cells)
        self.player = DQNPlayer(self.learner.network, rules, choices.gamma)
        self._batch, self._alone = Batch(rules, choices.games, engine=engine), Batch(rules, 1, engine=engine)
        self._returns = Returns(choices, choices.games, rules.cells)
        self._made: list[tuple[Which, Transitions]] = []
        self.logged = np.zeros(0, RECORD)

    def train(self, episodes: int, on_progress: OnProgress | None = None) -> NDArray[np.void]:
        """Play and learn a block: the next `episodes` episodes. An iteration may reach over several blocks.

        Returns
        -------
        structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,).

        Raises
        ------
        DivergenceError : the network's values are not finite.
        """
        check_whole("episodes", episodes, 0)
        end, none, before = self.episode + episodes, np.zeros(0, RECORD), self.moves
        blocks, logged = [none], [none]

        def told(finished: int, moves: int) -> None:
            if on_progress:
                on_progress(self.episode - (end - episodes) + finished, self.moves - before + moves)

        with without_denormals():
            while self.episode < end:
                rest = self.choices.games - self.episode % self.choices.games
                part = min(end - self.episode, rest) if self.choices.learn == "iteration" else end - self.episode
                records = self._play(part, told)
                self.episode += part
                self.moves += int(records["moves"].sum())
                blocks.append(records)
                if self.episode % self.choices.games == 0:
                    logged.append(self._end_iteration())
        self.mean_abs_error = self.learner.mean_abs_error()
        self.logged = np.concatenate(logged)
        return np.concatenate(blocks)

    def _play(self, episodes: int, on_progress: OnProgress) -> NDArray[np.void]:
        """Play games of training, and put their moves into the replay."""
        records = play_block(
            self._batch,
            self.episode,
            episodes,
            seed=self.seed,
            role=TRAINING,
            select_actions=self._select_actions,
            on_move=self._on_move,
            on_progress=on_progress,
        )
        if self._made:  # game by game, as if they had been played one after the other
            games = np.concatenate([game for game, _ in self._made])
            rows = {name: np.concatenate([made[name] for _, made in self._made]) for name in self._made[0][1]}
            order = np.argsort(games, kind="stable")
            self.replay.add({name: array[order] for name, array in rows.items()})
            self._made.clear()
        return records

    def _select_actions(self, episodes: Which, moves: Moves) -> Actions:
        """Epsilon-greedy; a random action is any legal one alike, as if it were redrawn while it is illegal."""
        actions = self.player.select_actions(moves)
        chances = [0.0 if self.choices.greedy(e) else self.choices.epsilon_at(e) for e in episodes.tolist()]
        if not any(chances):
            return actions
        draws = torch.rand((len(episodes), 5), generator=self._draws).numpy()
        random = np.where(moves.legal, draws[:, 1:], -1.0).argmax(axis=1)
        return np.where(draws[:, 0] < np.array(chances), random, actions)

    def _on_move(
        self, which: Which, moves: Moves, actions: Actions, rewards: NDArray[np.int32], following: Moves
    ) -> None:
        """Learn from a move of each board, or keep it for the end of the iteration."""
        self._returns.moved(which, moves, actions, rewards)
        made = self._returns.seen(which, following)
        if self.choices.learn == "iteration":
            self._made += made
            return
        for _, rows in made:
            self.replay.add(rows)
        self.learner.moved(len(which), self.replay)

    def _end_iteration(self) -> NDArray[np.void]:
        """Fit, and play the greedy game that is logged."""
        if not self.learner.fit(self.replay) or not self.choices.logged:
            return np.zeros(0, RECORD)
        return play_block(
            self._alone,
            self.episode,
            1,
            seed=self.seed,
            role=LOGGED,
            select_actions=lambda _, moves: self.player.select_actions(moves),
        )

    def state(self) -> dict[str, NDArray[Any]]:
        """All that continues it at the border of a block, bit for bit in one thread: plain arrays by name.

        Names, shapes and dtypes are those of any trainer of the same choices and rules, a new one's too.
        """
        return {
            **self.learner.state(),
            **{REPLAY + name: array for name, array in self.replay.arrays.items()},
            GENERATOR: self._draws.get_state().numpy(),
            COUNTERS: np.array([self.episode, self.moves], np.int64),
        }

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave.

        Parameters
        ----------
        state : with the names and shapes of this trainer's own `state()`.
        """
        self.learner.load_state(state)
        for name, array in self.replay.arrays.items():
            array[...] = state[REPLAY + name]
        self._draws.set_state(torch.from_numpy(np.array(state[GENERATOR])))
        self.episode, self.moves = (int(each) for each in state[COUNTERS])
