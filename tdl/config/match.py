"""The configuration of matches with other programs: types, every check of a value, the objects built from it."""

from dataclasses import dataclass, field

from omegaconf import MISSING, DictConfig

from tdl.base.checks import checked, flag, whole
from tdl.config.compose import typed
from tdl.config.options import evaluator_of, placer_of, rules_of, search_of
from tdl.config.schema import GameConfig, PlacerConfig, SearchKeys, TilesConfig
from tdl.errors import refuse
from tdl.game.rules import Rules
from tdl.players.kinds import ActionValues, load_agent
from tdl.players.player import Player, load
from tdl.search.options import MAX_PLIES, check_same_board
from tdl.sessions.two_player_protocol import TilePlacer

MAX_CELLS = 16
"""Of a board: the protocol has four bits for the number of a cell."""


def _check_name(key: str, name: str) -> None:
    if not name or set(name) & set(": \t\n"):
        raise refuse(key, name, "a name without spaces and colons")


@dataclass
class MatchConfig:
    """All of `conf/match.yaml`."""

    game: GameConfig = field(default_factory=GameConfig)
    tiles: TilesConfig = field(default_factory=TilesConfig)
    placer: PlacerConfig = field(default_factory=PlacerConfig)
    search: SearchKeys = field(default_factory=SearchKeys)
    size: str = MISSING
    checkpoint: str | None = MISSING
    plies: int = whole(MISSING, least=1, most=MAX_PLIES)
    evil: bool = flag(MISSING)
    seed: int = whole(MISSING, least=0)
    play_name: str | None = checked(MISSING, _check_name, null=True)
    evil_name: str | None = checked(MISSING, _check_name, null=True)
    announce: str | None = checked(MISSING, _check_name, null=True)


def read(cfg: DictConfig) -> MatchConfig:
    """The configuration Hydra composed, with every value checked."""
    settings = typed(cfg, MatchConfig)
    if (board := rules_of(settings)).cells > MAX_CELLS:
        raise refuse("size", settings.size, f"a board of at most {MAX_CELLS} cells; the protocol has no room for more")
    if settings.checkpoint is None and not settings.evil:
        raise refuse("checkpoint", None, "the folder of a run or of a checkpoint, unless evil=true")
    placer_of(settings.placer)
    search = search_of(settings.search, settings.plies)
    if settings.checkpoint is not None:
        search.check_seconds("plies")
    if settings.placer.kind == "adversary" and not settings.placer.first_empty and _evaluator(settings, board) is None:
        raise refuse("placer.network", None, "the folder of a run or of a checkpoint, where checkpoint is null")
    return settings


def action_values(settings: MatchConfig) -> ActionValues | None:
    """The action values of the player; None where another program plays."""
    if settings.checkpoint is None:
        return None
    agent = load_agent(settings.checkpoint)
    check_same_board(agent.rules, rules_of(settings), "checkpoint")
    return agent.action_values(search_of(settings.search, settings.plies))


def placer(settings: MatchConfig) -> TilePlacer | None:
    """Who puts the tiles; None where another program does."""
    if not settings.evil:
        return None
    board = rules_of(settings)
    return TilePlacer(board, placer_of(settings.placer), _evaluator(settings, board), settings.seed)


def _evaluator(settings: MatchConfig, board: Rules) -> Player | None:
    """Whose values an adversary uses."""
    if settings.placer.kind == "random" or settings.placer.first_empty:
        return None
    if settings.placer.network is None and settings.checkpoint is not None:
        player = load(settings.checkpoint)
        check_same_board(player.rules, board, "checkpoint")
        return player
    return evaluator_of(settings.placer.network, board)
