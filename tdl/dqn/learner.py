"""How the network learns: labels of transitions, one update, and when updates are made."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tdl.agents.player import WEIGHTS
from tdl.dqn.networks import NOT_FINITE, fill, flat, new_network, q_values
from tdl.dqn.options import DQNOptions
from tdl.dqn.pytorch import torch
from tdl.dqn.replay import Replay, Transitions
from tdl.errors import DivergenceError
from tdl.game.rules import Rules
from tdl.network.tuples import symmetries

Tensor = torch.Tensor

TARGET = "target"
"""Name of the array with the weights of the network that targets are computed with, float32 (n,), as `WEIGHTS`."""

CHUNK = 1024
"""Transitions labelled at a time."""

KEPT = {"rmsprop": ("square_avg",), "adam": ("exp_avg", "exp_avg_sq")}
"""What an optimiser keeps for each weight, beside the number of its updates."""


class Learner:
    """A network, its optimiser, and the copy that targets are computed with.

    Parameters
    ----------
    choices : checked.
    rules : of the game.
    generator : of all that is drawn, on the CPU.
    device : "cpu", or "cuda" where there is one.

    Attributes
    ----------
    network : plays and learns.
    frozen : computes targets; the network itself where `choices.target_network` is 0.
    updates : made so far.
    """

    def __init__(self, choices: DQNOptions, rules: Rules, generator: torch.Generator, device: str = "cpu") -> None:
        self.choices, self.generator, self.device = choices, generator, device
        self.network = new_network(choices, rules, generator).to(device)
        self.frozen = self.network
        if choices.target_network:
            self.frozen = new_network(choices, rules, torch.Generator()).to(device)
            self.frozen.load_state_dict(self.network.state_dict())
        weights, self.optimiser = list(self.network.parameters()), self._optimiser()
        for weight in weights:  # made now, not by the first update, so that a checkpoint always has the same arrays
            zeros = {name: torch.zeros_like(weight) for name in KEPT[choices.optimiser]}
            self.optimiser.state[weight] = {"step": torch.zeros(()), **zeros}
        self.images = torch.tensor(symmetries(rules.rows, rules.cols)).to(device)
        self.updates, self._due = 0, 0
        self._error, self._errors = torch.zeros((), device=device), 0

    def _optimiser(self) -> torch.optim.Optimizer:
        weights, rate = self.network.parameters(), self.choices.rate
        if self.choices.optimiser == "rmsprop":
            # Decay and epsilon as in the published program's library, where its text says nothing of them.
            return torch.optim.RMSprop(weights, rate, alpha=0.9, eps=1e-7)
        return torch.optim.Adam(weights, rate)

    def labels(self, rows: Transitions) -> Tensor:
        """What the network is to say of transitions: the rewards of the target and the value it relies on, (n,)."""
        parts = [self._labels(self._moved(rows, first)) for first in range(0, len(rows["board"]), CHUNK)]
        return torch.cat(parts)

    @torch.no_grad()
    def _labels(self, rows: dict[str, Tensor]) -> Tensor:
        choices, legal = self.choices, rows["legal"]
        asked = legal if choices.masked else torch.ones_like(legal)
        given = rows["next"][:, 0], rows["gains"], rows["next"]
        policy = q_values(self.network if choices.double else self.frozen, choices.gamma, *given, asked)
        chosen = policy.masked_fill(~asked, -torch.inf).argmax(1, keepdim=True)
        values = policy
        if choices.double:  # of the target network the value of that action only: half as many boards again
            values = q_values(
                self.frozen, choices.gamma, *given, asked & torch.zeros_like(asked).scatter(1, chosen, True)
            )
        best = values.gather(1, chosen)[:, 0]
        ahead = choices.n_step - (choices.values_of == "afterstates")
        return rows["reward"] + choices.gamma**ahead * torch.where(legal.any(1), best, 0)

    def update(self, board: Tensor, action: Tensor, label: Tensor) -> None:
        """Move the weights by one batch: uint8 (n, cells), int64 (n,), float32 (n,)."""
        if self.choices.symmetries:
            drawn = torch.randint(len(self.images), (len(board),), generator=self.generator).to(self.device)
            board = board.gather(1, self.images[drawn])
        with torch.autocast(self.device, torch.bfloat16, enabled=self.choices.precision == "bfloat16"):
            said = self.network(board, action if self.network.of_actions else None)
        error = (said - label) / self.choices.scale
        if self.choices.loss == "squared":
            loss = error.square().mean()
        else:
            loss = torch.nn.functional.huber_loss(error, torch.zeros_like(error))
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        self.updates += 1
        if self.choices.target_network and self.updates % self.choices.target_network == 0:
            self.frozen.load_state_dict(self.network.state_dict())
        self._error += error.detach().abs().sum() * self.choices.scale
        self._errors += len(board)

    def fit(self, replay: Replay) -> bool:
        """After an iteration: several epochs over a sample, with labels from before; whether there was enough."""
        choices = self.choices
        if choices.learn != "iteration" or len(replay) < choices.least:
            return False
        rows = replay.newest_and_older(choices.newest, choices.older, self.generator)
        labels, (board, action) = self.labels(rows), self._given(rows)
        for _ in range(choices.epochs):
            order = torch.randperm(len(labels), generator=self.generator).to(self.device)
            for part in torch.split(order, choices.batch):
                self.update(board[part], action[part], labels[part])
        return True

    def moved(self, moves: int, replay: Replay) -> None:
        """After some moves: the updates that are due."""
        choices = self.choices
        if choices.learn != "moves" or len(replay) < choices.least:
            return
        self._due += moves
        while self._due >= choices.every:
            self._due -= choices.every
            rows = replay.sample(choices.batch, self.generator)
            self.update(*self._given(rows), self.labels(rows))

    def mean_abs_error(self) -> float:
        """Of the updates since the last call, in points; nan where there was none.

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
        """All that continues it, as plain arrays by name; the same names and shapes from the start to the end."""
        weights = list(self.network.parameters())
        kept = {WEIGHTS: flat(weights)}
        if self.frozen is not self.network:
            kept[TARGET] = flat(self.frozen.parameters())
        for name in KEPT[self.choices.optimiser]:
            kept[name] = flat([self.optimiser.state[weight][name] for weight in weights])
        steps = float(self.optimiser.state[weights[0]]["step"])
        return {**kept, "updates": np.array([self.updates, self._due, int(steps)], np.int64)}

    def load_state(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Go on from what `state` gave."""
        weights = list(self.network.parameters())
        self.updates, self._due, steps = (int(each) for each in state["updates"])
        fill(weights, state[WEIGHTS])
        if self.frozen is not self.network:
            fill(self.frozen.parameters(), state[TARGET])
        for weight in weights:
            self.optimiser.state[weight]["step"].fill_(steps)
        for name in KEPT[self.choices.optimiser]:
            fill([self.optimiser.state[weight][name] for weight in weights], state[name])

    def _moved(self, rows: Transitions, first: int) -> dict[str, Tensor]:
        return {name: torch.from_numpy(rows[name][first : first + CHUNK]).to(self.device) for name in rows}

    def _given(self, rows: Transitions) -> tuple[Tensor, Tensor]:
        board, action = (torch.from_numpy(rows[name]).to(self.device) for name in ("board", "action"))
        return board, action
