"""The neural networks of the deep Q-learner: values of boards, or of the four actions on them."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.dqn.options import DQNOptions
from tdl.dqn.pytorch import torch
from tdl.errors import CheckpointError
from tdl.game.rules import Rules

Tensor = torch.Tensor
nn = torch.nn

NOT_FINITE = "a value of the network is not finite; make agent.learning_rate smaller"


class Network(nn.Module):
    """What all networks share: the encoding of boards, and the scale of values.

    Parameters
    ----------
    options : of the learner.
    rules : of the game; any board.
    """

    table: Tensor
    last: torch.nn.Linear

    def __init__(self, options: DQNOptions, rules: Rules) -> None:
        super().__init__()
        self.options, self.scale, self.shape = options, options.scale, (rules.rows, rules.cols)
        self.of_actions = options.values_of == "actions"
        self.channels = options.planes if options.input == "planes" else 1
        symbols = range(rules.cell_mask + 1)
        if options.input == "planes":
            table = torch.eye(options.planes)[[min(index, options.planes - 1) for index in symbols]]
        else:
            table = torch.tensor([[float(rules.value(index))] for index in symbols])
        self.register_buffer("table", table, persistent=False)

    def forward(self, tiles: Tensor, actions: Tensor | None = None) -> Tensor:
        """Values of boards, or of `actions` on them, in points.

        Parameters
        ----------
        tiles : uint8 (n, cells), tile indices.
        actions : int64 (n,), where values of actions are learned; else None.

        Returns
        -------
        float32 (n,).
        """
        raise NotImplementedError

    def action_values(self, tiles: Tensor, legal: Tensor | None = None) -> Tensor:
        """Values of the four actions on boards, in points: float32 (n, 4); undefined where `legal` is false."""
        raise NotImplementedError

    def valued(self, units: Tensor) -> Tensor:
        """The last layer's values in points, always in 32 bits: 16 would round 1,000 to a multiple of 4."""
        with torch.autocast(units.device.type, enabled=False):
            points: Tensor = self.last(units.float()) * self.scale
        return points

    def encoded(self, tiles: Tensor) -> Tensor:
        """Input of the first layer: float32 (n, channels, rows, cols)."""
        cells = nn.functional.embedding(tiles.int(), self.table)
        return cells.view(-1, *self.shape, self.channels).permute(0, 3, 1, 2)


class Published(Network):
    """8 filters 3x3, joined with the one-hot action, then 2048, 1024 and 1 units: 2,371,665 parameters on 4x4."""

    def __init__(self, options: DQNOptions, rules: Rules) -> None:
        super().__init__(options, rules)
        self.features = 8 * rules.cells
        self.filters = nn.Conv2d(self.channels, 8, 3, padding=1)
        self.first = nn.Linear(self.features + 4 * self.of_actions, 2048)
        self.second = nn.Linear(2048, 1024)
        self.last = nn.Linear(1024, 1)

    def forward(self, tiles: Tensor, actions: Tensor | None = None) -> Tensor:
        features = self._filtered(tiles)
        if actions is not None:
            features = torch.cat([features, nn.functional.one_hot(actions, 4).float()], 1)
        return self._valued(self.first(features))

    def action_values(self, tiles: Tensor, legal: Tensor | None = None) -> Tensor:
        # The first layer's sum over the board is the same for all four actions, each of which adds a column to it.
        weight = self.first.weight
        shared = nn.functional.linear(self._filtered(tiles), weight[:, : self.features], self.first.bias)
        columns = weight[:, self.features :].t()
        if legal is None:
            return self._valued(shared[:, None] + columns)
        rows, actions = legal.nonzero(as_tuple=True)  # in random play one action in eight is illegal
        out = shared.new_zeros(len(tiles), 4)
        out[rows, actions] = self._valued(shared[rows] + columns[actions])
        return out

    def _filtered(self, tiles: Tensor) -> Tensor:
        filtered: Tensor = self.filters(self.encoded(tiles))
        return filtered.relu_().flatten(1)

    def _valued(self, first: Tensor) -> Tensor:
        return self.valued(self.second(first.relu_()).relu_()).squeeze(-1)


