"""Words that name folders: `outputs/first` for `checkpoint=outputs/first`, `out=FOLDER`, `name=NAME`, and `~`."""

import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException

from tdl.base import streams
from tdl.config.compose import Schema, word_of
from tdl.config.files import file
from tdl.errors import ConfigError, refuse
from tdl.players.kinds import SMALL, checkpoint_folder, is_small
from tdl.sessions.game_file import ENDINGS
from tdl.storage.checkpoint import META
from tdl.storage.run_folder import OUTPUTS, RunFolder

PATHS = ("checkpoint", "resume", "init", "solution", "query", "replay", "record", "folder", "placer.network",
         "evaluate.solution", "hydra.run.dir", "hydra.sweep.dir")  # fmt: skip
"""Keys whose values are files or folders, taken letter by letter; `~` at the beginning is the home of the user."""

OUTPUT = ("hydra.run.dir", "hydra.sweep.dir")
"""Those of them that have one value."""

BESIDE = {
    "evaluate": "; -m plays with one after the other, checkpoint=[A,B] with the mean of their weights",
    "games": ", and one file to make, as games.npz",
}
"""What else a program takes, where several folders are named."""

LEAVING = ("run", "evaluate", "solve")
"""Programs that leave a folder."""


def say_small(checkpoint: Any) -> None:
    """Say that the network in the package plays, where no checkpoint is named."""
    if checkpoint is None:
        streams.say(f"tdl: no checkpoint is named, so the agent is {SMALL}")


def with_keys(program: str, words: Sequence[str], schema: Schema, *, sweep: bool) -> list[str]:
    """The words, with the key before each that is a folder or a file and nothing more.

    Raises
    ------
    ConfigError : the program takes no folder like that, or not so many.
    """
    keys = {*schema.keys, *schema.sections, "experiment", "out", "name", "seeds"}
    if program == "games":
        words = [_with_file(word, keys) for word in words]
    bare = [word for word in words if _is_bare(word, keys)]
    if program == "run":
        for folder in filter(os.path.isdir, map(os.path.expanduser, bare)):
            raise ConfigError(f"{folder}: a folder; to go on with its run: {RunFolder(folder).word('resume')}")
    if program == "run" or not bare:
        return list(words)
    if len(bare) > 1 and (program != "evaluate" or not sweep):
        raise ConfigError(f"{' '.join(bare)}: one folder is taken{BESIDE.get(program, '')}")
    others = [word for word in words if word not in bare]
    named = {word.partition("=")[0] for word in others}
    keyed = _with_key(program, [Path(os.path.expanduser(word)) for word in bare], "folder" in named)
    for key in sorted(named & {word.partition("=")[0] for word in keyed}):
        raise ConfigError(f"{bare[0]}: {key} is given already")
    return [*keyed, *others]


def _with_file(word: str, keys: Collection[str]) -> str:
    """The word that names the file to make, with its key, taken letter by letter; others as they are."""
    if word.startswith("out=") or (_is_bare(word, keys) and word.endswith(".npz")):
        return word_of("out", os.path.expanduser(word.removeprefix("out=")))
    return word


def _is_bare(word: str, keys: Collection[str]) -> bool:
    """Whether a word is no key with a value, nor one for Hydra; a path that is there may look like these."""
    if "=" not in word and not word.startswith(("~", "+")):
        return True
    key = word.partition("=")[0].lstrip("~+")
    return key not in keys and not key.startswith("hydra") and os.path.lexists(os.path.expanduser(word))


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
    if program == "serve" and not names_folder and not is_small(path):
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
    _, sign, path = _with_path(key, value, sweep=False).partition("=")
    return [*(name + sign + path for name in keys), *(word for word in words if word != places[0])]


def with_paths(words: Sequence[str], *, sweep: bool) -> list[str]:
    """The words with paths as Hydra takes them letter by letter, and the home of the user in the place of `~`.

    >>> with_paths(["checkpoint=Drive (1)/a", "init=a,b c", "resume=null", "~tiles", "alpha=0.1"], sweep=True)
    ["checkpoint='Drive (1)/a'", "init=a,'b c'", 'resume=null', '~tiles', 'alpha=0.1']
    """
    path = re.compile(rf"(\+*)({'|'.join(map(re.escape, PATHS))})=(.*)", re.S)
    split = [path.fullmatch(word) or word for word in words]
    sweep = sweep or any(word.startswith(("experiment=", "+experiment=")) for word in words)
    return [word if isinstance(word, str) else word[1] + _with_path(word[2], word[3], sweep=sweep) for word in split]


def _with_path(key: str, text: str, *, sweep: bool) -> str:
    """The word with which Hydra takes a path. What is there wins over lists, choices and quotes of Hydra's grammar."""
    if text in ("", "null"):
        return f"{key}={text}"
    if os.path.lexists(path := os.path.expanduser(text)):
        return word_of(key, path)
    if "${" in text or re.fullmatch(r"(['\"]).*\1", text, re.S):
        return f"{key}={text}"
    commas, is_list = sweep and key not in OUTPUT, key == "checkpoint" and re.fullmatch(r"\[.*\]", text, re.S)
    if (is_list or (commas and re.search(r"['\"(\[]", text))) and _is_read(f"{key}={text}"):
        return f"{key}={text}"
    if is_list:
        return f"{key}=[{_joined(text[1:-1])}]"
    return f"{key}={_joined(text)}" if commas else word_of(key, path)


def _joined(text: str) -> str:
    """Paths with commas between them, each as Hydra takes it."""
    parts = [part.strip() for part in text.split(",")]
    return ",".join(part if part == "null" else word_of("", os.path.expanduser(part))[1:] for part in parts)


def _is_read(word: str) -> bool:
    """Whether Hydra can read a word as it stands as several values or a list."""
    try:
        override = OverridesParser.create().parse_override(word)
        return override.is_sweep_override() or isinstance(override.value(), list)
    except HydraException:
        return False
