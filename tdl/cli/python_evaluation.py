"""`tdl.evaluate`: games of an agent, or of a function of boards, inside somebody else's program."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tdl.base.checks import without_numpy
from tdl.config.files import named_rules
from tdl.errors import Interrupted, refuse
from tdl.game.rules import Rules, checked_rules
from tdl.players.kinds import Agent, agent_of, checkpoint_folder, read_agent
from tdl.players.policy import Choose, Policy
from tdl.runs.evaluation import Evaluation
from tdl.runs.interrupts import Interrupts
from tdl.runs.progress import hidden
from tdl.statistics.summary import evaluation_block
from tdl.storage.records import check_episodes
from tdl.training.options import Enough, play_options

if TYPE_CHECKING:
    import pandas as pd


def evaluate(
    policy: Choose | Agent | str | os.PathLike[str],
    episodes: int = 1000,
    *,
    seed: int = 0,
    game: str | None = None,
    size: str | None = None,
    tiles: str | None = None,
    rules: Rules | None = None,
    boards: int | None = None,
    progress: bool = True,
    **play: Any,
) -> pd.DataFrame:
    """Play games without learning, as `tdl evaluate` does. Game k of a seed meets the same drops whoever plays.

    Parameters
    ----------
    policy : a function of a board, its tile values as an array of shape (rows, cols), to a legal action: 0 to 3 (up,
        right, down, left) or its name. Or an agent: a `Player`, or the folder of a run or of a checkpoint.
    episodes : number of games.
    seed : of the drops.
    game, size, tiles : what a function plays, as in `tdl.train`; None: 2048 on 4x4. Agents play what they learned.
    rules : instead of these three.
    boards : so many games are played at once: the function gives the actions of boards of shape (n, rows, cols).
    progress : whether to show a bar, and in the end the figures that `tdl evaluate` prints.
    play : how an agent plays, as `plies=2, threads=2`: fields of `PlayOptions` and `SearchOptions`.

    Returns
    -------
    a row for each game: `episode`, `score`, `moves`, `max_tile`. Its `attrs` are the figures of `result.json`: `mean`
    and its interval `mean_ci95`, `median`, `max`, `reach` ... After Ctrl-C it has the games before the first that was
    not finished.

    Raises
    ------
    ConfigError : a wrong argument, or an action that is not legal; it shows the board.
    Interrupted : no game was finished.

    >>> engine = tdl.Engine()
    >>> first_legal = tdl.evaluate(lambda board: engine.legal(board)[0], seed=1)
    >>> trained = tdl.evaluate("outputs/first", seed=1)
    >>> (trained["score"] - first_legal["score"]).mean()  # game by game on the same drops
    """
    import pandas as pd  # not at the top: it takes half a second

    episodes = without_numpy(episodes)
    check_episodes(episodes, 1)
    named = {"game": game, "size": size, "tiles": tiles, "rules": rules, "boards": boards}
    agent = _agent(policy, {name: without_numpy(value) for name, value in named.items() if value is not None})
    evaluation = Evaluation(agent, play_options(None, {"seed": seed, **play}))
    with Interrupts("with the games so far") as interrupts, contextlib.nullcontext() if progress else hidden():

        def stop() -> None:
            if interrupts.requested:
                raise Enough

        records, figures = evaluation.games(episodes, stop)
    if interrupts.requested and (interrupts.requested != signal.SIGINT or not len(records)):
        raise Interrupted("stopped before all was done", 128 + interrupts.requested)
    if progress:
        print(evaluation_block(figures), end="")
    table = pd.DataFrame(records)
    table.attrs.update(figures)
    return table


def _agent(policy: object, named: dict[str, Any]) -> Agent:
    """Who plays; `named` are the arguments for functions that were not None."""
    if isinstance(policy, Agent | str | os.PathLike):
        for name, value in named.items():
            raise refuse(name, value, "None with an agent, which plays what it learned")
        if isinstance(policy, Agent):
            return policy
        folder = checkpoint_folder(Path(policy).expanduser())
        return agent_of(folder, read_agent(folder), copy=True)
    if not callable(policy) or isinstance(policy, type):  # a class would be made of each board
        raise refuse("policy", policy, "a function of boards, a tdl.Player, or the folder of a run")
    boards = named.pop("boards", None)
    return Policy(policy, _rules(**named), boards)


def _rules(rules: Rules | None = None, **names: Any) -> Rules:
    """What a function plays."""
    if rules is None:
        return named_rules(**{"game": "2048", "size": "4x4"} | names)
    for name, value in names.items():
        raise refuse(name, value, "None where rules are given, which say it")
    return checked_rules(rules)
