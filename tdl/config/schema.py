"""The types of all keys of a run's configuration. The values stand in `conf/`; `tdl.config` checks them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from omegaconf import MISSING

from tdl.network.extra_features import COUNT_CAP


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
class SearchKeys:
    """How the player looks ahead, beside how far."""

    cutoff: float = MISSING
    by_empty: list[Any] = MISSING
    table: Any = MISSING
    downgrade: Any = MISSING
    seconds: float | None = MISSING
    against: str = MISSING


@dataclass
class SearchConfig(SearchKeys):
    """The same with how far, in training."""

    plies: int = MISSING


@dataclass
class AgentConfig:
    """Who learns and plays; all but `kind` is of the deep Q-learner, and null where another one is."""

    kind: str = MISSING
    network: str | None = None
    width: int | None = None
    input: str | None = None
    planes: int | None = None
    values_of: str | None = None
    scale: float | None = None
    symmetries: bool | None = None
    target_network: int | None = None
    double: bool | None = None
    masked: bool | None = None
    n_step: int | None = None
    last_reward: bool | None = None
    games: int | None = None
    greedy_every: int | None = None
    logged: bool | None = None
    epsilon_first: float | None = None
    epsilon: float | None = None
    epsilon_games: int | None = None
    epsilon_decay: str | None = None
    replay: int | None = None
    least: int | None = None
    learn: str | None = None
    newest: int | None = None
    older: int | None = None
    epochs: int | None = None
    every: int | None = None
    batch: int | None = None
    optimiser: str | None = None
    rate: float | None = None
    precision: str | None = None
    loss: str | None = None
    device: str | None = None


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
    drops: str = MISSING
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
    agent: AgentConfig = field(default_factory=AgentConfig)
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
