"""The configuration of the exact solver: its types, every check of a value. The values are in `conf/solve.yaml`."""

import dataclasses
from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING, DictConfig

from tdl.config.compose import typed
from tdl.config.options import rules_of
from tdl.config.schema import GameConfig, TilesConfig
from tdl.config.unused import refuse_unused
from tdl.errors import refuse
from tdl.solver.solution import check_objective


@dataclass
class SolveConfig:
    """All of `conf/solve.yaml`."""

    game: GameConfig = field(default_factory=GameConfig)
    tiles: TilesConfig = field(default_factory=TilesConfig)
    size: str = MISSING
    objective: str = MISSING
    tile: int | None = MISSING
    fold: bool = MISSING
    solution: str | None = MISSING
    query: str | None = MISSING


def read(cfg: DictConfig) -> SolveConfig:
    """The configuration Hydra composed, with every value checked that counts."""
    settings = typed(cfg, SolveConfig)
    if settings.solution is not None and settings.query is None:
        raise refuse("query", None, "the name of a file of boards, with solution=FOLDER")
    if settings.query is not None and settings.solution is None:
        raise refuse("solution", None, "the folder of a solved game, with query=FILE")
    if settings.solution is None:
        check_objective(rules_of(settings), settings.objective, settings.tile)
    return settings


def refuse_named(keys: list[str]) -> None:
    """Refuse keys named on the command line beside `solution` and `query`: the solution has its own."""
    why = "a solution has its own rules and objective; only query goes with solution"
    refuse_unused(dict.fromkeys(keys, ""), ("solution", "query"), why)


def to_plain(settings: SolveConfig) -> dict[str, Any]:
    """The configuration as plain dictionaries, without what belongs to questions."""
    return {key: value for key, value in dataclasses.asdict(settings).items() if key not in ("solution", "query")}
