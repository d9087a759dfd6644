"""The benchmarks by name, and what each of their modules provides."""

from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from tdl.errors import ConfigError

BENCHMARKS = {
    "train": ("training", "moves per second, from a blank network and after 100,000 episodes"),
    "search": ("search", "moves per second by plies, without and with a table, and by threads"),
    "peer": ("peer", "paired comparison with a TDL2048+ binary that you built"),
    "limit": ("memory_bound", "training against its own table accesses, replayed without the game"),
    "versus": ("versus", "two settings of ours in turn, from blank"),
    "merge": ("merging", "the merge of replicas, in one process or those of mpirun: seconds, bytes, the model"),
    "boards": ("engines", "packed bits against an array of bytes, operation by operation"),
    "gym": ("environments", "steps per second of the environments, against 2048 written with NumPy"),
    "dqn": ("dqn", "the deep Q-learner: games one at a time and many at once, an iteration"),
    "sweep": ("sweep", "what a sweep of short jobs costs beside their games"),
    "serve": ("server", "the server of the page: first board, values, moves; in Chromium, too"),
    "signature": ("signature", "one number that depends on behaviour alone"),
}
"""Module and summary of each benchmark, by its name on the command line."""


@dataclass(frozen=True)
class Report:
    """Result of a benchmark: the figures that `--json` prints, and a text that says the same for people."""

    figures: Any
    text: str


class Benchmark(Protocol):
    """What the module of a benchmark provides."""

    def arguments(self, parser: ArgumentParser) -> None:
        """Add the benchmark's options to its command line."""

    def measure(self, options: Namespace) -> Report:
        """Check the options and measure; raises `TdlError` for what is not allowed."""


def benchmark(name: str) -> Benchmark:
    """The benchmark of a name, imported now: some need an extra, or half a second for pandas."""
    try:
        return cast(Benchmark, import_module(f"tdl.benchmarks.{BENCHMARKS[name][0]}"))
    except ImportError as error:
        raise ConfigError(str(error)) from error
