"""Meet other programs: `tdl match checkpoint=FOLDER` answers an arena. All keys: `conf/match.yaml`.

The protocol: `tdl.sessions.two_player_protocol`.
"""

import sys
from functools import partial

from omegaconf import DictConfig

from tdl.cli.program import run_program
from tdl.config import match as match_config
from tdl.config.options import rules_of
from tdl.sessions.two_player_protocol import Matches, bounded_lines, converse
from tdl.sweeps.job import JobContext


def job(cfg: DictConfig, _: JobContext) -> None:
    """Check everything, then answer the lines of standard input."""
    settings = match_config.read(cfg)
    names = settings.play_name, settings.evil_name
    matches = Matches(rules_of(settings), match_config.action_values(settings), match_config.placer(settings), names)
    say = partial(print, flush=True)
    if settings.announce is not None:
        say(f"name {settings.announce}")
    lines = bounded_lines(sys.stdin.buffer)
    converse(matches, lines, say, lambda text: print(f"tdl: {text}", file=sys.stderr, flush=True))


def main() -> None:
    """The command `tdl match`."""
    run_program("match", job, match_config.MatchConfig)
