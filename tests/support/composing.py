"""What Hydra composes of `conf/` is the same for most programs that tests start: here it is composed once.

All but the values of single keys is kept, by the files that the words choose; the values are put in by Hydra as ever.
`tests/config/test_compose.py` compares what comes of it with what Hydra composes anew.
"""

import copy
from functools import partial
from importlib import resources

import hydra
from hydra._internal import config_loader_impl
from hydra._internal.config_repository import CachingConfigRepository
from hydra._internal.hydra import Hydra

from tdl.config.files import own_folder

GROUPS = {path.name for path in resources.files("tdl.conf").iterdir() if path.is_dir()}

_lists, _merged = {}, {}
"""By what was chosen: which files there are, and by these what they come to."""


def composed_once(patch, words=()):
    """Let Hydra remember until `patch` is undone; not where there are other folders, nor in an unknown version."""
    words = [str(word) for word in words]
    others = own_folder() is not None or any("--config" in word or "searchpath" in word for word in words)
    if not hydra.__version__.startswith("1.3.") or others:
        return
    # Hydra composes all once more, only to see whether an experiment asks for a sweep of its own.
    asks = any(word.startswith(("experiment=", "hydra.mode=")) for word in words)
    if not asks or "-m" in words or "hydra.mode=RUN" in words:
        patch.setattr(Hydra, "get_mode", lambda *_, **__: None)
    loader, create = config_loader_impl.ConfigLoaderImpl, config_loader_impl.create_defaults_list
    patch.setattr(CachingConfigRepository, "__init__", _share_the_sources)
    patch.setattr(loader, "_process_config_searchpath", lambda *_: None)
    patch.setattr(config_loader_impl, "create_defaults_list", partial(_listed, create))
    patch.setattr(loader, "_compose_config_from_defaults_list", _copied(loader._compose_config_from_defaults_list))


def _share_the_sources(repository, delegate):
    """Hydra would copy them, for words that add to them."""
    repository.delegate, repository.cache = delegate, {}


def _chooses(override):
    """Whether a word may choose a file."""
    key = override.key_or_group
    return key in GROUPS or "/" in key or override.package is not None or isinstance(override.value(), dict)


def _listed(create, *, repo, config_name, overrides_list, prepend_hydra, skip_missing):
    """What `create` gives for what is chosen, with the values that are given now."""
    given = [each for each in overrides_list if not each.is_sweep_override()]
    key = (config_name, prepend_hydra, skip_missing, *(each.input_line for each in given if _chooses(each)))
    if key not in _lists:
        found = create(repo=repo, config_name=config_name, overrides_list=overrides_list, prepend_hydra=prepend_hydra,
                       skip_missing=skip_missing)  # fmt: skip
        if any(_chooses(each) for each in found.config_overrides):  # a value that looks like a choice
            return found
        _lists[key] = found
    found = copy.copy(_lists[key])
    found.config_overrides = [each for each in given if not _chooses(each)]
    return found


def _copied(compose):
    """`compose`, but what it gave for the same files is copied."""

    def composed(loader, defaults, repo):
        key = tuple(map(repr, defaults))
        if key not in _merged:
            _merged[key] = compose(loader, defaults, repo)
        return copy.deepcopy(_merged[key])

    return composed
