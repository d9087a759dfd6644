"""Networks of several stages: which tables value a board, and what promotion gives entries without a weight."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reference_runs import random_network
from support.shapes import RULES, boards, each_rules, few, random_boards

import tdl
from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.network.stages import Stages

BOARD = RULES["2x3"]
TUPLES = tdl.TupleSet(((0, 1), (0, 1, 3)))
LAWS = {"largest": Stages((8, 64, 512)), "sum": Stages((10, 40, 300), by="sum")}


def stage_of(network, board):
    """The stage whose tables a board's entries lie in."""
    (stage,) = set(network.entries(board) // network.stride)
    return int(stage)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@few
@given(tiles=boards(BOARD))
def test_the_kernel_finds_the_stage_of_the_reference(law, tiles):
    network = tdl.NTupleNetwork(BOARD, TUPLES, stages=law)
    assert stage_of(network, pack(tiles, BOARD)) == law.of([BOARD.value(tile) for tile in tiles])


def test_thresholds_are_reached_from_their_value_on():
    network = tdl.NTupleNetwork(BOARD, TUPLES, stages=Stages((8, 64)))
    assert [stage_of(network, tile) for tile in (0, 2, 3, 5, 6, 15)] == [0, 0, 1, 1, 2, 2]
    by_sum = tdl.NTupleNetwork(BOARD, TUPLES, stages=Stages((8,), by="sum"))
    assert [stage_of(by_sum, board) for board in (0x0, 0x2, 0x12, 0x22, 0x112)] == [0, 0, 0, 1, 1]


def test_an_entry_without_a_weight_is_worth_that_of_the_stage_before():
    network = tdl.NTupleNetwork(BOARD, TUPLES, stages=Stages((8, 64)))
    late = 0x6  # a 64: stage 2
    assert network.value(late) == 0
    for table in range(2):
        network.set_table(table, np.full(network.layout.size(table), 3.0))
    assert network.value(late) == 3.0 * network.m
    network.set_table(0, np.full(network.layout.size(0), 5.0), stage=1)
    assert network.value(late) == (5.0 + 3.0) * network.m / 2
    assert np.isnan(network.table(0, stage=2)).all()
    network.set_table(1, np.full(network.layout.size(1), 7.0), stage=2)
    assert network.value(late) == (5.0 + 7.0) * network.m / 2
    assert network.value(0x3) == (5.0 + 3.0) * network.m / 2


def test_looking_changes_nothing():
    network = tdl.NTupleNetwork(BOARD, TUPLES, stages=Stages((8,)))
    tdl.Trainer(network, alpha=0.1).train(50)
    before = network.weights.tobytes()
    tdl.Player(network).evaluate(50)
    assert network.weights.tobytes() == before
    own = network.table(1, stage=1)
    assert 0 < np.isnan(own).sum() < len(own)


def test_without_promotion_every_stage_starts_from_the_initial_value():
    network = tdl.NTupleNetwork(BOARD, TUPLES, stages=Stages((8,), promotion=False), initial_value=80.0)
    assert network.value(0x3) == network.value(0x1) == 80.0
    network.set_table(0, np.zeros(network.layout.size(0)))
    assert (network.value(0x3), network.value(0x1)) == (80.0, 40.0)


network_of = lru_cache(8)(random_network)  # the dictionaries of a reference take a third of a second


@each_rules
@few
@given(data=st.data())
def test_later_stages_read_lowered_boards_and_shares_as_the_reference(rules, data):
    laws = Stages((8, 64), downgrade=data.draw(st.sampled_from([2, 5])), share=data.draw(st.sampled_from([0.3, 1.0])))
    stages = data.draw(st.sampled_from([laws, replace(laws, by="sum"), replace(laws, share=1.0, promotion=False)]))
    network, reference = network_of(rules, stages=stages, moved=0.5 if stages.promotion else 1.0)
    tiles = data.draw(boards(rules))
    assert network.value(pack(tiles, rules)) == reference.value(tiles)


def test_values_of_many_boards_are_those_of_each():
    network, _ = random_network(BOARD, stages=Stages((8, 64), downgrade=3, share=0.3), moved=0.5)
    packed = [pack(tiles, BOARD) for tiles in random_boards(BOARD, 200)]
    assert network.values(np.array(packed, np.uint64)).tolist() == [network.value(board) for board in packed]


def test_checkpoints_have_the_laws_of_later_stages_only_where_they_are_not_the_usual_ones():
    assert Stages((8,)).to_dict() == {"thresholds": [8], "by": "largest", "promotion": True}
    unusual = Stages((8,), downgrade=3, share=0.3)
    assert unusual.to_dict().keys() - Stages((8,)).to_dict().keys() == {"downgrade", "share"}
    assert Stages(**unusual.to_dict()) == unusual


def test_a_stage_must_exist():
    network = tdl.NTupleNetwork(BOARD, TUPLES, stages=Stages((8,)))
    with pytest.raises(ConfigError, match="stage: 2 is not allowed; expected a whole number from 0 to 1"):
        network.table(0, stage=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thresholds": (8, 8)}, r"learner.stages: \[8, 8\] is not allowed; expected values in ascending order"),
        ({"thresholds": (0,)}, "learner.stages: 0 is not allowed; expected a whole number of at least 1"),
        ({"thresholds": tuple(range(1, 17))}, "a list of at most 15 tile values"),
        ({"by": "tiles"}, "learner.stage_by: 'tiles' is not allowed; expected largest or sum"),
        ({"downgrade": 13}, "learner.stage_downgrade: 13 is not allowed; expected null where learner.stages is empty"),
        ({"downgrade": 1, "thresholds": (8,)}, "learner.stage_downgrade: 1 .* expected a whole number from 2 to 31"),
        ({"share": 0.5}, "learner.promotion_share: 0.5 is not allowed; expected 1 where learner.stages is empty"),
        ({"share": 0, "thresholds": (8,)}, "learner.promotion_share: 0 .* expected a number above 0 and at most 1"),
        (
            {"share": 0.5, "thresholds": (8,), "promotion": False},
            "learner.promotion_share: 0.5 is not allowed; expected 1 where learner.promotion=false",
        ),
    ],
)
def test_what_are_no_stages(options, message):
    with pytest.raises(ConfigError, match=message):
        Stages(**options)


def test_more_entries_than_32_bits_count():
    with pytest.raises(
        ConfigError, match=r"learner.stages: '.* weights' is not allowed; expected at most 4,294,967,296"
    ):
        tdl.NTupleNetwork(
            tdl.Rules(),
            tdl.TupleSet((tuple(range(7)), tuple(range(6)), tuple(range(1, 7)))),
            stages=Stages(tuple(range(1, 16))),
        )
