"""Whether an environment plays by the rules: `tdl rules MODULE:ENV [game=2048] [size=4x4] [tiles=p90_10]`.

ENV is an attribute of MODULE, as a class, or an id registered with Gymnasium. Exit code 2: something is wrong, else 0.
"""

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
    parser = CommandParser(prog="tdl rules", description=__doc__)
    parser.add_argument("env", metavar="MODULE:ENV", help="as tdl.gym:tdl/Game-v0, or mine:MyEnv of ./mine.py")
    parser.add_argument("words", metavar="KEY=VALUE", nargs="*", help=f"keys: {', '.join(WORDS)}")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_intermixed_args(words)
    values = _values(options.words)
    files.load_games()
    rules = files.named_rules(values["game"], values["size"], values["tiles"])
    numbers = {name: _whole(name, values[name]) for name in ("steps", "seed") if values[name]}

    from tdl.conformance.check import rules_check  # pandas takes half a second, and wrong words come first
    from tdl.conformance.findings_report import as_json, as_text
    from tdl.conformance.located import located

    with redirect_stdout(sys.stderr):  # whatever the environment prints
        env, line = located(options.env)
        table = rules_check(env, rules, name=line, **numbers)
    names = options.env, f"{rules.name}, {rules.tiles_text}"
    print((as_json if options.json else as_text)(table, *names))
    sys.exit(2 if (table.verdict == "wrong").any() else 0)


def _values(words: Sequence[str]) -> dict[str, str]:
    """The values of all keys."""
    values = dict(WORDS)
    for word in words:
        key, sign, value = word.partition("=")
        if key not in WORDS:
            raise ConfigError(f"{key}: no such key; expected one of {', '.join(WORDS)}{nearest(key, WORDS)}")
        if not sign or not value:
            raise ConfigError(f"{word}: a word without a value; expected {key}=VALUE")
        values[key] = value
    return values


def _whole(key: str, value: str) -> int:
    try:
        return int(value.replace("_", ""))
    except ValueError:
        raise refuse(key, value, "a whole number") from None
