"""Policy evaluation: what greedy play by any value function earns exactly, on a game that has been solved."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.base.checks import check_share
from tdl.errors import ConfigError, refuse
from tdl.solver.enumeration import Reachable, start_laws
from tdl.solver.layer_values import mark_drops, share_drops
from tdl.solver.solution import Solution, Values, layer_order, sweep, value_of_start

ValueFunction = Callable[[NDArray[np.uint64]], ArrayLike]
"""A value function: of packed afterstates, uint64 array of shape (n,), to n values."""


@dataclass(frozen=True)
class PolicyValue:
    """The exact value of a policy.

    Attributes
    ----------
    solution : of the game.
    own_values : float32, the player's own value of each of `solution.afterstates`.
    expected : the value of a game before its first tile.
    state_values, afterstate_values : float64, the values of all boards when play goes on by this policy.
    choices : int64, the index of the afterstate that is chosen on each state, -1 where the game is over.
    states, afterstates : bool, which of the solution's boards this play comes to.
    state_shares, afterstate_shares : float64, the share of games that come to each board. No board comes twice in a
        game, so this is also how often it is visited in one.
    """

    solution: Solution
    own_values: NDArray[np.float32]
    expected: float
    state_values: Values
    afterstate_values: Values
    choices: NDArray[np.int64]
    states: NDArray[np.bool_]
    afterstates: NDArray[np.bool_]
    state_shares: Values
    afterstate_shares: Values

    @property
    def moves(self) -> float:
        """The mean number of moves of a game."""
        return float(self.afterstate_shares.sum())

    def regrets(self) -> Values:
        """What the move chosen on each state loses: the value of the best move less its own, if best play follows.

        float64, in the order of the states; 0 where the game is over. Their sum, each times the share of games that
        come to its state, is the gap to the best play.
        """
        moved = self.choices >= 0
        chosen = self.choices[moved]
        rewards = self.state_values[moved] - self.afterstate_values[chosen]
        regrets = np.zeros(len(self.choices))
        regrets[moved] = self.solution.state_values[moved] - rewards - self.solution.afterstate_values[chosen]
        return regrets

    def summary(self) -> dict[str, Any]:
        """The figures of the policy, for `result.json`.

        `gap` is how much less than the best play it earns. `value_bias` and `value_rmse`, in points, are mean and
        root mean square of its own value of an afterstate less what it goes on to earn from there, over the
        afterstates of its games. The largest value errors are those from the exact value of the *best* play, of the
        afterstates that this play can come to, however rarely, and of all that can be reached: often no more than the
        initial value of boards that no game has met. All of these are left out where the solution is of probabilities.
        """
        best = self.solution.optimal
        figures: dict[str, Any] = {"expected": self.expected, "optimal": best, "gap": best - self.expected}
        figures |= {"random": self.solution.random, "states": int(self.states.sum()), "of_states": len(self.states)}
        if self.solution.objective == "score":
            weights, differences = self.afterstate_shares / self.moves, self.own_values - self.afterstate_values
            figures["value_bias"] = float(weights @ differences)
            figures["value_rmse"] = float(weights @ differences**2) ** 0.5
            errors = np.abs(self.own_values - self.solution.afterstate_values)
            figures["largest_value_error"] = float(errors[self.afterstates].max())
            figures["largest_value_error_anywhere"] = float(errors.max())
        return figures


def evaluate_policy(solution: Solution, values: ArrayLike | ValueFunction, gamma: float = 1.0) -> PolicyValue:
    """The exact value of greedy play by reward + gamma * value of the afterstate.

    Moves are compared in float32, the first of equals is taken, as self-play does. The value is that of the
    solution's objective, without discount.

    Parameters
    ----------
    solution : of the game.
    values : the player's value of each of `solution.afterstates`, of their shape; or a function that gives them.
    gamma : the player's discount.

    Raises
    ------
    ConfigError : values of another shape, or not finite; a gamma that is not from 0 to 1; a folded solution, on which
        play that treats symmetric boards differently has no place.
    """
    if solution.boards.folded:
        raise ConfigError("solution: it is folded; play can be evaluated on one that was made with fold=false")
    check_share("gamma", gamma)
    judged = values(solution.afterstates) if callable(values) else values
    own_values = np.ascontiguousarray(judged, np.float32)
    if own_values.shape != solution.afterstates.shape:
        raise refuse("values shape", own_values.shape, f"{solution.afterstates.shape}, one value an afterstate")
    if not np.isfinite(own_values).all():
        raise ConfigError("values: values that are not finite choose no move")
    choices = np.empty(len(solution.states), np.int64)
    state_values, afterstate_values = sweep(
        solution.boards, "greedy", reach=solution.tile or 0, own=own_values, gamma=gamma, choices=choices
    )
    expected = value_of_start(solution.boards, state_values)
    visits = follow(solution.boards, choices)
    return PolicyValue(solution, own_values, expected, state_values, afterstate_values, choices, *visits)


def follow(
    boards: Reachable, choices: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Values, Values]:
    """Which states and which afterstates a play comes to, and the share of games that come to each of them.

    Shares below the smallest double are 0, so there are boards that the play comes to with a share of 0.

    Parameters
    ----------
    boards : all that can be reached.
    choices : the index of the afterstate that it chooses on each state, -1 where the game is over.
    """
    before, after, drop = boards.states, boards.afterstates, boards.rules.drop
    states, afterstates = np.zeros(len(before), np.uint8), np.zeros(len(after), np.uint8)
    state_shares, afterstate_shares = np.zeros(len(before)), np.zeros(len(after))
    first = before.find(boards.starts[-1].boards)
    states[first], state_shares[first] = 1, _start_shares(boards)
    for _, is_after, layer in layer_order(boards):
        if is_after:
            mark_drops(after, layer, before, drop, afterstates, states)
            share_drops(after, layer, before, drop, afterstate_shares, state_shares)
        else:
            part = before.slice_of(layer)
            moved = choices[part] >= 0
            chosen = choices[part][moved]
            np.maximum.at(afterstates, chosen, states[part][moved])
            np.add.at(afterstate_shares, chosen, state_shares[part][moved])
    return states.astype(np.bool_), afterstates.astype(np.bool_), state_shares, afterstate_shares


def _start_shares(boards: Reachable) -> Values:
    """The share of games that begin on each of the first states."""
    shares = np.ones(1)
    for level, following, law in zip(boards.starts[:-1], boards.starts[1:], start_laws(boards.rules), strict=True):
        before, shares = shares, np.zeros(len(following))
        for layer in range(len(level.sums)):
            share_drops(level, layer, following, law, before, shares)
    return shares
