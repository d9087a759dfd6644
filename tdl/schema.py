"""The types of all keys of a run's configuration. The values stand in `conf/`; `tdl.config` checks them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING

from tdl.network.extras import COUNT_CAP


@dataclass
class GameConfig:
    """Which game."""

    name: str = MISSING


@dataclass
class TilesConfig:
    """The drop law and the start law."""

    drop: list[Any] = MISSING
    start: list[Any] = MISSING


@dataclass
class TuplesConfig:
    """The n-tuple network's shape. What a named set need not say has a default here."""

    cells: list[Any] = MISSING
    symmetries: bool = MISSING
    share: bool = MISSING
    radix: int | None = None
    orders: list[Any] = field(default_factory=list)
    counts: list[Any] = field(default_factory=list)
    count_cap: int = COUNT_CAP
    board: str | None = None


@dataclass
class LearnerConfig:
    """How the network learns."""

    target: str = MISSING
    order: str = MISSING
    td_lambda: float = MISSING
    n_step: int = MISSING
    step: str = MISSING
    alpha: float = MISSING
    schedule: Any = MISSING
    fixed_share: float = MISSING
    fixed_alpha: float = MISSING
    initial_value: float = MISSING
    epsilon: float = MISSING
    stages: list[Any] = MISSING
    stage_by: str = MISSING
    promotion: bool = MISSING
    start: str = MISSING
    restart_at: float = MISSING
    restart_moves: int = MISSING
    expectation: str = MISSING
    reward_shift: bool = MISSING
    stored_value: bool = MISSING
    update_symmetries: bool = MISSING
    rechoose: bool = MISSING
    clear_last: bool = MISSING


@dataclass
class PlacerConfig:
    """Who puts the tiles."""

    kind: str = MISSING
    depth: int = MISSING
    network: str | None = MISSING
    tile: str = MISSING
    first_empty: bool = MISSING


@dataclass
class SearchOptions:
    """How the player looks ahead, beside how far."""

    cutoff: float = MISSING
    by_empty: list[Any] = MISSING
    table: Any = MISSING
    downgrade: Any = MISSING
    seconds: float | None = MISSING
    against: str = MISSING


@dataclass
class SearchConfig(SearchOptions):
    """The same with how far, in training."""

    plies: int = MISSING


@dataclass
class BudgetConfig:
    """Further ends of a run."""

    seconds: float | None = MISSING
    moves: int | None = MISSING


@dataclass
class EvaluateConfig:
    """The games after training."""

    episodes: int = MISSING
    plies: int = MISSING
    average: int = MISSING
    solution: str | None = MISSING


@dataclass
class SaveConfig:
    """When checkpoints are written and how many stay."""

    every: int | None = MISSING
    seconds: float | None = MISSING
    keep: int = MISSING


@dataclass
class RunConfig:
    """All of `conf/run.yaml`."""

    game: GameConfig = field(default_factory=GameConfig)
    tiles: TilesConfig = field(default_factory=TilesConfig)
    tuples: TuplesConfig = field(default_factory=TuplesConfig)
    learner: LearnerConfig = field(default_factory=LearnerConfig)
    placer: PlacerConfig = field(default_factory=PlacerConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    size: str = MISSING
    engine: str = MISSING
    alpha: float | None = MISSING
    alpha_per: str = MISSING
    gamma: float = MISSING
    episodes: int = MISSING
    block: int = MISSING
    seed: int = MISSING
    lanes: Any = MISSING
    threads: int = MISSING
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)
    save: SaveConfig = field(default_factory=SaveConfig)
    resume: str | None = MISSING
