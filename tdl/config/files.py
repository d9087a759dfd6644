"""The files of `conf/`, and of the user's own folder, by their names: what a group offers, and what a choice says.

Their only reader beside Hydra. The user's folder may register games, too, in its `games.py`.
"""

import os
import runpy
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from tdl.base.synonyms import choice_hint
from tdl.config.choice_files import GROUPS as GROUPS
from tdl.config.choice_files import WIDE, checked_choice, package_of
from tdl.errors import ConfigError, TdlError, naming, refuse
from tdl.game.merge_laws import GAMES
from tdl.game.rules import Rules, parse_size
from tdl.storage.reading import read_yaml_text

CONF = resources.files("tdl.conf")

OWN = "TDL_CONFIG_DIR"
"""The variable that names the user's own folder of configurations; empty: there is none."""

GAMES_FILE = "games.py"
"""In that folder, registers games."""


def own_folder() -> Path | None:
    """The user's own folder of configurations: that which `OWN` names, or `conf` here, but for the source of tdl."""
    if (named := os.environ.get(OWN)) is not None:
        return Path(named) if named else None
    here = Path("conf")
    offers = (here / GAMES_FILE).is_file() or any(any((here / group).glob("*.yaml")) for group in GROUPS)
    return here if offers and not (here / "run.yaml").exists() else None


def file_names(group: str) -> list[str]:
    """The names of tdl's own files in `conf/<group>`, sorted."""
    if not (CONF / group).is_dir():
        return []
    files = (path.name for path in (CONF / group).iterdir())
    return sorted(file.removesuffix(".yaml") for file in files if file.endswith(".yaml"))


def own_names(group: str) -> list[str]:
    """Those of these that are not tdl's own."""
    return [name for name in group_names(group) if name not in file_names(group)] if group in GROUPS else []


def group_names(group: str) -> list[str]:
    """The names of the choices of a group, sorted: files of tdl and of the user, and registered games."""
    own = own_folder()
    names = {*file_names(group), *(path.stem for path in (own / group).glob("*.yaml"))} if own else file_names(group)
    return sorted({*names, *GAMES} if group == "game" else names)


def group_file(group: str, name: str, *, above: tuple[str, ...] = ()) -> dict[str, Any]:
    """What `conf/<group>/<name>.yaml` says, with what the files of the group say that it builds on.

    `above` are the files that build on this one.
    """
    if name in above:
        raise ConfigError(f"{group}={name}: it builds on itself: {', '.join([*above, name])}")
    values = file(f"{group}/{name}") if name in file_names(group) else own_values(group, name)
    if group not in WIDE and group in values:  # the file sets keys of the run, too
        values = {"defaults": values.get("defaults"), **values[group]}
    defaults = (base.partition("@")[0] for base in values.pop("defaults", None) or [] if isinstance(base, str))
    names = [base for base in defaults if base != "_self_"]
    bases = [group_file(group, base, above=(*above, name)) for base in names]
    return plain_dict(OmegaConf.merge(*bases, values))


def named_rules(game: object, size: object, tiles: object = "p90_10", drop: Any = None, start: Any = None) -> Rules:
    """The rules of a game, a size and a tile rule, whose drop law and start law may be others."""
    laws = group_file("tiles", str(tiles))
    drop, start = laws["drop"] if drop is None else drop, laws["start"] if start is None else start
    return Rules(game, *parse_size(size), drop=drop, start=start)  # type: ignore[arg-type] # checked there


def own_values(group: str, name: str) -> dict[str, Any]:
    """What a choice of the user's own says, as it stands there; a ConfigError where it may not say so."""
    text = group_text(group, name)
    with naming(f"{group}/{name}.yaml of {own_folder()}", ConfigError):
        values = _parsed(text)
        if not OmegaConf.is_dict(values):
            raise ConfigError("expected names with values")
        return checked_choice(group, plain_dict(values), package_of(text))


def group_text(group: str, name: str) -> str:
    """The text of `conf/<group>/<name>.yaml`."""
    names = group_names(group)
    if name not in names:
        raise refuse(group, name, f"one of {', '.join(names)}{choice_hint(group, name, names)}")
    if name in file_names(group):
        return (CONF / group / f"{name}.yaml").read_text(encoding="utf-8")
    own = own_folder()
    path = own / group / f"{name}.yaml" if own else None
    registered = group == "game" and not (path and path.exists())
    return f"name: {name}\n" if registered or path is None else read_yaml_text(path)


def groups(program: str) -> dict[str, str | None]:
    """The groups that a program uses, with the choice that holds if nothing is said; None: there is none."""
    chosen: dict[str, str | None] = {}
    for default in file(program)["defaults"]:
        if isinstance(default, Mapping):
            chosen |= default
    return {group: choice for group, choice in chosen.items() if not group.startswith("override ")}


def file(path: str) -> dict[str, Any]:
    """What `conf/<path>.yaml` says, as it stands there."""
    return plain_dict(_parsed((CONF / f"{path}.yaml").read_text(encoding="utf-8")))


@cache
def _parsed(text: str) -> Any:
    """Parsed once: all jobs of a sweep ask for the same files, and a parser of YAML is slow."""
    return OmegaConf.create(text)


def plain_dict(config: Any, *, resolve: bool = False) -> dict[str, Any]:
    """The values of OmegaConf as plain dictionaries."""
    values = OmegaConf.to_container(config, resolve=resolve)
    assert isinstance(values, dict)
    return {str(key): value for key, value in values.items()}


_loaded: set[Path] = set()


def use_folder(config_dir: str | None) -> Path | None:
    """Use a folder, that of `--config-dir`; None: `conf` in the current folder, if it is one. Gives it if it is named.

    Processes that this one starts use it, too. Its `games.py` is a program, so it is run only where somebody named the
    folder: what lies in the current one may come from anybody.

    Raises
    ------
    ConfigError : it is not there, it has a file whose name tdl has already, or its games cannot be registered.
    """
    named = config_dir is not None or OWN in os.environ
    if config_dir is not None:
        path = Path(os.path.expanduser(config_dir)).absolute()
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
    return folder if named else None


def load_games() -> None:
    """Run `games.py` of the folder that is named, once."""
    folder = own_folder() if OWN in os.environ else None
    path = folder and (folder / GAMES_FILE).absolute()
    if path and path.is_file() and path not in _loaded:
        try:
            runpy.run_path(str(path))
        except Exception as error:
            kind = "" if isinstance(error, TdlError) else f"{type(error).__name__}: "
            raise ConfigError(f"{path}: {kind}{error}") from error
        _loaded.add(path)
