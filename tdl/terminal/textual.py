"""Import of Textual, or one line that says how to install it."""

from tdl.base.distribution import install
from tdl.errors import ConfigError

try:
    import textual as textual
except ImportError as error:
    raise ConfigError(f"the screen needs Textual: {install('play')} ({error})") from None
