"""Large arrays on page borders, refused where the free memory of the machine or container is less."""

import mmap

import numpy as np
from numpy.typing import NDArray

from tdl.base import machine
from tdl.errors import ConfigError


def require_memory(key: str, size: int, what: str) -> None:
    """Refuse an allocation of `size` bytes larger than the free memory, before it is made; names `key` and `what`."""
    free = machine.available_memory()
    if size > free:
        raise ConfigError(f"{key}: {what} need {size / 2**30:.1f} GiB of memory; {free / 2**30:.1f} GiB are free")


def allocate(key: str, count: int, what: str) -> NDArray[np.float32]:
    """A zeroed float32 array on a page border: cache lines of the layout must be cache lines of the machine."""
    require_memory(key, 4 * count, what)
    try:
        memory = mmap.mmap(-1, 4 * count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, ValueError, OverflowError) as error:
        raise ConfigError(f"{key}: {4 * count:,} bytes for {what} could not be had: {error}") from error
    machine.ask_for_huge_pages(memory)
    return np.frombuffer(memory, np.float32)
