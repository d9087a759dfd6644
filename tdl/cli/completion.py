"""Completion of words: `tdl completion bash` prints what a shell needs; it asks `tdl completion --words ...` then."""

import argparse
import contextlib
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

from tdl.base.checks import check_choice, check_true_or_false
from tdl.cli import COMMANDS
from tdl.cli.folders import PATHS
from tdl.cli.words import FLAGS
from tdl.config.compose import Key, Schema
from tdl.config.files import group_names, groups
from tdl.config.schema import RUN
from tdl.sweeps.sweep import SWEEP_KEYS

PROGRAMS = ("run", "evaluate", "games", "solve", "play", "serve", "move", "match")
"""Programs that take keys."""

OTHER_WORDS = {"run": ("out", "name", "seeds"), "evaluate": ("out", "name", "seeds"), "solve": ("out", "name")}
"""Words that stand for keys of Hydra's."""

SHELLS = {
    "bash": """\
_tdl() {
    local begun="${COMP_LINE:0:COMP_POINT}" IFS=$' \\t\\n' words word
    read -ra words <<< "$begun"
    [[ $begun == *[[:space:]] ]] && words+=("")
    word="${words[-1]}"
    mapfile -t COMPREPLY < <("${words[0]}" completion --words "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=./] ]] && compopt -o nospace
    [[ $word == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"${word%%=*}="}")
}
complete -o default -F _tdl tdl
""",
    "zsh": """\
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
_tdl() {
    local -a found
    found=("${(@f)$("${words[1]}" completion --words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    found=(${found:#})
    (( $#found )) || { _files; return }
    compadd -Q -S '' -- ${(M)found:#*[=./]}
    compadd -Q -- ${found:#*[=./]}
}
compdef _tdl tdl
""",
    "fish": """\
function __tdl_words
    set -l words (commandline -opc) (commandline -ct)
    $words[1] completion --words $words[2..-1] 2>/dev/null
end
complete -c tdl -f -a '(__tdl_words)'
""",
}
"""What each shell is given. Where nothing is found it completes files."""


def main() -> None:
    """Print what a shell needs; or, as this asks, the words that may stand last, one a line."""
    if sys.argv[1:2] == ["--words"]:
        print("\n".join(candidates(sys.argv[2:])))
        return
    parser = argparse.ArgumentParser(
        prog="tdl completion",
        description='For bash and zsh: eval "$(tdl completion bash)"; fish: tdl completion fish | source',
    )
    parser.add_argument("shell", choices=SHELLS)
    print(SHELLS[parser.parse_args().shell], end="")


def candidates(words: Sequence[str]) -> list[str]:
    """The words that may stand in the place of the last of these, which follow `tdl`; none where a file may.

    >>> candidates(["ev"]), candidates(["run", "learner=t"]), candidates(["run", "engine="])
    (['evaluate'], ['learner=tc', 'learner=td'], ['engine=bits', 'engine=array'])
    """
    last = words[-1] if words else ""
    if len(words) < 2:
        return [name for name in (*COMMANDS, "--help", "--version") if name.startswith(last)]
    program = {"sweep": "run"}.get(words[0], words[0])
    if program == "completion":
        return [name for name in SHELLS if name.startswith(last)]
    if program not in PROGRAMS:
        return _paths(last) if program in COMMANDS else []
    if last.startswith("-"):
        return [flag for flag in FLAGS if flag.startswith(last)]
    key, equals, _ = last.partition("=")
    if equals and key in (*PATHS, "out"):
        return [f"{key}={path}" for path in _paths(last.partition("=")[2])]
    if equals:
        return _values(program, key, last)
    return _keys(program, last) + (_paths(last) if program != "run" else [])  # a folder without its key


def _keys(program: str, begun: str) -> list[str]:
    """Groups and keys that begin like this; those in a section once its name is there."""
    schema, section = _schema_of(program), begun.partition(".")[0] if "." in begun else ""
    names = [*schema.keys, *OTHER_WORDS.get(program, ())]
    words = [f"{name}=" for name in (*groups(program), *names) if "." not in name or name.startswith(f"{section}.")]
    words += [f"{name}." for name in schema.sections if name != section]
    return sorted(word for word in words if word.startswith(begun))


def _paths(begun: str) -> list[str]:
    """The folders and files that begin like this, folders with a slash."""
    head, slash, name = begun.rpartition("/")
    with contextlib.suppress(OSError):
        entries = sorted(Path(head + slash or ".").expanduser().iterdir())
        names = [f"{entry.name}/" if entry.is_dir() else entry.name for entry in entries]
        return [head + slash + entry for entry in names if entry.startswith(name) and (name or entry[0] != ".")]
    return []


def _values(program: str, key: str, word: str) -> list[str]:
    """The words for the values of a group or a key, the last of several; none unless they can be listed."""
    head, comma, _ = word.rpartition(",")
    head = f"{head}," if comma else f"{key}="
    values: Sequence[str] = group_names(key) if key in groups(program) else _allowed(_schema_of(program).keys.get(key))
    return [head + value for value in values if (head + value).startswith(word)]


def _schema_of(program: str) -> Schema:
    if program == "run":
        return Schema(__name__, {**RUN.keys, **SWEEP_KEYS})
    schema: Schema = import_module(f"tdl.cli.{program}").SCHEMA
    return schema


def _allowed(key: Key | None) -> Sequence[str]:
    """The values that a key may have, where these can be listed."""
    if key and (key.kind is bool or key.check is check_true_or_false):
        return ("true", "false")
    if key and isinstance(key.check, partial) and key.check.func is check_choice:
        return tuple(key.check.keywords["choices"])
    return ()
