"""The command `tdl`: `tdl run tuples=4x6 alpha=0.1`. Each program is imported when it is called, and no other."""

import sys
from importlib import import_module

from tdl.cli.commands import COMMANDS, MODULES
from tdl.errors import nearest


def main() -> None:
    """The console script `tdl`, and `python -m tdl`."""
    words = sys.argv[1:]
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    first = words[0] if words else "--help"
    if first in ("--help", "-h"):
        print(_help(), end="")
    elif first in ("--version", "-V"):
        from tdl.runs.environment import version_text  # not at the top: others have no use for it

        print(version_text(), end="")
    elif first in COMMANDS:
        sys.argv[1:] = [*["--multirun"] * (first == "sweep"), *words[1:]]
        import_module(MODULES[first]).main()
    else:
        print(f"tdl: {_unknown(first)}", file=sys.stderr)
        sys.exit(2)


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:{width}}  {text}" for name, text in COMMANDS.items()]
    return "\n".join(
        [
            "Temporal-difference learning of n-tuple networks for 2048 and its relatives.",
            "",
            "tdl COMMAND WORDS...",
            *lines,
            "",
            "tdl COMMAND --help says what a command takes, tdl --version what runs here.",
            "",
        ]
    )


def _unknown(word: str) -> str:
    if "=" in word:
        return f"{word}: a command comes first, as in: tdl run {word}"
    return f"{word}: no such command; expected one of {', '.join(COMMANDS)}{nearest(word, COMMANDS)}"


if __name__ == "__main__":
    main()
