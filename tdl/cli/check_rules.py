"""Whether an environment plays by the rules: `tdl rules MODULE:ENV [game=2048] [size=4x4] [tiles=p90_10]`.

ENV is an attribute of MODULE, as a class, or an id registered with Gymnasium. Exit code 2: something is wrong, else 0.
"""

import math
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout

from tdl.cli.messages import CommandParser, one_line_errors
from tdl.config import files
from tdl.errors import ConfigError, nearest, refuse

WORDS = {"game": "2048", "size": "4x4", "tiles": "p90_10", "steps": "", "seed": ""}
"""Keys with their defaults; empty: those of `tdl.rules_check`."""


@one_line_errors
def main(words: Sequence[str] | None = None) -> None:
    """The command `tdl rules`."""
    usage = "tdl rules [--json] MODULE:ENV [KEY=VALUE ...]"
    parser = CommandParser(prog="tdl rules", usage=usage, description=__doc__)
    known = f"as tdl.gym:tdl/Game-v0, or mine:MyEnv of ./mine.py; keys: {', '.join(WORDS)}"
    parser.add_argument("words", metavar="MODULE:ENV", nargs="*", help=known)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_intermixed_args(words)
    named = [word for word in options.words if "=" not in word]
    if len(named) != 1:
        raise ConfigError(f"{' '.join(named) or 'MODULE:ENV is missing'}; expected one MODULE:ENV, then KEY=VALUE")
    values = _values([word for word in options.words if word not in named])
    files.load_games()
    rules = files.named_rules(values["game"], values["size"], values["tiles"])
    numbers = {name: _whole(name, values[name]) for name in ("steps", "seed") if values[name]}

    from tdl.conformance.check import rules_check  # pandas takes half a second, and wrong words come first
    from tdl.conformance.findings_report import as_json, as_text
    from tdl.conformance.located import located

    with redirect_stdout(sys.stderr):  # whatever the environment prints
        env, line = located(named[0])
        table = rules_check(env, rules, name=line, **numbers)
    names = named[0], f"{rules.name}, {rules.tiles_text}"
    print((as_json if options.json else as_text)(table, *names))
    sys.exit(2 if (table.verdict == "wrong").any() else 0)


def _values(words: Sequence[str]) -> dict[str, str]:
    """The values of all keys."""
    values = dict(WORDS)
    for word in words:
        key, _, value = word.partition("=")
        if key not in WORDS:
            raise ConfigError(f"{key}: no such key; expected one of {', '.join(WORDS)}{nearest(key, WORDS)}")
        if not value:
            raise ConfigError(f"{word}: a word without a value; expected {key}=VALUE")
        values[key] = value
    return values


def _whole(key: str, value: str) -> int:
    """A whole number, also as 1e5."""
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not number.is_integer():
        raise refuse(key, value, "a whole number")
    return int(number)
