"""How fast the program is, and its behaviour as one number.

The module of a benchmark has `arguments(parser)`, which adds its options to a command line, and `measure(options)`,
which checks them (`TdlError`), measures, and returns a `Report`.
"""

from dataclasses import dataclass
from typing import Any

BENCHMARKS = {
    "train": "moves per second, from a blank network and after 100,000 episodes",
    "peer": "paired comparison with a TDL2048+ binary that you built",
    "versus": "two settings of ours in turn, from blank",
    "device": "games in step and without learning, on a CPU or a graphics card",
    "signature": "one number that depends on behaviour alone",
}
"""What each benchmark measures, by its name, which is that of its module."""

SCRIPTS = ("boards", "dqn", "gym", "limit", "merge", "move", "search", "serve", "status", "sweep")
"""Benchmarks of a checkout, in experiments/benchmarks."""


@dataclass(frozen=True)
class Report:
    """The figures that `--json` prints, and a text that says the same for people."""

    figures: Any
    text: str
