"""Objects say what they are when they are printed."""

import numpy as np
import pytest

import tdl
from tdl.network import texts
from tdl.network.stages import Stages
from tdl.network.texts import memory_text, network_text, number_text, tuples_text
from tdl.players.player import Player

SMALL = tdl.TupleSet(((0, 1), (4, 5)))


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (950, "950"), (1234, "1.2k"), (65536, "66k"), (999_499, "999k"), (999_500, "1.0M"),
     (67_108_864, "67M"), (4_294_967_296, "4.3G")],
)  # fmt: skip
def test_numbers_are_short(number, text):
    assert number_text(number) == text


@pytest.mark.parametrize(
    ("tuples", "text"),
    [
        (tdl.tuple_set("4x6"), "4 tuples of 6 cells"),
        (tdl.TupleSet(((0, 1, 2), (4, 5), (1, 2, 3))), "2 tuples of 3 cells, 1 tuple of 2 cells"),
        (tdl.TupleSet(((0, 1),), counts=((0,),)), "1 tuple of 2 cells, 1 count feature"),
        (tdl.tuple_set("8x6_order_count"), "8 tuples of 6 cells, 2 order features, 2 count features"),
    ],
)
def test_tuples_are_counted_by_their_cells(tuples, text):
    assert tuples_text(tuples) == text


def test_a_network_says_whether_it_has_learned():
    network = tdl.NTupleNetwork(tdl.Rules(), SMALL)
    assert repr(network) == network_text(network) == "NTupleNetwork(2048 4x4, 2 tuples of 2 cells, 512 weights, blank)"
    network.weights[-1] = 1
    assert repr(network) == "NTupleNetwork(2048 4x4, 2 tuples of 2 cells, 512 weights, trained)"
    optimistic = tdl.NTupleNetwork(tdl.Rules("2584", 3, 4), SMALL, stages=Stages((89,)), initial_value=320_000)
    expected = "2584 3x4, 2 tuples of 2 cells, 2 stages, 1.3k weights, initial value 320,000"
    assert repr(optimistic) == f"NTupleNetwork({expected})"


def test_large_networks_say_what_they_take(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(texts, "LARGE", 1 << 20)
    weights, halves = (np.zeros(16**5, kind) for kind in (np.float32, np.float16))
    weights.tofile(tmp_path / "weights")
    mapped = np.memmap(tmp_path / "weights", np.float32, "r")
    for array, text in ((weights, "1.0M weights in 4 MiB"), (halves, "1.0M weights of 16 bits in 2 MiB"),
                        (mapped, "1.0M weights in 4 MiB (mapped)")):  # fmt: skip
        network = tdl.NTupleNetwork(tdl.Rules(), tdl.TupleSet(((0, 1, 2, 3, 4),)), weights=array)
        assert f", {text}, blank)" in repr(network)
        size = text.partition(" in ")[2]
        assert memory_text(network) == size
        Player(network).say_memory()
        assert capsys.readouterr().err == f"tdl: the agent's weights take {size}\n"
    Player(tdl.NTupleNetwork(tdl.Rules(), SMALL)).say_memory()
    assert capsys.readouterr().err == ""


def test_what_plays_and_learns_says_with_what():
    network = tdl.NTupleNetwork(tdl.Rules(), SMALL)
    trainer = tdl.Trainer(network, alpha=0.25)
    blank = "NTupleNetwork(2048 4x4, 2 tuples of 2 cells, 512 weights, blank)"
    assert repr(trainer) == f"Trainer({blank}, alpha 0.25, 0 episodes)"
    assert repr(Player(network)) == f"Player({blank}, values of afterstates)"
    assert repr(Player(network, 0.5, "state")) == f"Player({blank}, values of states, gamma 0.5)"
