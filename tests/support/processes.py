"""Functions for other processes, which import them from here."""

import numpy as np

import tdl


def first_action(board):
    """The first of the legal actions of a board of tile values."""
    rules = tdl.Rules(rows=board.shape[0], cols=board.shape[1])
    return tdl.Engine(rules).legal(board.tolist())[0]


def learned(seed):
    """What a trainer that is built where it works has learned."""
    trainer = tdl.Trainer(tdl.NTupleNetwork(tdl.Rules(rows=2, cols=3), [[0, 1, 2]]), seed=seed)
    trainer.train(20)
    return np.array(trainer.network.weights)


def trained(trainer):
    """The trainer after another block."""
    trainer.train(20)
    return trainer
