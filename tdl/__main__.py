"""The command `tdl`: `tdl run tuples=4x6 alpha=0.1`. Each program is imported when it is called, and no other."""

import sys
from importlib import import_module

from tdl.base import streams
from tdl.cli import COMMANDS, MODULES
from tdl.errors import nearest


def main() -> None:
    """The console script `tdl`, and `python -m tdl`."""
    with streams.guarded():
        try:
            _main()
        except MemoryError:  # of an import
            print("tdl: out of memory", file=sys.stderr)
            sys.exit(2)


def _main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    command = words[0] if words else "--help"
    if command in ("--help", "-h"):
        print(_help())
    elif command in ("--version", "-V"):
        from tdl.runs.environment import version_text  # not at the top: others have no use for it

        print(version_text(), end="")
    elif command in COMMANDS:
        sys.argv[1:] = [*["--multirun"] * (command == "sweep"), *words[1:]]
        import_module(MODULES[command]).main()
    else:
        print(f"tdl: {_unknown(command)}", file=sys.stderr)
        sys.exit(2)


def _help() -> str:
    width = max(map(len, COMMANDS))
    return "\n".join(
        [
            "Temporal-difference learning of n-tuple networks for 2048 and its relatives.",
            "",
            "tdl COMMAND WORDS...",
            *(f"  {name:{width}}  {text}" for name, text in COMMANDS.items()),
            "",
            "tdl COMMAND --help says what a command takes, tdl --version what runs here.",
        ]
    )


def _unknown(word: str) -> str:
    if "=" in word:
        return f"{word}: a command comes first, as in: tdl run {word}"
    return f"{word}: no such command; expected one of {', '.join(COMMANDS)}{nearest(word, COMMANDS)}"


if __name__ == "__main__":
    main()
