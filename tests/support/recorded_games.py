"""Players and searches whose games are recorded."""

import tdl
from tdl.search.options import SearchOptions

SHAPES = {
    "2x4": (tdl.Rules(rows=2, cols=4), ((0, 1, 2, 3), (0, 1, 4, 5))),
    "2584-2x3": (tdl.Rules("2584", 2, 3, drop=((1, 0.75), (3, 0.25))), ((0, 1, 2), (0, 1, 3, 4))),
    "threes_law-3x3": (tdl.Rules("threes_law", 3, 3, drop=((1, 0.5), (2, 0.5))), ((0, 1, 2), (0, 1, 3, 4))),
    "4x5": (tdl.Rules(rows=4, cols=5, drop=tuple((tile, 0.25) for tile in (1, 2, 3, 4))), ((0, 1, 2), (0, 1, 5, 6))),
}

OTHER = tdl.Rules(rows=2, cols=4, drop=((1, 1.0),))
"""Rules of 2x4, with another drop law."""


def trained(rules, cells, games=100, gamma=0.9, seed=0, target="afterstate"):
    """A player after a few games."""
    network = tdl.NTupleNetwork(rules, tdl.TupleSet(cells))
    tdl.Trainer(network, alpha=0.1, gamma=gamma, seed=seed, target=target).train(games)
    return tdl.Player(network, gamma, target)


SEARCHES = {
    "1 ply": SearchOptions(),
    "2 plies": SearchOptions(2),
    "3 plies": SearchOptions(3, cutoff=0.02),
    "by empty": SearchOptions(1, by_empty=((2, 3), (4, 2))),
    "lowered": SearchOptions(2, downgrade=5),
    "feared": SearchOptions(2, against="adversary"),
}
