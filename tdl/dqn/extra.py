"""PyTorch, or one line that says how to get it. Whoever needs it takes it from here, so nothing else asks for it."""

from __future__ import annotations

from tdl.errors import ConfigError

try:
    import torch as torch
except ImportError as error:
    raise ConfigError(f'the deep Q-network needs PyTorch: pip install "tdl[dqn]" ({error})') from None
