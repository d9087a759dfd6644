"""Composes the jobs of a sweep, each setting once: another seed alone is put in its place."""

import pickle
import re
import zlib
from collections.abc import Sequence
from typing import Any

from hydra.core.config_loader import ConfigLoader
from omegaconf import DictConfig, OmegaConf, read_write

SEED = re.compile(r"seed=\d+")


class JobLoader:
    """In the place of Hydra's loader, which composes some eight configurations a second.

    What is composed is kept for the same job again, and for other seeds. Packed it takes some kilobytes.

    Attributes
    ----------
    keep_weights, pause_at : what the sweep says to all its jobs, as soon as it knows.
    """

    def __init__(self, loader: ConfigLoader, keep_weights: bool | None = None, pause_at: float = 1.0) -> None:
        self.loader, self.keep_weights, self.pause_at = loader, keep_weights, pause_at
        self.packed: dict[tuple[str, ...], bytes] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def __reduce__(self) -> tuple[type["JobLoader"], tuple[ConfigLoader, bool | None, float]]:
        return JobLoader, (self.loader, self.keep_weights, self.pause_at)  # another process composes its own job alone

    def load_sweep_config(self, master_config: DictConfig, sweep_overrides: Sequence[str]) -> DictConfig:
        """The configuration of a job, as Hydra's own loader gives it."""
        key = tuple("seed" if SEED.fullmatch(word) else word for word in sweep_overrides)
        if key not in self.packed:
            composed = self.loader.load_sweep_config(master_config, list(sweep_overrides))
            with read_write(composed.hydra):  # without types of plugins: Hydra 1.3 loads these twice, and no pickle is
                for plugin in ("launcher", "sweeper"):
                    composed.hydra[plugin] = OmegaConf.to_container(composed.hydra[plugin], resolve=False)
            self.packed[key] = zlib.compress(pickle.dumps(composed))
        config: DictConfig = pickle.loads(zlib.decompress(self.packed[key]))
        with read_write(config.hydra):
            if self.keep_weights is not None:
                config.hydra.callbacks.sweep.keep_weights = self.keep_weights
            if self.pause_at < 1:
                config.hydra.callbacks.sweep.pause_at = self.pause_at
            for word in filter(SEED.fullmatch, sweep_overrides):
                _set_seed(config, word)
        return config


def _set_seed(config: DictConfig, word: str) -> None:
    """Put a seed in the place of that of another job, also where Hydra notes the words."""
    config.seed = int(word.partition("=")[2])
    words, job = config.hydra.overrides.task, config.hydra.job
    number = next(number for number, known in enumerate(words) if SEED.fullmatch(known))
    if not OmegaConf.is_interpolation(job, "override_dirname"):  # as Hydra 1.4 has it
        form = job.config.override_dirname
        before, after = (text.replace("=", form.kv_sep) for text in (words[number], word))
        names = job.override_dirname.split(form.item_sep)
        job.override_dirname = form.item_sep.join(after if name == before else name for name in names)
    words[number] = word
