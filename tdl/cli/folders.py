"""Words that name folders: `outputs/first` for `checkpoint=outputs/first`, `out=FOLDER`, `name=NAME`, and `~`."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from tdl.config.compose import word_of
from tdl.config.files import file
from tdl.errors import ConfigError, refuse
from tdl.players.kinds import checkpoint_folder
from tdl.sessions.game_file import ENDINGS
from tdl.storage.checkpoint import META
from tdl.storage.run_folder import OUTPUTS, RunFolder

PATHS = ("checkpoint", "resume", "init", "solution", "query", "replay", "record", "folder", "placer.network",
         "evaluate.solution", "hydra.run.dir", "hydra.sweep.dir")  # fmt: skip
"""Keys whose values are files or folders: `~` at the beginning is the home of the user, as a shell has it."""

LEAVING = ("run", "evaluate", "solve")
"""Programs that leave a folder."""


def with_keys(program: str, words: Sequence[str], *, sweep: bool) -> list[str]:
    """The words, with the key before each that is a folder or a file and nothing more.

    Raises
    ------
    ConfigError : the program takes no folder like that, or not so many.
    """
    bare = [word for word in words if "=" not in word and not word.startswith(("~", "+"))]
    if program == "run":
        for folder in filter(os.path.isdir, bare):
            raise ConfigError(f"{folder}: a folder; to go on with its run: resume={folder}")
    if program == "run" or not bare:
        return list(words)
    if len(bare) > 1 and (program != "evaluate" or not sweep):
        several = "; -m plays with one after the other, checkpoint=[A,B] with the mean of their weights"
        raise ConfigError(f"{' '.join(bare)}: one folder is taken{several if program == 'evaluate' else ''}")
    others = [word for word in words if word not in bare]
    named = {word.partition("=")[0] for word in others}
    keyed = _with_key(program, [Path(word).expanduser() for word in bare], "folder" in named)
    for key in sorted(named & {word.partition("=")[0] for word in keyed}):
        raise ConfigError(f"{bare[0]}: {key} is given already")
    return [*keyed, *others]


def _with_key(program: str, paths: Sequence[Path], names_folder: bool) -> list[str]:
    """The words with which a program takes these folders."""
    path, *others = paths
    if program == "solve":
        return [word_of("solution", path)]
    if program == "play" and (path.is_file() or path.suffix in ENDINGS):
        return [word_of("replay", path)]
    if program == "serve" and not RunFolder(path).is_used() and not (checkpoint_folder(path) / META).is_file():
        return [word_of("folder", path)]
    words = [",".join([word_of("checkpoint", path), *(word_of("", other)[1:] for other in others)])]
    if program == "serve" and not names_folder:
        library = Path(file("serve")["folder"]).resolve()
        words += [word_of("folder", path.parent)] * (not path.resolve().is_relative_to(library))
    return words


def with_output(program: str, words: Sequence[str], *, sweep: bool) -> list[str]:
    """The words, with Hydra's keys in the place of `out=FOLDER` and `name=NAME`.

    Raises
    ------
    ConfigError : both are given, or one beside a run that is resumed.
    """
    places = [word for word in words if word.startswith(("out=", "name="))]
    if not places or program not in LEAVING:
        return list(words)
    if len(places) > 1:
        raise ConfigError(f"{' '.join(places)}: one of them says where the results go")
    key, _, value = places[0].partition("=")
    if not sweep and any(word.startswith("resume=") for word in words):
        raise ConfigError(f"{places[0]}: a resumed run stays in its folder")
    if key == "name":
        if not re.fullmatch(r"[\w.+@%-]+", value) or value in (".", ".."):
            raise refuse(key, value, f"the name of a folder in {OUTPUTS}; out=FOLDER takes any other")
        value = f"{OUTPUTS}/{value}"
    if not value:
        raise refuse(key, value, "a folder")
    either = any(word.startswith(("experiment=", "+experiment=")) for word in words)  # it may be a sweep by itself
    keys = [*["hydra.run.dir"] * (not sweep), *["hydra.sweep.dir"] * (sweep or either)]
    as_it_is = "${" in value or value[0] in "'\""
    path = Path(value).expanduser()
    keyed = [f"{name}={value}" if as_it_is else word_of(name, path) for name in keys]
    return [*keyed, *(word for word in words if word != places[0])]


def with_homes(words: Sequence[str]) -> list[str]:
    """The words with the home of the user in the place of `~` at the beginning of a path.

    >>> with_homes(["checkpoint=~nobody/a", "~tiles", "alpha=0.1"])[1:]
    ['~tiles', 'alpha=0.1']
    """
    home = re.compile(rf"(\+*(?:{'|'.join(map(re.escape, PATHS))}))=(~.*)", re.S)
    split = [home.fullmatch(word) or word for word in words]
    return [word if isinstance(word, str) else word_of(word[1], Path(word[2]).expanduser()) for word in split]
