"""The page of all configuration keys, made of the files that hold their values and comments."""

from typing import Any

from tdl.cli.help import described, keys_text
from tdl.config.files import groups

PAGE = "docs/reference/keys"

OTHERS = ("evaluate", "games", "solve", "play", "serve", "move", "match")
"""Programs beside `run` whose configuration is a file of `conf`."""


def keys_page() -> str:
    """The page in Markdown: the keys of a run, each group with its choices and keys, and the other programs."""
    parts = [
        "# Keys",
        "Keys of a run, with their defaults: `tdl run KEY=VALUE`.",
        _fence("yaml", keys_text("run")),
    ]
    for group in groups("run"):
        parts += [f"## {group}", _fence("text", described("run", group))]
    for program in OTHERS:
        parts += [f"## tdl.{program}", _fence("yaml", keys_text(program))]
    return "\n\n".join(parts)


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```"


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx: the page is there as a file without text."""

    def read(_app: Any, name: str, source: list[str]) -> None:
        if name == PAGE:
            source[0] = keys_page()

    app.connect("source-read", read)
    return {"parallel_read_safe": True}
