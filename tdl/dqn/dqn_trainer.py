"""The trainer of the deep Q-learner: self-play, experience replay and updates, block by block."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.base.checks import MAX_COUNT, check_function, check_instance, check_whole
from tdl.dqn.dqn_player import DQNPlayer, describe
from tdl.dqn.learner import Learner
from tdl.dqn.options import DQNOptions
from tdl.dqn.pytorch import prepare, torch, without_denormals
from tdl.dqn.replay_buffer import Replay, Returns, Transitions, check_arrays
from tdl.errors import ConfigError, refuse
from tdl.game.batch import Batch
from tdl.game.engine import LOGGED, TRAINING
from tdl.game.rules import Rules
from tdl.players.batch_play import Actions, Moves, Which, play_block
from tdl.storage.records import RECORD, check_episodes
from tdl.training.options import OnProgress, Settled

REPLAY, GENERATOR, COUNTERS, UPDATES = "replay_", "generator", "counters", "updates"


class DQNTrainer(Settled):
    """A deep Q-learner that plays and learns.

    The games of an iteration, one after the other in the published program, are played at once: within an iteration
    its network does not change, and the replay gets their moves game by game, so nothing else does.

    Parameters
    ----------
    rules : of the game.
    options : of the learner.
    seed : of the drops, by episode, and of all other random numbers.
    threads : of PyTorch. With one, and on the CPU, the result is the same bit for bit on the same machine.
    episode : number of the next episode (not 0 when training is continued).
    engine : type of the boards, "bits" or "array"; the same games.
    device : "cpu", or "cuda".

    Attributes
    ----------
    episode, moves : episodes and moves played so far; the logged games are not counted.
    mean_abs_error : of the updates of the last block, in points; nan without an update.
    spent : share of the run that is over, which changes nothing here.
    logged : the greedy games played after the fits of the last block, as `tdl.storage.records.RECORD`; `episode` is
        the number of training games before them.
    player : the network as a player.

    Raises
    ------
    ConfigError : a parameter out of its range, options that exclude each other, or no such device.
    """

    __slots__ = (
        "_batch",
        "_complete",
        "_generator",
        "_returns",
        "_single",
        "episode",
        "learner",
        "logged",
        "mean_abs_error",
        "moves",
        "options",
        "player",
        "replay",
        "rules",
        "seed",
        "spent",
    )

    CHANGEABLE = ("episode", "moves", "seed", "spent")

    def __init__(
        self,
        rules: Rules,
        options: DQNOptions,
        *,
        seed: int = 0,
        threads: int = 1,
        episode: int = 0,
        engine: str = "bits",
        device: str = "cpu",
    ) -> None:
        check_instance("rules", rules, Rules, "as tdl.Rules(rows=4, cols=4)")
        check_instance("options", options, DQNOptions, 'as dqn_choices("dqn")')
        check_whole("seed", seed, 0)
        check_whole("episode", episode, 0)
        prepare(threads, device)
        self.rules, self.options, self.seed = rules, options, seed
        self.episode, self.moves = episode, 0
        self.mean_abs_error = float("nan")
        self.spent: float | None = None
        self._generator = torch.Generator()
        self._generator.manual_seed(seed)
        self.learner = Learner(options, rules, self._generator, device)
        self.replay = Replay(options, rules.cells)
        self.player = DQNPlayer(self.learner.network, rules, options.gamma)
        self._batch, self._single = Batch(rules, options.games, engine=engine), Batch(rules, 1, engine=engine)
        self._returns = Returns(options, options.games, rules.cells)
        self._complete: list[tuple[Which, Transitions]] = []
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
        check_episodes(episodes)
        check_function("on_progress", on_progress, "the numbers of games and moves")
        first, end, before = self.episode, self.episode + episodes, self.moves
        blocks, logged = [np.zeros(0, RECORD)], [np.zeros(0, RECORD)]

        def in_block(finished: int, moves: int) -> None:
            if on_progress:
                on_progress(self.episode - first + finished, self.moves - before + moves)

        with without_denormals():
            while self.episode < end:
                rest = self.options.games - self.episode % self.options.games
                part = min(end - self.episode, rest) if self.options.learn == "iteration" else end - self.episode
                records = self._play(part, in_block)
                self.episode += part
                self.moves += int(records["moves"].sum())
                blocks.append(records)
                if self.episode % self.options.games == 0:
                    logged.append(self._end_iteration())
        object.__setattr__(self, "mean_abs_error", self.learner.mean_abs_error())
        object.__setattr__(self, "logged", np.concatenate(logged))
        return np.concatenate(blocks)

    def _play(self, episodes: int, on_progress: OnProgress) -> NDArray[np.void]:
        """Play training games, and add their moves to the replay."""
        records = play_block(
            self._batch,
            self.episode,
            episodes,
            seed=self.seed,
            role=TRAINING,
            select_actions=self._select_actions,
            on_move=self._learn_from_moves,
            on_progress=on_progress,
        )
        if self._complete:  # game by game, as if they had been played one after the other
            games = np.concatenate([game for game, _ in self._complete])
            parts = [rows for _, rows in self._complete]
            rows = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
            order = np.argsort(games, kind="stable")
            self.replay.add({name: array[order] for name, array in rows.items()})
            self._complete.clear()
        return records

    def _select_actions(self, episodes: Which, moves: Moves) -> Actions:
        """Epsilon-greedy actions; a random action is uniform over the legal ones."""
        actions = self.player.select_actions(moves)
        epsilons = [0.0 if self.options.greedy(e) else self.options.epsilon_at(e) for e in episodes.tolist()]
        if not any(epsilons):
            return actions
        draws = torch.rand((len(episodes), 5), generator=self._generator).numpy()
        random = np.where(moves.legal, draws[:, 1:], -1.0).argmax(axis=1)
        return np.where(draws[:, 0] < np.array(epsilons), random, actions)

    def _learn_from_moves(
        self, which: Which, moves: Moves, actions: Actions, rewards: NDArray[np.int32], following: Moves
    ) -> None:
        """Learn from a move of each board, or keep it for the end of the iteration."""
        self._returns.add(which, moves, actions, rewards)
        transitions = self._returns.completed(which, following)
        if self.options.learn == "iteration":
            self._complete += transitions
            return
        for _, rows in transitions:
            self.replay.add(rows)
        self.learner.after_moves(len(which), self.replay)

    def _end_iteration(self) -> NDArray[np.void]:
        """Fit, and play the greedy game that is logged."""
        if not self.learner.fit(self.replay) or not self.options.logged:
            return np.zeros(0, RECORD)
        return play_block(
            self._single,
            self.episode,
            1,
            seed=self.seed,
            role=LOGGED,
            select_actions=lambda _, moves: self.player.select_actions(moves),
        )

    def describe(self) -> dict[str, Any]:
        """The description of the network in a checkpoint."""
        return describe(self.options)

    def state(self) -> dict[str, NDArray[Any]]:
        """The trainer's state between two blocks: NumPy arrays by name. In one thread of the CPU, bit for bit.

        Names, shapes and dtypes depend on options and rules only.
        """
        return {
            **self.learner.state(),
            **{REPLAY + name: array for name, array in self.replay.arrays.items()},
            GENERATOR: self._generator.get_state().numpy(),
            COUNTERS: np.array([self.episode, self.moves], np.int64),
        }

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from the `state()` of a trainer of the same options and rules.

        Raises
        ------
        ConfigError : numbers that no such trainer has left.
        """
        check_arrays({name: state[REPLAY + name] for name in self.replay.arrays}, self.rules)
        for name in (COUNTERS, UPDATES):
            if ((state[name] < 0) | (state[name] > MAX_COUNT)).any():
                raise refuse(name, state[name].tolist(), f"numbers from 0 to {MAX_COUNT}")
        self.learner.load_state(state)
        for name, array in self.replay.arrays.items():
            array[...] = state[REPLAY + name]
        try:
            self._generator.set_state(torch.from_numpy(np.array(state[GENERATOR])))
        except RuntimeError as error:
            raise ConfigError(f"{GENERATOR}: no state of PyTorch's generator of random numbers") from error
        self.episode, self.moves = (int(count) for count in state[COUNTERS])
