"""Games on the terminal: `tdl play checkpoint=FOLDER watch=true`. All keys: `conf/play.yaml`."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from omegaconf import MISSING, DictConfig

from tdl.base.checks import above_zero, check_fields, choice, whole
from tdl.base.distribution import install
from tdl.cli.folders import say_small
from tdl.cli.program import run_program
from tdl.config.agent import refuse_changed, refuse_unused
from tdl.config.compose import Key, Schema, keys, options_of
from tdl.config.files import group_file, plain_dict
from tdl.config.schema import GAME, SEARCH, TILES, filled, rules_of
from tdl.errors import ConfigError, Interrupted, refuse
from tdl.game.rules import Rules
from tdl.players.kinds import SMALL, Kind, agent_of, checkpoint_folder, kind_of, read_agent
from tdl.search.options import SearchOptions
from tdl.sessions import game_file
from tdl.sessions.game_file import GameFolder
from tdl.sweeps.job import JobContext
from tdl.terminal.background import is_light

if TYPE_CHECKING:
    from tdl.terminal.app import GameApp
    from tdl.terminal.play_screen import PlayApp

SEEDS = 10**6
"""Drawn ones are below: short enough to be typed again."""

FASTEST = 1000.0
"""Moves a second."""

THEMES = ("auto", "light", "dark")
"""Colours of the screen; auto: for the background that the terminal has."""


@dataclass(frozen=True, kw_only=True)
class GameOptions:
    """What is played or shown; `kind` is that of the agent, None without one."""

    checkpoint: str | None = MISSING
    seed: int | None = whole(MISSING, least=0, null=True)
    episode: int = whole(MISSING, least=0)
    watch: bool = MISSING
    speed: float = above_zero(MISSING, most=FASTEST)
    replay: str | None = MISSING
    record: str | None = MISSING
    theme: str = choice(MISSING, THEMES)
    rules: Rules
    search: SearchOptions
    kind: Kind | None

    @classmethod
    def of(cls, cfg: DictConfig) -> Self:
        """The options that Hydra composed; game, board and tile rule are those of the checkpoint unless given."""
        values = plain_dict(cfg, resolve=True)
        SCHEMA.check_names(values)
        game, kind = WITHOUT_CHECKPOINT, None
        if values["checkpoint"] is None and _is_usual(values) and values["replay"] is None:
            values["checkpoint"] = SMALL
        if values["checkpoint"] is not None:
            meta = read_agent(checkpoint_folder(values["checkpoint"]))
            game, kind = _game_of(meta["rules"]), kind_of(meta)
        for group in ("game", "tiles"):
            values[group] = filled(values[group], game[group])
        if values["size"] is None:
            values["size"] = game["size"]
        values = SCHEMA.read(values)
        rules = rules_of(values)
        search = options_of(SearchOptions, "search", values["search"], plies=values["plies"])
        if kind is None:
            usual = {"search": group_file("search", "expectimax"), "plies": 1}
            refuse_changed(values, usual, ("plies", "search"), "no checkpoint")
        else:
            _check_board(values, game)
        return options_of(cls, "", values, rules=rules, search=search, kind=kind)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.record is not None and Path(self.record).exists() and not Path(self.record).is_dir():
            raise refuse("record", self.record, "a folder, or null: this is a file")
        if self.kind is None:
            if self.watch:
                raise refuse("watch", True, "false without a checkpoint: there is no agent to watch")
        else:
            self.kind.check_plies(self.search.plies, "plies")
            self.search.check_seconds("plies")


SCHEMA = Schema(
    __name__,
    {
        **GAME,
        **TILES,
        **SEARCH,
        "size": Key(str | None),
        "plies": Key(int),
        **keys(GameOptions, without=("rules", "search", "kind")),
    },
)


def _game_of(rules: Mapping[str, Any]) -> dict[str, Any]:
    """The game of a checkpoint by its keys."""
    laws = {name: rules[name] for name in ("drop", "start")}
    return {"game": {"name": rules["game"]}, "tiles": laws, "size": f"{rules['rows']}x{rules['cols']}"}


WITHOUT_CHECKPOINT = _game_of(Rules().to_dict())
"""What is played where nothing is given."""


def _is_usual(values: Mapping[str, Any]) -> bool:
    """Whether game and board are the usual ones, which the network in the package knows."""
    usual = WITHOUT_CHECKPOINT
    return filled(values["game"], usual["game"]) == usual["game"] and values["size"] in (None, usual["size"])


def _check_board(values: Mapping[str, Any], game: Mapping[str, Any]) -> None:
    """Refuse another game or board than the agent's."""
    names = values["game"]["name"], game["game"]["name"]
    for key, (wanted, trained) in {"game": names, "size": (values["size"], game["size"])}.items():
        if wanted != trained:
            raise refuse(key, wanted, f"{trained}, that of the checkpoint")


def job(cfg: DictConfig, context: JobContext) -> None:
    """Check everything; then play, or show a recorded game."""
    options = GameOptions.of(cfg)
    if options.replay is not None:
        why = "a recorded game has its own; only speed and theme go with replay"
        refuse_unused(dict.fromkeys(context.keys, ""), ("replay", "speed", "theme"), why)
        game = game_file.load(options.replay)
        check_terminal()
        from tdl.terminal.recorded import RecordedGameApp  # not at the top: it needs Textual

        show(RecordedGameApp(game, options.speed, shown_theme(options.theme)))
        return
    play(options, cfg.checkpoint)


def play(options: GameOptions, named: str | None) -> None:
    """Play games, keep those of the person, and print their files. `named` is the checkpoint of the command line."""
    agent, meta = None, None
    if options.checkpoint is not None:
        folder = checkpoint_folder(options.checkpoint)
        meta = read_agent(folder)
        agent = agent_of(folder, meta, options.rules)
        agent.action_values(options.search)  # refuses a search it cannot do before the screen begins
    check_terminal()
    if agent is not None:
        say_small(named)
    from tdl.terminal.play_screen import PlayApp  # not at the top: it needs Textual

    app = PlayApp(
        options.rules,
        seed=secrets.randbelow(SEEDS) if options.seed is None else options.seed,
        episode=options.episode,
        agent=agent,
        meta=meta,
        search=options.search,
        watch=options.watch,
        speed=options.speed,
        folder=GameFolder(options.record),
        theme=shown_theme(options.theme),
    )
    try:
        show(app)
    finally:
        print_summary(app)


def shown_theme(theme: str) -> str:
    """The theme of the screen; for `auto` the terminal is asked for its background."""
    if theme == "auto":
        return "light" if is_light() else "dark"
    return theme


def print_summary(app: PlayApp) -> None:
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
    if find_spec("textual") is None:
        raise ConfigError(f"the screen needs Textual, which is not installed: {install('play')}")


def show(app: GameApp) -> None:
    """Have the screen until the program is left."""
    code = app.run(mouse=False)
    if app.return_code:  # a fault of the program, which Textual has shown
        sys.exit(app.return_code)
    if code:
        raise Interrupted("interrupted", code)


def main() -> None:
    """The command `tdl play`."""
    run_program("play", job, SCHEMA, alone="there is one terminal, so there is one game; leave -m out")
