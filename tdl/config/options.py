"""The options that sections of a configuration stand for, whatever the program."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tdl.config.schema import GameConfig, PlacerConfig, SearchConfig, SearchKeys, TilesConfig
from tdl.errors import within
from tdl.game.rules import Rules, parse_size
from tdl.players.player import Player, load
from tdl.search.options import PlacerOptions, SearchOptions, check_same_board
from tdl.training.options import PlayOptions

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")


class OfGame(Protocol):
    """What the configuration of each program says of the game."""

    game: GameConfig
    tiles: TilesConfig
    size: str


class OfGames(Protocol):
    """What the configuration says of how games are played."""

    seed: int
    lanes: Any
    threads: int
    engine: str
    search: Any
    placer: PlacerConfig


def options_of(cls: type[Options], name: str, section: DataclassInstance, **beside: Any) -> Options:
    """The options that a section of this name configures; what they refuse is a key of it.

    Parameters
    ----------
    beside : values whose keys stand elsewhere.
    """
    names = [each.name for each in dataclasses.fields(cls) if each.name not in beside]
    with within(name, [each.name for each in dataclasses.fields(section)]):
        return cls(**{each: getattr(section, each) for each in names}, **beside)


def rules_of(config: OfGame) -> Rules:
    """The game's rules."""
    rows, cols = parse_size(config.size)
    return Rules(config.game.name, rows, cols, drop=tuple(config.tiles.drop), start=tuple(config.tiles.start))


def search_of(section: SearchKeys | SearchConfig, plies: int) -> SearchOptions:
    """How the player looks `plies` moves ahead."""
    return options_of(SearchOptions, "search", section, plies=plies)


def placer_of(section: PlacerConfig) -> PlacerOptions:
    """Who puts the tiles."""
    placer = options_of(PlacerOptions, "placer", section)
    if section.network is not None:
        placer.check_judged()
    return placer


def play_of(config: OfGames, plies: int) -> PlayOptions:
    """How games are played, but for the values by which an adversary judges, which are a file."""
    search, placer = search_of(config.search, plies), placer_of(config.placer)
    return PlayOptions(config.seed, config.lanes, config.threads, config.engine, search, placer)


def evaluator_of(network: str | None, rules: Rules) -> Player | None:
    """The player whose values an adversary uses in games of these rules; None: those of the player it faces."""
    if network is None:
        return None
    player = load(network)
    check_same_board(player.rules, rules)
    return player
