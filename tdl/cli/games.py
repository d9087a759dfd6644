"""Games move by move for NumPy: `tdl games FOLDER OUT.npz games=1000`. All keys: `conf/games.yaml`."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import MISSING, DictConfig

from tdl.base.checks import MAX_COUNT, check_fields, whole
from tdl.cli.evaluate import checkpoints_of, described, playing_agent
from tdl.cli.export import check_target
from tdl.cli.folders import say_small
from tdl.cli.program import run_program
from tdl.config.compose import Key, Schema, keys, options_of
from tdl.errors import ConfigError, refuse
from tdl.game.rules import Rules
from tdl.players.batch_play import ValuesOfMoves
from tdl.players.kinds import kind_of
from tdl.players.move_file import values_of_moves, write_moves
from tdl.players.player import Player
from tdl.runs.disk_space import size_text
from tdl.runs.interrupts import Interrupts
from tdl.runs.progress import Progress
from tdl.search.options import MAX_PLIES, SearchOptions
from tdl.sessions.session import can_be_recorded
from tdl.storage.atomic import new_file
from tdl.storage.records import Records, check_episodes
from tdl.sweeps.job import JobContext


@dataclass(frozen=True)
class GamesOptions:
    """Which games, and the file they are written to."""

    out: str | None = MISSING
    games: int = whole(MISSING, least=1, most=MAX_COUNT)
    plies: int = whole(MISSING, least=1, most=MAX_PLIES)
    seed: int = whole(MISSING, least=0)

    def __post_init__(self) -> None:
        check_fields(self)
        check_episodes(self.games, key="games")
        if self.out is None:
            raise ConfigError("out: missing; name the file to make, as games.npz")
        if not self.out.endswith(".npz"):
            raise refuse("out", self.out, "the file to make, as games.npz")


SCHEMA = Schema(__name__, {"checkpoint": Key(Any), **keys(GamesOptions)})


def job(cfg: DictConfig, _: JobContext) -> None:
    """Check everything, play, and leave the file."""
    values = SCHEMA.read(cfg)
    options, metas = options_of(GamesOptions, "", values), described(values["checkpoint"])
    check_target(out := Path(options.out or ""))
    kind_of(metas[0]).check_plies(options.plies, "plies")
    say_small(values["checkpoint"])
    agent, search = playing_agent(metas), SearchOptions(options.plies)
    agent.use_threads(1)  # as `tdl evaluate` without the key
    if isinstance(agent, Player) and not can_be_recorded(agent, search):
        raise refuse("plies", options.plies, "1 for a network of states that was trained with a table of the drops")
    source = {"checkpoints": checkpoints_of(metas), "seed": options.seed, "plies": options.plies}
    about = {"rules": agent.rules.to_dict(), "source": source}
    records = play(agent.rules, values_of_moves(agent, search), options, out, about)
    moves, size = int(records["moves"].sum()), size_text(out.stat().st_size)
    print(f"{out}: {moves:,} moves of {len(records):,} games, mean score {records['score'].mean():,.0f}, {size}")


def play(
    rules: Rules, values_of: ValuesOfMoves, options: GamesOptions, out: Path, about: Mapping[str, Any]
) -> Records:
    """Play, show how far it is, and leave the file `out`, or nothing where a signal stops it."""
    progress = Progress("games", options.games, "moves")
    with closing(progress), Interrupts("soon") as interrupts, new_file(out) as file:

        def on_progress(finished: int, moves: int) -> None:
            progress.update(finished, moves)
            interrupts.stop()

        return write_moves(file, rules, values_of, options.games, options.seed, about, on_progress)


def main() -> None:
    """The command `tdl games`."""
    run_program("games", job, SCHEMA, alone="one file is made at a time")
