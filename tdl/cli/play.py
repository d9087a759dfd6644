"""Games on the terminal: `tdl play checkpoint=FOLDER watch=true`. All keys: `conf/play.yaml`."""

from __future__ import annotations

import os
import secrets
import sys
from typing import TYPE_CHECKING

from omegaconf import DictConfig

from tdl.cli.program import run_program
from tdl.config import play as play_config
from tdl.config.options import rules_of, search_of
from tdl.config.play import PlayConfig
from tdl.errors import ConfigError, Interrupted
from tdl.players.kinds import agent_of, checkpoint_folder, read_agent
from tdl.sessions import game_file
from tdl.sweeps.context import JobContext
from tdl.terminal.background import is_light
from tdl.terminal.colours import DARK, LIGHT, Colours

if TYPE_CHECKING:
    from tdl.terminal.app import GameApp
    from tdl.terminal.play import PlayApp

SEEDS = 10**6
"""Drawn ones are below: short enough to be typed again."""


def job(cfg: DictConfig, context: JobContext) -> None:
    """Check everything; then play, or show a recorded game."""
    settings = play_config.read(cfg)
    if settings.replay is not None:
        play_config.refuse_beside_replay(context.keys)
        game = game_file.load(settings.replay)
        check_terminal()
        from tdl.terminal.recorded import RecordedGameApp  # not at the top: it needs Textual

        show(RecordedGameApp(game, settings.speed, colours(settings.theme)))
        return
    play(settings)


def play(settings: PlayConfig) -> None:
    """Play games, keep those of the person, and print their files."""
    board_rules = rules_of(settings)
    options, agent, meta = search_of(settings.search, settings.plies), None, None
    if settings.checkpoint is not None:
        folder = checkpoint_folder(settings.checkpoint)
        meta = read_agent(folder)
        agent = agent_of(folder, meta, board_rules)
        agent.action_values(options)  # refuses a search it cannot do before the screen begins
    check_terminal()
    from tdl.terminal.play import PlayApp  # not at the top: it needs Textual

    app = PlayApp(
        board_rules,
        seed=secrets.randbelow(SEEDS) if settings.seed is None else settings.seed,
        episode=settings.episode,
        agent=agent,
        meta=meta,
        search=options,
        watch=settings.watch,
        speed=settings.speed,
        folder=game_file.GameFolder(settings.record),
        colours=colours(settings.theme),
    )
    try:
        show(app)
    finally:
        farewell(app)


def colours(theme: str) -> Colours:
    """The colours of the screen; where they are not said the terminal is asked for its background."""
    return LIGHT if theme == "light" or (theme == "auto" and is_light()) else DARK


def farewell(app: PlayApp) -> None:
    """Print the last game and the files of kept games, after the screen."""
    app.keep()  # an exception may have ended the screen
    session = app.session
    if session.moves:
        print(f"score {session.score:,}, {len(session.moves):,} moves, tile {session.max_tile:,}", end="")
        print(f", seed={session.seed} episode={session.episode}")
    for path in app.saved:
        print(f"saved {path}")
    if app.trouble is not None:
        raise app.trouble


def check_terminal() -> None:
    """Refuse to begin where there is no screen and no keyboard."""
    for name, stream in (("input", sys.stdin), ("output", sys.stdout), ("error output", sys.stderr)):
        if stream is None or not stream.isatty():
            raise ConfigError(f"no terminal: standard {name} is a file or a pipe; play in a terminal window")
    if os.environ.get("TERM") == "dumb":
        raise ConfigError("no terminal: TERM=dumb cannot place characters; play in another terminal")
    from tdl.terminal import textual as extra  # noqa: F401 - it complains where Textual is missing


def show(app: GameApp) -> None:
    """Have the screen until the program is left."""
    code = app.run(mouse=False)
    if app.return_code:  # a fault of the program, which Textual has shown
        sys.exit(app.return_code)
    if code:
        raise Interrupted("interrupted", code)


def main() -> None:
    """The command `tdl play`."""
    run_program("play", job, PlayConfig, alone="there is one terminal, so there is one game; leave -m out")
