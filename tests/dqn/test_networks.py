"""The networks of the deep Q-learner: size, encoding of boards, values of all four actions at once."""

from dataclasses import replace

import pytest
from support.deep_q import PUBLISHED, TINY, generator, torch

from tdl.dqn.networks import new_network
from tdl.dqn.options import NETWORKS
from tdl.dqn.pytorch import without_denormals
from tdl.game.rules import Rules


def test_the_published_network_has_the_published_number_of_parameters():
    network = new_network(PUBLISHED, Rules(), generator())
    assert sum(weight.numel() for weight in network.parameters()) == 2_371_665


def test_it_sees_tile_values():
    network = new_network(PUBLISHED, Rules(rows=2, cols=3), generator())
    seen = network.encoded(torch.tensor([[0, 1, 2, 3, 4, 11]], dtype=torch.uint8))
    assert seen.tolist() == [[[[0, 2, 4], [8, 16, 2048]]]]


def test_planes_share_the_last_one():
    network = new_network(replace(PUBLISHED, input="planes", planes=3), TINY, generator())
    seen = network.encoded(torch.tensor([[0, 1, 2, 7]], dtype=torch.uint8))
    assert seen.tolist() == [[[[1, 0], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [1, 1]]]]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("size", [(2, 2), (2, 3), (4, 4), (5, 5)])
def test_all_four_actions_at_once_are_worth_what_they_are_one_by_one(name, size):
    rules = Rules(rows=size[0], cols=size[1])
    network = new_network(replace(PUBLISHED, network=name, width=8, input="planes"), rules, generator())
    torch.nn.init.normal_(network.last.weight, generator=generator(1))
    tiles = torch.randint(0, 8, (5, rules.cells), generator=generator()).to(torch.uint8)
    single = torch.stack([network(tiles, torch.full((5,), action)) for action in range(4)], 1)
    assert single.std() > 0
    assert torch.allclose(network.action_values(tiles), single, rtol=1e-5, atol=1e-5)
    legal = torch.rand((5, 4), generator=generator()) < 0.5
    assert torch.allclose(network.action_values(tiles, legal)[legal], single[legal], rtol=1e-5, atol=1e-5)


def test_small_numbers_are_zeros_while_it_trains_only():
    def tiny():
        return (torch.full((4,), 1e-38) * 0.01).tolist()

    before = tiny()
    assert min(before) > 0
    with without_denormals():
        assert tiny() == [0, 0, 0, 0]
    assert tiny() == before
