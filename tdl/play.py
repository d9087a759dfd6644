"""Games on the terminal: `python -m tdl.play checkpoint=FOLDER watch=true`. All keys: `conf/play.yaml`."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from tdl import gamefiles, playconfig
from tdl.config import rules, searching_of
from tdl.errors import ConfigError, Interrupted
from tdl.gamefolder import GameFolder
from tdl.playconfig import PlayConfig
from tdl.program import explicit_keys, run_program
from tdl.thinking import thinker

if TYPE_CHECKING:
    from tdl.terminal.base import GameApp
    from tdl.terminal.playing import PlayApp

SEEDS = 10**6
"""Drawn ones are below: short enough to be typed again."""


def job(cfg: DictConfig, folder: Path) -> None:
    """Check everything; then play, or show a recorded game."""
    settings = playconfig.read(cfg)
    if settings.replay is not None:
        playconfig.refuse_beside_replay(explicit_keys())
        game = gamefiles.load(settings.replay)
        check_terminal()
        from tdl.terminal.replay import ReplayApp  # not at the top: it needs Textual

        show(ReplayApp(game, settings.speed))
        return
    play(settings)


def play(settings: PlayConfig) -> None:
    """Play games, leave those of the person, and say where they are.

    Raises
    ------
    Interrupted : by a signal; the game is kept.
    OSError : the last game could not be kept.
    """
    played = rules(settings)
    agent = None if settings.checkpoint is None else thinker(settings.checkpoint, played)
    searching = searching_of(settings.search, settings.plies)
    if agent is not None:
        agent.at(searching)  # what it cannot do is said before the screen begins
    check_terminal()
    from tdl.terminal.playing import PlayApp  # not at the top: it needs Textual

    app = PlayApp(
        played,
        seed=secrets.randbelow(SEEDS) if settings.seed is None else settings.seed,
        episode=settings.episode,
        thinker=agent,
        searching=searching,
        watch=settings.watch,
        speed=settings.speed,
        folder=GameFolder(settings.record),
    )
    try:
        show(app)
    finally:
        farewell(app)


def farewell(app: PlayApp) -> None:
    """What is on the terminal after the screen: the last game, and where games are.

    Raises
    ------
    OSError : the last game could not be kept.
    """
    app.keep()  # where a fault of the program ended it
    session = app.session
    if session.moves:
        print(f"score {session.score:,}, {len(session.moves):,} moves, tile {session.max_tile:,}", end="")
        print(f", seed={session.seed} episode={session.episode}")
    for path in app.saved:
        print(f"saved {path}")
    if app.trouble is not None:
        raise app.trouble


def check_terminal() -> None:
    """Refuse to begin where there is no screen and no keyboard.

    Raises
    ------
    ConfigError : says what is missing.
    """
    for name, stream in (("input", sys.stdin), ("output", sys.stdout), ("error output", sys.stderr)):
        if stream is None or not stream.isatty():
            raise ConfigError(f"no terminal: standard {name} is a file or a pipe; play in a terminal window")
    if os.environ.get("TERM") == "dumb":
        raise ConfigError("no terminal: TERM=dumb cannot place characters; play in another terminal")
    from tdl.terminal import extra  # noqa: F401 - it complains where Textual is missing


def show(app: GameApp) -> None:
    """Have the screen until the program is left.

    Raises
    ------
    Interrupted : by a signal.
    """
    code = app.run(mouse=False)
    if app.return_code:  # a fault of the program, which Textual has shown
        sys.exit(app.return_code)
    if code:
        raise Interrupted("interrupted", code)


def main() -> None:
    """The console script `tdl-play`."""
    if {"-m", "--multirun"} & set(sys.argv[1:]):
        print("tdl: -m: there is one terminal, so there is one game; leave -m out", file=sys.stderr)
        sys.exit(2)
    run_program("play", job, PlayConfig)


if __name__ == "__main__":
    main()
