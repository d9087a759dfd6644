"""The configuration of a game on the terminal: its types, every check of a value. The values: `conf/play.yaml`.

Game, board and tile rule that are not given are those of the checkpoint.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from omegaconf import MISSING, DictConfig

from tdl.base.checks import above_zero, choice, whole
from tdl.config.compose import check_keys, composed, typed
from tdl.config.evaluate import filled
from tdl.config.files import group_file
from tdl.config.options import rules_of, search_of
from tdl.config.schema import GameConfig, SearchKeys, TilesConfig
from tdl.config.unused import refuse_changed, refuse_unused
from tdl.errors import refuse
from tdl.players.kinds import checkpoint_folder, kind_of, read_agent
from tdl.search.options import MAX_PLIES
from tdl.storage.checkpoint import Meta

FASTEST = 1000.0
"""Moves a second."""

THEMES = ("auto", "light", "dark")
"""Colours of the screen; auto: for the background that the terminal has."""


@dataclass
class PlayConfig:
    """All of `conf/play.yaml`."""

    game: GameConfig = field(default_factory=GameConfig)
    tiles: TilesConfig = field(default_factory=TilesConfig)
    search: SearchKeys = field(default_factory=SearchKeys)
    size: Any = MISSING
    checkpoint: str | None = MISSING
    plies: int = whole(MISSING, least=1, most=MAX_PLIES)
    seed: int | None = whole(MISSING, least=0, null=True)
    episode: int = whole(MISSING, least=0)
    watch: bool = MISSING
    speed: float = above_zero(MISSING, most=FASTEST)
    replay: str | None = MISSING
    record: str | None = MISSING
    theme: str = choice(MISSING, THEMES)


def read(cfg: DictConfig) -> PlayConfig:
    """The configuration Hydra composed, completed by the checkpoint's and with every value checked."""
    plain = composed(cfg)
    check_keys(plain, PlayConfig)
    meta = None if plain["checkpoint"] is None else read_agent(checkpoint_folder(plain["checkpoint"]))
    of_game = _usual() if meta is None else _trained(meta)
    for group in ("game", "tiles"):
        plain[group] = filled(plain[group], of_game[group])
    if plain["size"] is None:
        plain["size"] = of_game["size"]
    settings = typed(plain, PlayConfig)
    check(settings, meta)
    return settings


def _usual() -> dict[str, Any]:
    """What is played without a checkpoint, unless something else is given."""
    return {"game": group_file("game", "2048"), "tiles": group_file("tiles", "p90_10"), "size": "4x4"}


def _trained(meta: Meta) -> dict[str, Any]:
    told = meta["rules"]
    laws = {name: told[name] for name in ("drop", "start")}
    return {"game": {"name": told["game"]}, "tiles": laws, "size": f"{told['rows']}x{told['cols']}"}


def check(settings: PlayConfig, meta: Meta | None) -> None:
    """Check every value that does not need the agent itself; `meta` describes its checkpoint, if there is one."""
    rules_of(settings)
    search = search_of(settings.search, settings.plies)
    if settings.record is not None and Path(settings.record).exists() and not Path(settings.record).is_dir():
        raise refuse("record", settings.record, "a folder, or null: this is a file")
    if meta is None:
        _check_alone(settings)
    else:
        _check_agent(settings, meta)
        search.check_seconds("plies")


def _check_alone(settings: PlayConfig) -> None:
    """Refuse what only an agent has use for."""
    if settings.watch:
        raise refuse("watch", True, "false without a checkpoint: there is no agent to watch")
    usual = {"search": group_file("search", "expectimax"), "plies": 1}
    refuse_changed(dataclasses.asdict(settings), usual, ("plies", "search"), "no checkpoint")


def _check_agent(settings: PlayConfig, meta: Meta) -> None:
    """Refuse another game or board than the agent's, and a look ahead that it does not have."""
    trained = _trained(meta)
    games = settings.game.name, trained["game"]["name"]
    for key, (given, own) in {"game": games, "size": (settings.size, trained["size"])}.items():
        if given != own:
            raise refuse(key, given, f"{own}, that of the checkpoint")
    kind_of(meta).check_plies(settings.plies, "plies")


def refuse_beside_replay(keys: Sequence[str]) -> None:
    """Refuse keys named on the command line beside `replay`: a recorded game has its own."""
    why = "a recorded game has its own; only speed and theme go with replay"
    refuse_unused(dict.fromkeys(keys, ""), ("replay", "speed", "theme"), why)
