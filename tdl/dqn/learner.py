"""The deep Q-learner: targets of transitions, one update of the network, and when updates are made."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tdl.cuda.device import CUDA
from tdl.dqn.networks import NOT_FINITE, fill, flat, new_network, q_values
from tdl.dqn.options import DQNOptions
from tdl.dqn.pytorch import Repeated, torch
from tdl.dqn.replay_buffer import Replay, Transitions
from tdl.errors import DivergenceError, refuse
from tdl.game.rules import Rules
from tdl.network.tuples import symmetries
from tdl.players.kinds import WEIGHTS

Tensor = torch.Tensor

TARGET = "target"
"""Name of the array with the weights of the network that targets are computed with, float32 (n,), as `WEIGHTS`."""

CHUNK = 1024
"""Transitions labelled at a time."""

MOMENTS = {"rmsprop": ("square_avg",), "adam": ("exp_avg", "exp_avg_sq")}
"""The state of an optimizer for each weight, beside the number of its updates."""


class Learner:
    """A network, its optimizer, and the copy that targets are computed with.

    Parameters
    ----------
    options : checked.
    rules : of the game.
    generator : of all random numbers, on the CPU.
    device : "cpu", or "cuda" where there is one.

    Attributes
    ----------
    network : plays and learns.
    frozen : computes targets; the network itself where `options.target_network_frequency` is 0.
    updates : number of updates so far.
    """

    def __init__(self, options: DQNOptions, rules: Rules, generator: torch.Generator, device: str = "cpu") -> None:
        self.options, self.generator, self.device = options, generator, device
        self.network = new_network(options, rules, generator).to(device)
        self.frozen = self.network
        if options.target_network_frequency:
            self.frozen = new_network(options, rules, torch.Generator()).to(device)
            self.frozen.load_state_dict(self.network.state_dict())
        weights, self.optimizer = list(self.network.parameters()), self._optimizer()
        for weight in weights:  # before the first update, so that a checkpoint always has the same arrays
            zeros = {name: torch.zeros_like(weight) for name in MOMENTS[options.optimizer]}
            self.optimizer.state[weight] = {"step": torch.zeros((), device=device), **zeros}
        self.images = torch.tensor(symmetries(rules.rows, rules.cols)).to(device)
        self.updates, self._due = 0, 0
        self._error, self._errors = torch.zeros((), device=device), 0
        self._graph = Repeated(self._compute) if device == CUDA else None
        self._epoch_graph = Repeated(self._compute_epoch) if device == CUDA else None

    def _optimizer(self) -> torch.optim.Optimizer:
        weights, rate = self.network.parameters(), self.options.learning_rate
        captured = self.device == CUDA
        if self.options.optimizer == "rmsprop":
            # Decay and epsilon as in the published program's library, where its text says nothing of them.
            return torch.optim.RMSprop(weights, rate, alpha=0.9, eps=1e-7, capturable=captured)
        return torch.optim.Adam(weights, rate, capturable=captured)

    def labels(self, rows: Transitions) -> Tensor:
        """The targets of transitions, rewards and the value that they bootstrap from: float32 (n,)."""
        parts = [self._labels(self._on_device(rows, first)) for first in range(0, len(rows["board"]), CHUNK)]
        return torch.cat(parts)

    @torch.no_grad()
    def _labels(self, rows: dict[str, Tensor]) -> Tensor:
        options, legal = self.options, rows["legal"]
        mask = legal if options.masked else torch.ones_like(legal)
        boards = rows["next"][:, 0], rows["gains"], rows["next"]
        values = q_values(self.network if options.double else self.frozen, options.gamma, *boards, mask)
        action = values.masked_fill(~mask, -torch.inf).argmax(1, keepdim=True)
        if options.double:  # the target network values that action only: half as many boards again
            only = mask & torch.zeros_like(mask).scatter(1, action, True)
            values = q_values(self.frozen, options.gamma, *boards, only)
        best = values.gather(1, action)[:, 0]
        ahead = options.n_step - (options.values_of == "afterstates")
        return rows["reward"] + options.gamma**ahead * torch.where(legal.any(1), best, 0)

    def update(self, board: Tensor, action: Tensor, label: Tensor) -> None:
        """Move the weights by one batch: uint8 (n, cells), int64 (n,), float32 (n,)."""
        if self.options.symmetries:
            image = torch.randint(len(self.images), (len(board),), generator=self.generator).to(self.device)
            board = board.gather(1, self.images[image])
        (self._graph or self._compute)(board, action, label)
        self.updates += 1
        if self.options.target_network_frequency and self.updates % self.options.target_network_frequency == 0:
            self.frozen.load_state_dict(self.network.state_dict())
        self._errors += len(board)

    def _compute(self, board: Tensor, action: Tensor, label: Tensor) -> Tensor:
        """What of an update the device computes alone; the sum of errors since they were last asked for."""
        with torch.autocast(self.device, torch.bfloat16, enabled=self.options.precision == "bfloat16"):
            value = self.network(board, action if self.network.of_actions else None)
        error = (value - label) / self.options.scale
        if self.options.loss == "squared":
            loss = error.square().mean()
        else:
            loss = torch.nn.functional.huber_loss(error, torch.zeros_like(error))
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self._error += error.detach().abs().sum() * self.options.scale
        return self._error

    def fit(self, replay: Replay) -> bool:
        """After an iteration: several epochs over a sample, with targets computed once.

        Returns whether the replay held enough transitions to learn from.
        """
        options = self.options
        if options.learn != "iteration" or len(replay) < options.learning_starts:
            return False
        rows = replay.newest_and_older(options.newest, options.older, self.generator)
        labels, (board, action) = self.labels(rows), self._inputs(rows)
        for _ in range(options.epochs):
            order = torch.randperm(len(labels), generator=self.generator).to(self.device)
            self._epoch(board[order], action[order], labels[order])
        return True

    def _epoch(self, *tensors: Tensor) -> None:
        options = self.options
        if options.target_network_frequency or options.symmetries:  # which come between two updates
            for part in self._batches(*tensors):
                self.update(*part)
            return
        (self._epoch_graph or self._compute_epoch)(*tensors)
        self.updates += math.ceil(len(tensors[0]) / options.batch_size)
        self._errors += len(tensors[0])

    def _compute_epoch(self, *tensors: Tensor) -> Tensor:
        for part in self._batches(*tensors):
            self._compute(*part)
        return self._error

    def _batches(self, *tensors: Tensor) -> Iterator[tuple[Tensor, ...]]:
        return zip(*(torch.split(tensor, self.options.batch_size) for tensor in tensors), strict=True)

    def after_moves(self, moves: int, replay: Replay) -> None:
        """After some moves: the updates that are due."""
        options = self.options
        if options.learn != "moves" or len(replay) < options.learning_starts:
            return
        self._due += moves
        while self._due >= options.train_frequency:
            self._due -= options.train_frequency
            rows = replay.sample(options.batch_size, self.generator)
            self.update(*self._inputs(rows), self.labels(rows))

    def mean_abs_error(self) -> float:
        """Mean absolute error of the updates since the last call, in points; nan without an update.

        Raises
        ------
        DivergenceError : it is not finite.
        """
        total, number = float(self._error), self._errors
        self._error.zero_()
        self._errors = 0
        if not np.isfinite(total):
            raise DivergenceError(NOT_FINITE)
        return total / number if number else float("nan")

    def state(self) -> dict[str, NDArray[np.generic]]:
        """The learner's state for a checkpoint, NumPy arrays by name; names and shapes never change."""
        weights = list(self.network.parameters())
        arrays = {WEIGHTS: flat(weights)}
        if self.frozen is not self.network:
            arrays[TARGET] = flat(self.frozen.parameters())
        for name in MOMENTS[self.options.optimizer]:
            arrays[name] = flat([self.optimizer.state[weight][name] for weight in weights])
        steps = float(self.optimizer.state[weights[0]]["step"])
        return {**arrays, "updates": np.array([self.updates, self._due, int(steps)], np.int64)}

    def load_state(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Continue from a `state()`; a ConfigError where more moves wait for an update than ever do."""
        weights = list(self.network.parameters())
        self.updates, self._due, steps = (int(count) for count in state["updates"])
        if self._due >= self.options.train_frequency:
            raise refuse("updates", self._due, f"moves since the last update below {self.options.train_frequency}")
        fill(weights, state[WEIGHTS])
        if self.frozen is not self.network:
            fill(self.frozen.parameters(), state[TARGET])
        for weight in weights:
            self.optimizer.state[weight]["step"].fill_(steps)
        for name in MOMENTS[self.options.optimizer]:
            fill([self.optimizer.state[weight][name] for weight in weights], state[name])

    def _on_device(self, rows: Transitions, first: int) -> dict[str, Tensor]:
        return {name: torch.from_numpy(rows[name][first : first + CHUNK]).to(self.device) for name in rows}

    def _inputs(self, rows: Transitions) -> tuple[Tensor, Tensor]:
        board, action = (torch.from_numpy(rows[name]).to(self.device) for name in ("board", "action"))
        return board, action
