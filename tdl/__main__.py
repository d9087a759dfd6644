"""The command `tdl`: `tdl run tuples=4x6 alpha=0.1`. Each program is imported when it is called, and no other."""

import sys
from collections.abc import Mapping
from importlib import import_module

from tdl.errors import nearest

COMMANDS: Mapping[str, str] = {
    "run": "train a network: tdl run tuples=4x6 alpha=0.1",
    "sweep": "train with each combination of several values: tdl sweep alpha=0.1,0.3 seeds=5 (the same as run -m)",
    "evaluate": "games of a trained network, without learning: tdl evaluate outputs/FOLDER evaluate.plies=2",
    "report": "a page about runs: tdl report outputs/FOLDER",
    "diff": "what differs between two runs: tdl diff outputs/A outputs/B",
    "play": "play, or watch an agent, on the terminal",
    "serve": "the same in a browser: tdl serve outputs/FOLDER",
    "solve": "exact values of a small game: tdl solve game=2584 size=2x3",
    "match": "meet other programs in the two-player protocol of 2584",
    "convert": "weights of other programs: tdl convert IN OUT",
    "picture": "draw a board: tdl picture game.json board.png",
    "bench": "how fast it is: tdl bench --help",
    "completion": "completion of words for bash, zsh or fish",
}
"""The commands with what they do, in the order in which one gets to know them."""

MODULES = {"sweep": "tdl.run", "completion": "tdl.cli.completion"}
"""The modules of commands that are no program of their own."""


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
        import_module(MODULES.get(first, f"tdl.{first}")).main()
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
