"""The user's own folder of configurations: further choices of groups, and games registered in its `games.py`."""

import os
import runpy
from pathlib import Path

from hydra.core.config_store import ConfigStore

from tdl.config.files import GAMES_FILE, OWN, file_names, own_folder
from tdl.config.hydra_versions import REPLACE
from tdl.errors import ConfigError, TdlError
from tdl.game.merge_laws import GAMES

_loaded: set[Path] = set()


def use(config_dir: str | None) -> Path | None:
    """Use a folder, that of `--config-dir`; None: `conf` in the current folder, if it is one. Gives the folder.

    Processes that this one starts use it, too. Its `games.py` is a program, so it is run only where somebody named the
    folder: what lies in the current one may come from anybody.

    Raises
    ------
    ConfigError : it is not there, it has a file whose name tdl has already, or its games cannot be registered.
    """
    named = config_dir is not None or OWN in os.environ
    if config_dir is not None:
        path = Path(config_dir).expanduser().absolute()
        if not path.is_dir():
            raise ConfigError(f"--config-dir {config_dir}: no such folder")
        os.environ[OWN] = str(path)
    folder = own_folder()
    if folder is None:
        return None
    if not named and (folder / GAMES_FILE).exists():
        raise ConfigError(f"{folder / GAMES_FILE}: is run only from a folder that is named; add --config-dir {folder}")
    os.environ[OWN] = str(folder.absolute())
    for path in sorted(folder.glob("*/*.yaml")):
        if path.stem in file_names(path.parent.name):
            raise ConfigError(f"{path}: tdl has {path.parent.name}={path.stem} itself; give the file another name")
    load_games()
    return folder


def load_games() -> None:
    """Run `games.py` of the folder, once, and make the games that it registers choices of Hydra's."""
    folder = own_folder()
    path = folder and (folder / GAMES_FILE).absolute()
    if path and path.is_file() and path not in _loaded:
        try:
            runpy.run_path(str(path))
        except TdlError as error:
            raise ConfigError(f"{path}: {error}") from error
        except Exception as error:
            raise ConfigError(f"{path}: {type(error).__name__}: {error}") from error
        _loaded.add(path)
    for name in set(GAMES) - set(file_names("game")):
        ConfigStore.instance().store(group="game", name=name, node={"name": name}, **REPLACE)