class Headed(Network):
    """A network of a body and a linear head, with a value for each action or one for the board."""

    def __init__(self, options: DQNOptions, rules: Rules) -> None:
        super().__init__(options, rules)
        self.body, units = self.new_body(options.width)
        self.last = nn.Linear(units, 4 if self.of_actions else 1)

    def new_body(self, width: int) -> tuple[nn.Module, int]:
        """The layers up to the head, and the units they end with."""
        raise NotImplementedError

    def forward(self, tiles: Tensor, actions: Tensor | None = None) -> Tensor:
        out = self.action_values(tiles)
        return out[:, 0] if actions is None else out.gather(1, actions[:, None])[:, 0]

    def action_values(self, tiles: Tensor, legal: Tensor | None = None) -> Tensor:
        return self.valued(self.body(self.encoded(tiles)))


class Dense(Headed):
    """Two layers of `width` units over the whole board."""

    def new_body(self, width: int) -> tuple[nn.Module, int]:
        rows, cols = self.shape
        first = nn.Linear(self.channels * rows * cols, width)
        return nn.Sequential(nn.Flatten(), first, nn.ReLU(), nn.Linear(width, width), nn.ReLU()), width


class Quads(Headed):
    """`width` filters 2x2 without padding, twice, then `width` units: corners stay corners."""

    def new_body(self, width: int) -> tuple[nn.Module, int]:
        rows, cols = (side - 1 for side in self.shape)
        second = min(2, rows), min(2, cols)  # a side of 2 is used up by the first layer
        cells = (rows - second[0] + 1) * (cols - second[1] + 1)
        filters = [nn.Conv2d(self.channels, width, 2), nn.ReLU(), nn.Conv2d(width, width, second), nn.ReLU()]
        return nn.Sequential(*filters, nn.Flatten(), nn.Linear(width * cells, width), nn.ReLU()), width


NETWORK_TYPES: dict[str, type[Network]] = {"published": Published, "dense": Dense, "quads": Quads}


def new_network(options: DQNOptions, rules: Rules, generator: torch.Generator) -> Network:
    """A network with fresh weights.

    The published one has its library's default: Glorot and Bengio (2010), uniform, biases 0. The others begin by
    He et al. (2015) with a head of zeros: before learning the value of every board is 0.
    """
    network = NETWORK_TYPES[options.network](options, rules)
    for module in network.modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            weight: Any = module.weight
            if options.network == "published":
                nn.init.xavier_uniform_(weight, generator=generator)
            elif module is network.last:
                nn.init.zeros_(weight)
            else:
                nn.init.kaiming_uniform_(weight, nonlinearity="relu", generator=generator)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    return network


def parameter_count(options: DQNOptions, rules: Rules) -> int:
    """How many weights and biases a network has, counted without making one."""
    with torch.device("meta"):
        return sum(weight.numel() for weight in NETWORK_TYPES[options.network](options, rules).parameters())


def q_values(
    network: Network, gamma: float, tiles: Tensor, gains: Tensor, after: Tensor, legal: Tensor | None
) -> Tensor:
    """Q of the four actions on boards: float32 (n, 4); undefined where illegal.

    Parameters
    ----------
    gamma : discount of the values of afterstates.
    tiles : uint8 (n, cells); needed where values of actions are learned.
    gains, after : float32 (n, 4), uint8 (n, 4, cells); needed where those of afterstates are.
    legal : bool (n, 4); None: all four are valued, whatever they are, in kernels of the same shapes for every board.
    """
    if network.of_actions:
        return network.action_values(tiles, legal)
    if legal is None:
        values: Tensor = network(after.flatten(0, 1))
        return gains + gamma * values.view(-1, 4)
    out = gains.clone()
    out[legal] += gamma * network(after[legal])
    return out


def flat(tensors: Iterable[Tensor]) -> NDArray[np.float32]:
    """A copy of several tensors as one array, one after the other."""
    numbers: NDArray[np.float32] = torch.cat([tensor.detach().cpu().flatten() for tensor in tensors]).numpy()
    return numbers


def fill(tensors: Iterable[Tensor], numbers: NDArray[Any]) -> None:
    """Copy an array that `flat` made into tensors of the same sizes.

    Raises
    ------
    CheckpointError : the sizes are those of another network.
    """
    targets = [tensor.detach() for tensor in tensors]
    sizes = [tensor.numel() for tensor in targets]
    if numbers.shape != (sum(sizes),):
        raise CheckpointError(f"weights: holds {numbers.shape} numbers, this network {(sum(sizes),)}")
    parts = torch.split(torch.from_numpy(np.array(numbers, np.float32)), sizes)
    for tensor, part in zip(targets, parts, strict=True):
        tensor.copy_(part.view_as(tensor))
