"""Hydra inside somebody else's program: what it keeps for the whole process is put back afterwards."""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator, Sequence

import hydra
from hydra.core.global_hydra import GlobalHydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import HydraException
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from tdl.cli.messages import explain
from tdl.cli.words import as_hydra_values
from tdl.config import hydra_versions
from tdl.config.schema import RUN
from tdl.errors import ConfigError
from tdl.runs import resolvers as _resolvers  # noqa: F401 - registered by the import

_one_at_a_time = threading.RLock()


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """While this context is open no other thread uses Hydra; then its globals are as they were.

    Raises
    ------
    ConfigError : what Hydra refuses, in one line.
    """
    with _one_at_a_time:
        before, config = GlobalHydra.instance().hydra, HydraConfig.instance().cfg
        GlobalHydra.instance().clear()
        try:
            yield
        except (HydraException, OmegaConfBaseException) as error:
            raise ConfigError(explain(error, False)[1]) from error
        finally:
            GlobalHydra.instance().hydra, HydraConfig.instance().cfg = before, config


def composed(words: Sequence[str]) -> DictConfig:
    """The configuration of one run, with Hydra's own part."""
    with kept():
        RUN.register()
        with hydra.initialize_config_module("tdl.conf", **hydra_versions.BASE):
            return hydra.compose("run", as_hydra_values(words, RUN), return_hydra_config=True)


@contextlib.contextmanager
def as_command_line(words: Sequence[str]) -> Iterator[None]:
    """While this context is open the program was started with these words."""
    argv, full = sys.argv, os.environ.get("HYDRA_FULL_ERROR")
    sys.argv = ["tdl.train", *as_hydra_values(words, RUN)]
    try:
        yield
    finally:
        sys.argv = argv
        if full is None:
            os.environ.pop("HYDRA_FULL_ERROR", None)
