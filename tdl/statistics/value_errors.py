"""What values mean: how far they are from what play earns, by the stage of the game.

An error is the player's own value of an afterstate less what came, or on average comes, from there to the end of the
game. Every afterstate that play meets counts once, so what is met often weighs more.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tdl.game.boards import unpack
from tdl.solver.policy_evaluation import PolicyValue
from tdl.statistics.intervals import mean_interval

PLAYED_ERROR = np.dtype(
    [("stage", "<i8"), ("games", "<i8"), ("boards", "<i8"), *((name, "<f8") for name in (
        "value", "earned", "bias", "bias_low", "bias_high", "rmse", "spread"))]
)  # fmt: skip
"""Errors of a stage in games that were played: how many games came to it, how many afterstates they met there, the
means of value and points that followed, the mean error with its 95% interval over games, and the root mean square
error; the standard deviation of the points that followed, the error of a guess that knows no more than the stage."""

EXACT_ERROR = np.dtype(
    [("stage", "<i8"), *((name, "<f8") for name in (
        "boards", "value", "earned", "optimal", "bias", "rmse", "bias_optimal", "rmse_optimal", "regret"))]
)  # fmt: skip
"""Errors of a stage in a solved game: the afterstates that a game meets there on average, the means of the player's
value, of what its play earns and of what the best play would; mean and root mean square of value less what its play
earns, and of value less what the best play would; what a move that leads to them loses on average."""


def played_errors(rows: NDArray[np.void], stages: ArrayLike | None = None) -> NDArray[np.void]:
    """Errors by stage in games that were played.

    Afterstates of one game have most of their future in common, so the interval of `bias` takes each game for one
    observation: Student's t for a ratio of two sums over games (Cochran (1977), Sampling Techniques, section 6.3). A
    single error holds the luck of all later drops: `rmse` is not 0 for exact values, `bias` is, but for the interval.

    Parameters
    ----------
    rows : the result of `tdl.players.played_values.played_values`.
    stages : a whole number for each row, its stage; None: the value of its largest tile.

    Returns
    -------
    structured array of dtype `PLAYED_ERROR`, in ascending order of the stages.

    >>> early = played_errors(rows, rows["move"] // 100)      # by hundreds of moves
    >>> first = played_errors(rows[rows["move"] == 0], 0)     # the first afterstate of each game
    """
    stage = np.broadcast_to(rows["tile"] if stages is None else np.asarray(stages), rows.shape)
    errors_by_stage = []
    for number in np.unique(stage).tolist():
        part = rows[stage == number]
        errors = part["value"].astype(np.float64) - part["earned"]
        _, game = np.unique(part["episode"], return_inverse=True)
        met, bias = np.bincount(game), float(errors.mean())
        deviations = np.bincount(game, errors) - bias * met
        interval = mean_interval(bias + deviations * len(met) / len(part))
        means = (float(part["value"].mean(dtype=np.float64)), float(part["earned"].mean()))
        rmse, spread = float(np.sqrt((errors**2).mean())), float(part["earned"].std())
        errors_by_stage.append((number, len(met), len(part), *means, bias, *interval, rmse, spread))
    return np.array(errors_by_stage, PLAYED_ERROR)


def exact_errors(play: PolicyValue, stages: ArrayLike | None = None) -> NDArray[np.void]:
    """Errors by stage in a solved game, over all games that the play comes to: nothing is sampled.

    The sum of `boards * regret` over the stages is the gap to the best play.

    Parameters
    ----------
    play : the result of `tdl.solver.policy_evaluation.evaluate_policy`, for scores.
    stages : a whole number for each of the solution's afterstates; None: the value of its largest tile.

    Returns
    -------
    structured array of dtype `EXACT_ERROR`, in ascending order of the stages that this play comes to.
    """
    solution, rules = play.solution, play.solution.rules
    if stages is None:
        largest = np.max(unpack(solution.afterstates, rules), axis=0)
        stages = np.array([rules.value(tile) for tile in range(rules.largest + 1)])[largest]
    stage = np.broadcast_to(np.asarray(stages), play.own_values.shape)
    regrets, moved = np.zeros(len(stage)), play.choices >= 0
    np.add.at(regrets, play.choices[moved], (play.state_shares * play.regrets())[moved])
    judged = play.own_values.astype(np.float64)
    errors_by_stage = []
    for number in np.unique(stage[play.afterstate_shares > 0]).tolist():
        part = stage == number
        boards = float(play.afterstate_shares[part].sum())
        weights = play.afterstate_shares[part] / boards
        earned, optimal = play.afterstate_values[part], solution.afterstate_values[part]
        means = [float(weights @ values) for values in (judged[part], earned, optimal)]
        errors = [judged[part] - earned, judged[part] - optimal]
        figures = [figure for error in errors for figure in (float(weights @ error), float(weights @ error**2) ** 0.5)]
        errors_by_stage.append((number, boards, *means, *figures, float(regrets[part].sum()) / boards))
    return np.array(errors_by_stage, EXACT_ERROR)
