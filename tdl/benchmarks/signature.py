"""The signature: one number that depends on behaviour alone."""

import hashlib
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from tdl.benchmarks import Report
from tdl.game.rules import GAMES, Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet
from tdl.players.player import Player
from tdl.search.options import SearchOptions
from tdl.training.trainer import Trainer

RUNS: tuple[tuple[Rules, TupleSet, int], ...] = (
    (Rules(), TupleSet(((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 2, 4, 5), (5, 6, 9))), 30),
    (Rules(drop=((1, 0.8), (2, 0.2)), start=(1, 1)), TupleSet(((0, 1, 4, 5), (1, 2, 5, 6)), share=False), 30),
    (Rules(rows=2, cols=3), TupleSet(((0, 1, 2, 3, 4), (1, 4))), 200),
    (Rules(), TupleSet(((0, 1, 4), (5, 6)), orders=(((0, 1, 2, 3), (4, 5, 6, 7)),), counts=((0, 8, 9),)), 10),
)
"""Rules, tuples and episodes of the signature of 2048."""

HALVES = ((1, 0.5), (2, 0.5))
"""A drop law that keeps the games of every rule set going for a while."""

LEARNERS: tuple[dict[str, Any], ...] = (
    {"order": "backward"},
    {"order": "forward"},
    {"order": "backward", "step": "coherent", "td_lambda": 0.5},
    {"order": "forward", "step": "coherent"},
    {"order": "delayed", "step": "coherent", "td_lambda": 0.5, "epsilon": 0.1, "memory": 50},
    {"order": "forward", "td_lambda": 0.8},
    {"order": "backward", "n_step": 3, "start": "restart"},
    {"order": "forward", "target": "state", "step": "coherent"},
    {"order": "backward", "start": "milestone", "milestone": 16, "attempts": 2},
    {"order": "backward", "target": "state", "stages": Stages((32, 128)), "start": "carousel"},
    {"order": "backward", "alpha_per": "entry", "rechoose": True, "clear_last": True, "update_symmetries": False},
)
"""The learners; each trains all of `RUNS`."""

IN_STEP: tuple[dict[str, Any], ...] = (
    {"batch_sum": "mean"},
    {"batch_sum": "mean", "step": "coherent", "td_lambda": 0.5},
    {"batch_sum": "capped", "step": "coherent", "td_lambda": 0.5, "cap": 0.5, "start": "restart", "memory": 50},
    {"batch_sum": "capped", "alpha_per": "entry", "stages": Stages((32, 128)), "moves_per_lane": 20},
    {"batch_sum": "mean", "td_lambda": 0.8, "start": "milestone", "milestone": 16, "attempts": 2},
)
"""Those of games in step, which have a number of their own, and moves for each episode of `RUNS`."""

MOVES, LANES = 100, {"each": (1, 3), "batch": (3, 70)}


def signature_runs(game: str) -> Sequence[tuple[Rules, TupleSet, int]]:
    """Rules, tuples and episodes of a game's signature: 2048's own, for the others three of its sets."""
    if game == "2048":
        return RUNS
    square, small, extra = (RUNS[i][1] for i in (0, 2, 3))
    return ((Rules(game), square, 30), (Rules(game, 2, 3, HALVES), small, 200), (Rules(game, drop=HALVES), extra, 10))


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--game", default="2048", choices=GAMES, help="each has its own number (2048)")
    parser.add_argument("--learner", default="each", choices=LANES, help="batch: that of games in step (each)")


def measure(options: Namespace) -> Report:
    """The signature of a game."""
    learners = IN_STEP if options.learner == "batch" else LEARNERS
    number = signature(options.game, learners)
    return Report({"signature": number}, str(number))


def signature(game: str = "2048", learners: Sequence[Mapping[str, Any]] = LEARNERS) -> int:
    """A number that depends on behaviour alone: the same on every machine, build and instruction set.

    It changes when and only when rules, random streams, choices, updates or their arithmetic change. Each game has its
    own; that of 2048 is *the* signature.
    """
    digest = hashlib.sha256()
    for rules, tuples, episodes in signature_runs(game):
        for learner in learners:
            batched = "batch_sum" in learner
            for lanes in LANES["batch" if batched else "each"]:
                choices = {"target": "afterstate", "alpha": 0.3, "gamma": 0.99, **learner}
                choices |= {"order": "delayed"} if batched else {}
                network = NTupleNetwork(rules, tuples, stages=choices.pop("stages", None), initial_value=50.0)
                if choices.get("alpha_per") == "entry":
                    choices["alpha"] /= network.m
                trainer = Trainer(network, seed=7, lanes=lanes, **choices)
                digest.update(trainer.train(MOVES * episodes if batched else episodes).tobytes())
                player = Player(network, target=choices["target"])
                for games, plies in ((5, 1), (1, 2)):
                    records = player.evaluate(games, seed=7, search=SearchOptions(plies))
                    digest.update(records.tobytes())
                for stage in range(network.stages.count):
                    for table in range(len(network.lengths)):
                        digest.update(network.table(table, stage).tobytes())
    return int.from_bytes(digest.digest()[:6], "big")
