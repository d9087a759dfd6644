"""The configuration of an evaluation: its types, every check of a value, and the objects built from it.

The values are in `conf/evaluate.yaml`. Keys of `tiles` and `placer` that are not given are those of the checkpoint.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from omegaconf import MISSING, DictConfig

from tdl.base.checks import choice, whole
from tdl.config.agent import check_drops
from tdl.config.compose import check_keys, composed, to_plain, typed
from tdl.config.files import group_file
from tdl.config.options import play_of
from tdl.config.schema import DROPS, PlacerConfig, SearchKeys, TilesConfig
from tdl.config.sections import key_of
from tdl.config.stored import stored_placer
from tdl.config.unused import refuse_changed
from tdl.errors import naming, refuse
from tdl.game.rules import Rules
from tdl.players.ensemble import average
from tdl.players.kinds import Agent, agent_of, checkpoint_folder, kind_of, read_agent
from tdl.players.player import playing_by
from tdl.search.options import MAX_PLIES
from tdl.storage.checkpoint import META, Meta
from tdl.training.options import PlayOptions


@dataclass
class GamesConfig:
    """The games."""

    episodes: int = whole(MISSING, least=1)
    plies: int = whole(MISSING, least=1, most=MAX_PLIES)
    drops: str = choice(MISSING, DROPS)
    record: int = whole(MISSING, least=0)
    mistakes: int | None = whole(MISSING, least=1, most=MAX_PLIES, null=True)


@dataclass
class EvaluationConfig:
    """All of `conf/evaluate.yaml`."""

    tiles: TilesConfig = field(default_factory=TilesConfig)
    placer: PlacerConfig = field(default_factory=PlacerConfig)
    search: SearchKeys = field(default_factory=SearchKeys)
    checkpoint: Any = MISSING
    seed: int = key_of(PlayOptions, "seed")
    threads: int = key_of(PlayOptions, "threads")
    lanes: Any = key_of(PlayOptions, "lanes")
    engine: str = key_of(PlayOptions, "engine")
    evaluate: GamesConfig = field(default_factory=GamesConfig)


def read(cfg: DictConfig) -> tuple[EvaluationConfig, list[Meta]]:
    """The configuration, completed by the checkpoint's and checked, and the description of each checkpoint.

    Each description has the `folder` of its checkpoint added.
    """
    plain = composed(cfg)
    check_keys(plain, EvaluationConfig)
    metas = _described(plain["checkpoint"])
    laws = {name: metas[0]["rules"][name] for name in ("drop", "start")}
    plain |= {"tiles": filled(plain["tiles"], laws), "placer": filled(plain["placer"], _placer_of(metas[0]))}
    settings = typed(plain, EvaluationConfig)
    check(settings)
    check_agent(settings, metas)
    return settings, metas


def _described(checkpoint: Any) -> list[Meta]:
    named = checkpoint if isinstance(checkpoint, list) and checkpoint else [checkpoint]
    for each in named:
        if not isinstance(each, str):
            raise refuse("checkpoint", each, "the folder of a run or of a checkpoint, as outputs/FOLDER, or a list")
    folders = [checkpoint_folder(each) for each in named]
    return [read_agent(folder) | {"folder": folder} for folder in folders]


def _placer_of(meta: Meta) -> dict[str, Any]:
    """Who put the tiles in the training: the drop law, where no run of ours trained it."""
    with naming(meta["folder"] / META):
        stored = stored_placer(meta.get("config", {}))
    return group_file("placer", "random") if stored is None else stored


def filled(given: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """What is given, and the rest as stored."""
    return {**stored, **{key: value for key, value in given.items() if value != MISSING}}


def check(settings: EvaluationConfig) -> None:
    """Check every value that does not need the network. Laws are checked by `Rules`."""
    games, key = settings.evaluate, "evaluate.record"
    play_of(settings, games.plies).search.check_seconds("evaluate.plies")
    if games.record > games.episodes:
        raise refuse(key, games.record, f"at most evaluate.episodes, {games.episodes}")
    if games.record and settings.placer.kind != "random":
        raise refuse(key, games.record, "0 unless placer.kind=random: only the drop law can be played again")
    if games.record and settings.search.seconds is not None:
        raise refuse(key, games.record, "0 unless search.seconds=null: what the clock decides cannot be played again")
    if games.mistakes is None:
        return
    if not games.record:
        raise refuse("evaluate.mistakes", games.mistakes, "null unless evaluate.record is above 0")
    if games.mistakes <= games.plies:
        raise refuse("evaluate.mistakes", games.mistakes, f"more than evaluate.plies, {games.plies}")


def check_agent(settings: EvaluationConfig, metas: list[Meta]) -> None:
    """Refuse what the agent of the checkpoint does not do, or has no use for."""
    kind, games = kind_of(metas[0]), settings.evaluate
    check_drops(games.drops, games.plies)
    kind.check_plies(games.plies)
    if kind.tables and games.drops == "all":
        return
    by = "evaluate.drops=one" if kind.tables else f"an agent of kind {kind.name}"
    usual = {"search": group_file("search", "expectimax"), "lanes": "auto"}
    refuse_changed(to_plain(settings), usual, ("search", "lanes"), by)
    if settings.placer.kind != "random":
        raise refuse("placer.kind", settings.placer.kind, f"random with {by}")
    if games.record:
        raise refuse("evaluate.record", games.record, f"0 with {by}")
    if len(metas) > 1 and not kind.tables:  # weights of other agents have no meaning in the mean
        raise refuse("checkpoint", settings.checkpoint, f"one with {by}")


def rules(settings: EvaluationConfig, meta: Meta) -> Rules:
    """The rules that are played by: those of the checkpoint, with the tile rule of the configuration."""
    return dataclasses.replace(
        Rules.from_dict(meta["rules"]), drop=tuple(settings.tiles.drop), start=tuple(settings.tiles.start)
    )


def agent(metas: list[Meta], played: Rules) -> Agent:
    """The agent of the checkpoint, or of the mean of several, in games of the rules `played`."""
    folders: list[Path] = [meta["folder"] for meta in metas]
    if len(folders) > 1:
        return playing_by(average(folders), played)
    return agent_of(folders[0], metas[0], played, copy=True)
