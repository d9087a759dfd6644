"""What a merge of replicas costs, and what the model says of it; started by mpirun, on several processes."""

import sys
import time
from argparse import ArgumentParser, Namespace
from typing import Any

import numpy as np

from tdl.agents.options import PlayOptions
from tdl.agents.ranks import Ranks, joined
from tdl.agents.replicas import Replicas
from tdl.agents.trainer import Trainer
from tdl.benchmarks.arguments import add_tuples, tuples_of
from tdl.benchmarks.registry import Report
from tdl.checks import check_whole
from tdl.game.rules import Rules
from tdl.learning.options import LearnerOptions
from tdl.learning.rounds import ReplicaOptions
from tdl.learning.rows import row_width
from tdl.learning.state import MOVED, chunks_of
from tdl.network.ntuple import NTupleNetwork

ALPHA, STEP = 1.0, "coherent"

GIGABITS = (10, 100)
"""Speeds of a network, per second and direction, that the model is asked for."""

FAR = 1 << 40
"""The number of an episode at which all replicas play."""


def arguments(parser: ArgumentParser) -> None:
    add_tuples(parser)
    parser.add_argument("--replicas", type=int, default=4, help="of all processes (4)")
    parser.add_argument("--threads", type=int, default=1, help="of each process (1)")
    parser.add_argument("--episodes", type=int, default=4000, help="of a replica in a round (4000)")
    parser.add_argument("--state", type=int, default=20_000, help="episodes of one network before (20000)")
    parser.add_argument("--paper", default="64,4", help="replicas and processes that the model is asked for (64,4)")


def model_bytes(replicas: int, processes: int, moved: float, merged: float) -> float:
    """Bytes that a process sends for a merge, and receives: chunks to their owners, and the owners' results to all.

    Parameters
    ----------
    moved : chunks that a replica has moved, the mean.
    merged : chunks that any replica has moved.
    """
    row = 4 * row_width(STEP == "coherent")
    return (replicas / processes * moved + merged) * row * (processes - 1) / processes


class _Counted(Replicas):
    """Replicas that count what they merge."""

    moved = 0

    def _merge_all(self) -> None:
        self.moved = sum(int(np.count_nonzero(own[MOVED])) for own in self.states)
        self.before = time.process_time(), self.ranks.sent, self.ranks.received
        super()._merge_all()
        self.after = time.process_time(), self.ranks.sent, self.ranks.received


def measure(options: Namespace) -> Report:
    """One round and its merge, after `--state` episodes."""
    for key in ("replicas", "threads", "episodes"):
        check_whole(f"--{key}", getattr(options, key), 1)
    paper = [int(word) for word in options.paper.split(",")]
    ranks = joined()
    network = NTupleNetwork(Rules(), tuples_of(options.tuples))
    before = Trainer(network, alpha=ALPHA, step=STEP)
    replicas = ReplicaOptions(options.replicas, options.episodes * options.replicas)
    ranks.check(replicas, LearnerOptions(), options.threads)
    if ranks.rank == 0:  # the others get it as the replicas do
        before.train(options.state)
    figures = _round(network, before, replicas, options, ranks)
    if ranks.rank > 0:
        sys.exit(0)
    return Report(figures, _text(figures, paper))


def _round(
    network: NTupleNetwork, before: Trainer, replicas: ReplicaOptions, options: Namespace, ranks: Ranks
) -> dict[str, Any]:
    own = _Counted(network, before.state, before.learner, PlayOptions(threads=options.threads), replicas, ranks)
    own.set_step(ALPHA, STEP)
    start = time.perf_counter(), time.process_time()
    own.play(FAR, replicas.replicas * options.episodes, None)
    seconds = time.perf_counter() - start[0] - own.merge_seconds
    moved = int(sum(int(each.sum()) for each in ranks.gathered(np.array([own.moved]))))
    return {
        "tuples": options.tuples,
        "replicas": replicas.replicas,
        "processes": ranks.size,
        "threads": options.threads,
        "chunks": chunks_of(network),
        "moved_by_a_replica": moved / replicas.replicas,
        "merged": own.merged_chunks,
        "play_seconds": seconds,
        "play_cpu_seconds": own.before[0] - start[1],
        "merge_seconds": own.merge_seconds,
        "merge_cpu_seconds": own.after[0] - own.before[0],
        "sent": own.after[1] - own.before[1],
        "received": own.after[2] - own.before[2],
    }


def _text(figures: dict[str, Any], paper: list[int]) -> str:
    moved, merged = figures["moved_by_a_replica"], figures["merged"]
    modelled = model_bytes(figures["replicas"], figures["processes"], moved, merged)
    replicas, processes = paper
    at_most = model_bytes(replicas, processes, moved, figures["chunks"])
    each = figures["processes"] / figures["replicas"]  # of the first process's CPU seconds, for a replica
    play, copies = each * figures["play_cpu_seconds"], each * figures["merge_cpu_seconds"] * figures["chunks"] / merged
    lines = [
        f"{figures['tuples']}, {figures['replicas']} replicas, {figures['processes']} processes of "
        f"{figures['threads']} threads",
        f"chunks: {figures['chunks']:,}; moved by a replica {moved:,.0f}, by any {merged:,}",
        f"play: {figures['play_seconds']:.1f} s, the first process {figures['play_cpu_seconds']:.1f} CPU s",
        f"merge: {figures['merge_seconds']:.2f} s, the first process {figures['merge_cpu_seconds']:.2f} CPU s",
        f"the first process sent {figures['sent'] / 1e6:,.0f} MB and received {figures['received'] / 1e6:,.0f} MB; "
        f"by the model {modelled / 1e6:,.0f} MB each",
        f"{replicas} replicas in {processes} processes with a core for each replica, if every chunk was moved:",
        f"  play {play:.1f} s, copies {copies:.2f} s, sent {at_most / 1e6:,.0f} MB",
    ]
    for speed in GIGABITS:
        sent = at_most * 8 / (speed * 1e9)
        share = (sent + copies) / (sent + copies + play)
        lines.append(f"  at {speed} Gbit/s sent in {sent:.2f} s; merges take {share:.0%} of the time")
    return "\n".join(lines)
