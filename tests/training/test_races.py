"""What several threads do at once: little of each, to be run under ThreadSanitizer, too (`make races`).

Threads that share a network race for weights and step sizes, and for nothing else: no game is lost or played twice,
and boards of the carousel stay whole. An evaluation only reads them, and has the same games with any number of
threads.
"""

import numpy as np
import pytest
from support.learners import ORDERS, STEPS, each
from support.shapes import RULES

from tdl.learning.options import STARTS
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.players.player import Player
from tdl.search.options import SearchOptions
from tdl.training.trainer import Trainer

TUPLES = TupleSet(((0, 1, 2, 3), (0, 1, 3, 4), (1, 4)))
EPISODES = 60


def trained(choices, stages=None, shape="2x3"):
    network = NTupleNetwork(RULES[shape], TUPLES, stages=stages)
    trainer = Trainer(network, alpha=0.1, seed=3, threads=2, **choices)
    records = np.concatenate([trainer.train(EPISODES, lambda *_: None) for _ in range(2)])
    assert records["episode"].tolist() == list(range(2 * EPISODES))
    assert 0 < records["moves"].sum() <= trainer.moves  # there may be games that are not on record
    return network


@each(ORDERS, STEPS)
def test_threads_that_share_a_network(choices, stages):
    assert np.isfinite(trained(choices, stages).weights).all()


@pytest.mark.parametrize("start", STARTS)
def test_threads_that_share_stages(start):
    assert trained({"start": start, "milestone": 12}, Stages((16, 32))).weights.any()


@pytest.mark.parametrize("engine", ["bits", "array"])
@pytest.mark.parametrize("target", ["afterstate", "state"])
def test_the_carousel_has_whole_boards(engine, target):
    """Of 128 bits, or of a byte a cell: no processor copies them at once, and half of another has no empty cell."""
    choices = {"start": "carousel", "target": target, "engine": engine}
    assert trained(choices, Stages((8, 13)), "2584-2x3").weights.any()


@pytest.mark.parametrize("plies", [1, 2])
def test_threads_that_evaluate(plies):
    player = Player(trained({}))
    one, two = (player.evaluate(20, seed=3, threads=threads, search=SearchOptions(plies=plies)) for threads in (1, 2))
    assert one.tolist() == two.tolist()


def test_threads_that_evaluate_states():
    player = Player(trained({"target": "state"}), target="state")
    one, two = (player.evaluate(20, seed=3, threads=threads) for threads in (1, 2))
    assert one.tolist() == two.tolist()
