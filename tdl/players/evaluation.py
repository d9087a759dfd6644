"""Games of an n-tuple network without learning."""

import numpy as np
from numpy.typing import NDArray

from tdl.game.engine import EVALUATION
from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.learning.state import DROP_TABLE, drop_table_of, shares_drops
from tdl.search.options import Evaluator
from tdl.training.options import OnProgress, PlayOptions
from tdl.training.threads import kernel, play_block, slice_of


def evaluate(
    player: Evaluator, tables: LineTables, episodes: int, play: PlayOptions, on_progress: OnProgress | None = None
) -> NDArray[np.void]:
    """Play games without learning, greedily (argmax of reward + gamma * V, or of the expectation of V) or by a search.

    The games draw from a stream of their own: evaluating never changes training, and game k of a seed meets the same
    drops whatever the number of lanes and threads. `tables` are those of the network's rules; the other parameters,
    the returned array and the errors are those of `tdl.players.player.Player.evaluate`.
    """
    network = player.network
    values = LearnerOptions(target=player.target, gamma=player.gamma, expectation=player.expectation)
    values.check_network(network.stages.count, network.extras)
    play.check_board(network.rules)
    state = {DROP_TABLE: drop_table_of(network)} if shares_drops(network, values) else {}
    build = kernel(network)
    plays = [
        build(network, tables, values, play, role=EVALUATION, state=state, learns=False) for _ in range(play.threads)
    ]
    return play_block(plays, 0, episodes, slice_of(play.search), on_progress)
