"""Textual, or one line that says how to get it. Whoever starts a screen asks here first."""

from __future__ import annotations

from tdl.errors import ConfigError

try:
    import textual as textual
except ImportError as error:
    raise ConfigError(f"the screen needs Textual: pip install 'tdl[play]' ({error})") from None
