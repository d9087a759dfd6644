"""The configuration of the server: its types, every check of a value. The values stand in `conf/serve.yaml`."""

from dataclasses import dataclass
from pathlib import Path

from omegaconf import MISSING, DictConfig

from tdl.checks import above_zero, check_fields, flag, whole
from tdl.config.compose import composed, typed
from tdl.errors import refuse

MAX_SECONDS = 60.0
"""That a page may have to wait for a move."""

MAX_SESSIONS = 1000


@dataclass
class ServeConfig:
    """All of `conf/serve.yaml`."""

    checkpoint: str | None = MISSING
    folder: str = MISSING
    host: str = MISSING
    port: int = whole(MISSING, least=0, most=(1 << 16) - 1)
    sessions: int = whole(MISSING, least=1, most=MAX_SESSIONS)
    seconds: float = above_zero(MISSING, most=MAX_SECONDS)
    open: bool = flag(MISSING)


def read(cfg: DictConfig) -> ServeConfig:
    """The configuration Hydra composed, with every value checked that needs neither a socket nor a checkpoint."""
    settings = typed(composed(cfg), ServeConfig)
    check(settings)
    return settings


def check(settings: ServeConfig) -> None:
    """Check every value that needs neither a socket nor a checkpoint."""
    folder = Path(settings.folder)
    if not folder.is_dir():
        raise refuse("folder", settings.folder, "a folder that is there; all in it may be read, and nothing else")
    if settings.checkpoint is not None:
        _check_below(settings.checkpoint, folder)
    check_fields(settings)


def _check_below(checkpoint: str, folder: Path) -> None:
    given = Path(checkpoint).resolve()
    if not given.is_relative_to(folder.resolve()):
        raise refuse("checkpoint", checkpoint, f"one below folder, {folder}; add folder={given.parent}")
