"""How much memory can still be had."""

from __future__ import annotations

import os
from pathlib import Path

from tdl.errors import ConfigError

CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Bytes that can be allocated without swapping: the machine's, or what a container's limit leaves of it."""
    free = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free.append(int(line.split()[1]) * 1024)
        limit = (CGROUP / "memory.max").read_text().strip()
        if limit != "max":
            free.append(int(limit) - int((CGROUP / "memory.current").read_text()))
    except OSError:
        pass  # not Linux, or no container: what was found so far
    return min(free)


def require_memory(key: str, size: int, what: str) -> None:
    """Refuse an allocation larger than the memory that is left, before it is made.

    Raises
    ------
    ConfigError : names `key`, what is needed and what is free.
    """
    free = available_memory()
    if size > free:
        raise ConfigError(f"{key}: {what} need {size / 2**30:.1f} GiB of memory; {free / 2**30:.1f} GiB are free")
