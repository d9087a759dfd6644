"""CUDA graphs compute the same as kernel by kernel. These tests need a graphics card, and are left out without one."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from support.deep_q import LIVELY, PUBLISHED, generator, torch

from tdl.dqn.dqn_player import CHUNK, DQNPlayer
from tdl.dqn.learner import Learner
from tdl.dqn.networks import new_network
from tdl.dqn.pytorch import WARM_UP
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.players.batch_play import moves_of_boards

needs_card = pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch finds no CUDA device here")


def trained(learner, sizes):
    """Its state after updates of batches of these sizes and some epochs, the same for each learner."""
    source = generator(5)
    for rows in sizes:
        board = torch.randint(8, (rows, 16), generator=source, dtype=torch.uint8)
        action = torch.randint(4, (rows,), generator=source)
        batch = [each.to("cuda") for each in (board, action, 100 * torch.rand(rows, generator=source))]
        learner.update(*batch) if rows <= learner.options.batch_size else learner._epoch(*batch)
    return {**learner.state(), "error": learner.mean_abs_error()}


@needs_card
@pytest.mark.parametrize(
    "options",
    [PUBLISHED, replace(PUBLISHED, precision="bfloat16"), replace(LIVELY, batch_size=250)],
    ids=["published", "bfloat16", "afterstates"],
)
def test_updates_as_a_graph_are_the_same(options):
    rules, batch = Rules(), options.batch_size
    sizes = [batch] * (WARM_UP + 2) + [7, batch] + [2 * batch + 7] * (WARM_UP + 2)
    graph, values = (Learner(options, rules, generator(1), "cuda") for _ in range(2))
    values._graph = values._epoch_graph = None
    for _ in range(2):  # the second time from a loaded state
        first, second = trained(graph, sizes), trained(values, sizes)
        for name, array in first.items():
            np.testing.assert_allclose(array, second[name], rtol=1e-3, atol=1e-4, err_msg=name)
        state = {name: array for name, array in first.items() if name != "error"}
        graph.load_state(state)
        values.load_state(state)


@needs_card
@pytest.mark.parametrize("options", [PUBLISHED, LIVELY], ids=["published", "afterstates"])
def test_the_card_plays_as_the_processor(options):
    rules = Rules(drop=((1, 0.8), (2, 0.2)), start=(1, 1))
    engine, network = Engine(rules), new_network(options, rules, generator(2))
    torch.nn.init.uniform_(network.last.weight, generator=generator(3))
    players = [DQNPlayer(network, rules), DQNPlayer(copy.deepcopy(network).to("cuda"), rules)]
    for step in range(2):  # the second time with other weights
        for player in players:
            torch.nn.init.constant_(player.network.last.bias, 10.0 * step)
        for n in (*[5] * (WARM_UP + 2), 0, 1, 8, CHUNK + 1):
            expected, values = (player.q(moves_of_boards(engine(rules, n, n))) for player in players)
            np.testing.assert_allclose(values, expected, rtol=1e-3, atol=1e-3)
