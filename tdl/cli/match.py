"""Meet other programs: `tdl match checkpoint=FOLDER` answers an arena. All keys: `conf/match.yaml`.

The protocol: `tdl.sessions.two_player_protocol`.
"""

import sys
from dataclasses import dataclass
from typing import Self

from omegaconf import MISSING, DictConfig

from tdl.base import streams
from tdl.base.checks import check_fields, checked, flag, whole
from tdl.cli.program import run_program
from tdl.config.compose import Key, Schema, keys, options_of
from tdl.config.schema import GAME, PLACER, SEARCH, TILES, judge_of, placer_of, rules_of
from tdl.errors import ConfigError, refuse
from tdl.game.rules import Rules
from tdl.players.kinds import ActionValues, load_agent
from tdl.players.player import Player, load
from tdl.search.options import PlacerOptions, SearchOptions, check_same_board
from tdl.sessions.two_player_protocol import Matches, TilePlacer, bounded_lines, converse
from tdl.sweeps.job import JobContext

MAX_CELLS = 16
"""Of a board: the protocol has four bits for the number of a cell."""


def _check_name(key: str, name: str) -> None:
    if not name or set(name) & set(": \t\n"):
        raise refuse(key, name, "a name without spaces and colons")


@dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """Who plays, and who puts the tiles; `judge` is the folder of the network by whose values an adversary judges."""

    checkpoint: str | None = MISSING
    evil: bool = flag(MISSING)
    seed: int = whole(MISSING, least=0)
    play_name: str | None = checked(MISSING, _check_name, null=True)
    evil_name: str | None = checked(MISSING, _check_name, null=True)
    announce: str | None = checked(MISSING, _check_name, null=True)
    rules: Rules
    search: SearchOptions
    placer: PlacerOptions
    judge: str | None

    @classmethod
    def of(cls, cfg: DictConfig) -> Self:
        """The options that Hydra composed."""
        values = SCHEMA.read(cfg)
        return options_of(
            cls,
            "",
            values,
            rules=rules_of(values),
            search=options_of(SearchOptions, "search", values["search"], plies=values["plies"]),
            placer=placer_of(values),
            judge=values["placer"]["network"],
        )

    def __post_init__(self) -> None:
        check_fields(self)
        if self.rules.cells > MAX_CELLS:
            size = f"{self.rules.rows}x{self.rules.cols}"
            raise refuse("size", size, f"a board of at most {MAX_CELLS} cells; the protocol has no room for more")
        if self.checkpoint is None and not self.evil:
            raise refuse("checkpoint", None, "the folder of a run or of a checkpoint, unless evil=true")
        if self.checkpoint is not None:
            self.search.check_seconds("plies")
        elif self.judges and self.judge is None:
            expected = "the folder of a run or of a checkpoint, where checkpoint is null"
            raise refuse("placer.network", None, expected)

    @property
    def judges(self) -> bool:
        """Whether the values of a network say where tiles go."""
        return self.placer.kind == "adversary" and not self.placer.first_empty

    def action_values(self) -> ActionValues | None:
        """The action values of the player; None where another program plays."""
        if self.checkpoint is None:
            return None
        agent = load_agent(self.checkpoint)
        check_same_board(agent.rules, self.rules, "checkpoint")
        return agent.action_values(self.search)

    def tile_placer(self) -> TilePlacer | None:
        """Who puts the tiles; None where another program does."""
        return TilePlacer(self.rules, self.placer, self._judge(), self.seed) if self.evil else None

    def _judge(self) -> Player | None:
        """Whose values an adversary uses: `judge`, or else the player."""
        if not self.judges or self.judge is not None or self.checkpoint is None:
            return judge_of(self.judge, self.rules)
        player = load(self.checkpoint)
        check_same_board(player.rules, self.rules, "checkpoint")
        return player


SCHEMA = Schema(
    __name__,
    {
        **GAME,
        **TILES,
        **PLACER,
        **SEARCH,
        "size": Key(str),
        "plies": Key(int),
        **keys(MatchOptions, without=("rules", "search", "placer", "judge")),
    },
)


def job(cfg: DictConfig, _: JobContext) -> None:
    """Check everything, then answer the lines of standard input."""
    options = MatchOptions.of(cfg)
    if sys.stdin is None:
        raise ConfigError("match: standard input is closed")
    names = options.play_name, options.evil_name
    matches = Matches(options.rules, options.action_values(), options.tile_placer(), names)
    if options.announce is not None:
        streams.reply(f"name {options.announce}")
    lines = bounded_lines(sys.stdin.buffer)
    converse(matches, lines, streams.reply, lambda text: print(f"tdl: {text}", file=sys.stderr, flush=True))


def main() -> None:
    """The command `tdl match`."""
    run_program("match", job, SCHEMA)
