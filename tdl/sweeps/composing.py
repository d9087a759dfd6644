"""What Hydra composes for the jobs of a sweep: once for those that differ in their seed alone."""

import pickle
import re
import zlib
from collections.abc import Sequence
from typing import Any

from hydra.core.config_loader import ConfigLoader
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import DictConfig, ListConfig, OmegaConf, read_write

SEED = re.compile(r"seed=\d+")


class JobLoader:
    """In the place of Hydra's loader, which composes some eight configurations a second.

    What is composed is kept for the same job again, and for other seeds. Packed it takes some kilobytes.
    """

    def __init__(self, loader: ConfigLoader) -> None:
        self.loader = loader
        self.packed: dict[tuple[str, ...], bytes] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)

    def __reduce__(self) -> tuple[type["JobLoader"], tuple[ConfigLoader]]:
        return JobLoader, (self.loader,)  # another process composes its own job alone

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
            _add_later_words(config, master_config)
            for word in filter(SEED.fullmatch, sweep_overrides):
                _set_seed(config, word)
        return config


def _set_seed(config: DictConfig, word: str) -> None:
    """Put a seed in the place of that of another job, also where Hydra notes the words."""
    config.seed = int(word.partition("=")[2])
    words, job = config.hydra.overrides.task, config.hydra.job
    number = next(number for number, each in enumerate(words) if SEED.fullmatch(each))
    form = job.config.override_dirname
    before, after = (each.replace("=", form.kv_sep) for each in (words[number], word))
    names = job.override_dirname.split(form.item_sep)
    job.override_dirname = form.item_sep.join(after if name == before else name for name in names)
    words[number] = word


def _add_later_words(config: DictConfig, master_config: DictConfig) -> None:
    """Set what the sweep has said to all its jobs since this one was composed."""
    known, words = (_written(each.hydra.overrides.hydra) for each in (config, master_config))
    later = [word for word in words if word not in known]
    for word in OverridesParser.create().parse_overrides(later) if later else ():
        OmegaConf.update(config, word.get_key_element(), word.value())
        config.hydra.overrides.hydra.append(word.input_line)


def _written(words: ListConfig) -> list[str]:
    """Words as they are written: some name a resolver, whose answer differs from job to job."""
    plain = OmegaConf.to_container(words, resolve=False)
    assert isinstance(plain, list)
    return plain
