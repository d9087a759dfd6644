"""What Linux alone has, and what takes its place on other systems: memory, cores, the CPU, processes."""

import contextlib
import ctypes
import mmap
import multiprocessing
import os
import platform
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError

LINUX = sys.platform == "linux" and os.environ.get("TDL_LINUX") != "0"
"""Whether Linux's own means are used; `TDL_LINUX=0` does without them there, too. Results are the same."""

CGROUP = Path("/sys/fs/cgroup")

_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of `mallopt`, <malloc.h> of glibc


def available_memory() -> int:
    """Bytes that can be allocated without swapping: on Linux what the machine or a container's limit leaves of it.

    Elsewhere all the memory of the machine.
    """
    free = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with contextlib.suppress(OSError):  # no container, or not that of Linux: the numbers so far
        if LINUX:
            for line in Path("/proc/meminfo").read_text().splitlines():
                if line.startswith("MemAvailable:"):
                    free.append(int(line.split()[1]) * 1024)
            limit = (CGROUP / "memory.max").read_text().strip()
            if limit != "max":
                free.append(int(limit) - int((CGROUP / "memory.current").read_text()))
    return min(free)


def peak_memory() -> int:
    """Largest resident memory of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def ask_for_huge_pages(memory: mmap.mmap) -> None:
    """Ask for pages of 2 MiB, as only Linux gives them on request."""
    if LINUX and hasattr(mmap, "MADV_HUGEPAGE"):
        memory.madvise(mmap.MADV_HUGEPAGE)  # fewer page walks; shared memory, which gets none: 0.83 of the speed


def keep_freed_memory() -> None:
    """Let glibc keep what tensors gave back: it would return their pages to the system and fault them in anew."""
    if LINUX:
        with contextlib.suppress(OSError, AttributeError):  # another C library
            glibc = ctypes.CDLL("libc.so.6")
            glibc.mallopt(_M_MMAP_THRESHOLD, 32 << 20)  # the most it takes; larger blocks are always mapped
            glibc.mallopt(_M_TRIM_THRESHOLD, 1 << 30)


def cores() -> int:
    """How many cores this process may use; where a process cannot be kept from some, all."""
    return len(os.sched_getaffinity(0)) if LINUX else os.cpu_count() or 1


def cpu_name() -> str:
    """The CPU as its maker calls it, or its architecture."""
    with contextlib.suppress(OSError):
        if LINUX:
            for line in Path("/proc/cpuinfo").read_text().splitlines():
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
        elif name := _printed("sysctl", "-n", "machdep.cpu.brand_string"):  # macOS
            return name
    return platform.processor() or platform.machine()


def _printed(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True).stdout.strip()


def start_method() -> str:
    """How a process that shares what is imported begins: forked, or anew with the same modules.

    The libraries of macOS have threads and locks of their own, with which a forked process may stand still.
    """
    return "fork" if LINUX else "spawn"


def end_with(parent: int) -> None:
    """Let this process, which `multiprocessing` started, get SIGTERM when its parent ends, however that does."""
    if LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it has ended meanwhile
            os.kill(os.getpid(), signal.SIGTERM)
    else:
        threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def require_memory(key: str, size: int, what: str) -> None:
    """Refuse an allocation of `size` bytes larger than the free memory, before it is made; names `key` and `what`."""
    free = available_memory()
    if size > free:
        raise ConfigError(f"{key}: {what} need {size / 2**30:.1f} GiB of memory; {free / 2**30:.1f} GiB are free")


def allocate(key: str, count: int, what: str) -> NDArray[np.float32]:
    """A zeroed float32 array on a page border: cache lines of the layout must be cache lines of the"""
    require_memory(key, 4 * count, what)
    try:
        memory = mmap.mmap(-1, 4 * count, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, ValueError, OverflowError) as error:
        raise ConfigError(f"{key}: {4 * count:,} bytes for {what} could not be had: {error}") from error
    ask_for_huge_pages(memory)
    return np.frombuffer(memory, np.float32)
