"""Configurations as Hydra composes them."""

import pytest
from hydra import compose, initialize_config_module
from support.composing import composed_once

from tdl.cli.words import with_quoted_numbers
from tdl.config.hydra_versions import BASE
from tdl.config.schema import RUN


@pytest.fixture
def anew():
    """Composes `conf/run.yaml` with overrides, as Hydra does before a run."""
    RUN.register()
    with initialize_config_module("tdl.conf", **BASE):
        yield lambda *words, **more: compose("run", with_quoted_numbers(words), **more)


@pytest.fixture
def composed(anew, monkeypatch):
    """The same, each choice of files once."""
    composed_once(monkeypatch)
    return anew
