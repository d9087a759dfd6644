"""The configuration of the server: its types, every check of a value. The values are in `conf/serve.yaml`."""

from dataclasses import dataclass
from pathlib import Path

from omegaconf import MISSING, DictConfig

from tdl.base.checks import above_zero, flag, whole
from tdl.config.compose import typed
from tdl.errors import refuse


@dataclass
class ServeConfig:
    """All of `conf/serve.yaml`."""

    checkpoint: str | None = MISSING
    folder: str = MISSING
    host: str = MISSING
    port: int = whole(MISSING, least=0, most=(1 << 16) - 1)
    sessions: int = whole(MISSING, least=1, most=1000)
    seconds: float = above_zero(MISSING, most=60.0)  # that a page may have to wait for a move
    open: bool = flag(MISSING)


def read(cfg: DictConfig) -> ServeConfig:
    """The configuration Hydra composed, with every value checked that needs neither a socket nor a checkpoint."""
    settings = typed(cfg, ServeConfig)
    folder = Path(settings.folder)
    if not folder.is_dir():
        raise refuse("folder", settings.folder, "a folder that is there; all in it may be read, and nothing else")
    if settings.checkpoint is not None:
        given = Path(settings.checkpoint).resolve()
        if not given.is_relative_to(folder.resolve()):
            raise refuse("checkpoint", settings.checkpoint, f"one below folder, {folder}; add folder={given.parent}")
    return settings
