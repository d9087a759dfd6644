"""What Linux alone has, and what takes its place on other systems: memory, cores, the CPU, processes."""

import contextlib
import ctypes
import mmap
import multiprocessing
import os
import platform
import re
import resource
import signal
import subprocess
import sys
import threading
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError

LINUX = sys.platform == "linux" and os.environ.get("TDL_LINUX") != "0"
"""Whether Linux's own means are used; `TDL_LINUX=0` does without them there, too. Results are the same."""

CGROUP, OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
"""Of control groups, the containers of Linux: their files, and in which of them this process is."""

PICTURES = 128 << 20
"""Bytes; the curve of a run took 113 MiB of addresses."""

_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # of `mallopt`, <malloc.h> of glibc


def available_memory() -> int:
    """Bytes that can be allocated without swapping: on Linux what the machine, a container's limit or that of the
    process (`ulimit -v`, `ulimit -d`) leaves of it.

    Elsewhere all the memory of the machine.
    """
    free = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    if LINUX:
        free += [1024 * number for number in _numbers(Path("/proc/meminfo"), "MemAvailable:")]
        sizes = _numbers(Path("/proc/self/statm"))
        for kind, column in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
            limit, _ = resource.getrlimit(kind)
            if limit != resource.RLIM_INFINITY:
                free += [limit - pages * mmap.PAGESIZE for pages in sizes[column : column + 1]]
        for folder, (most, used, caches) in product(_control_groups("memory"), _MEMORY):
            cached = sum(_numbers(folder / "memory.stat", *caches))
            free += [bytes_ - sum(_numbers(folder / used)) + cached for bytes_ in _numbers(folder / most)]
    return max(0, min(free))


_CACHES = ("inactive_file", "active_file")  # of the disk: taken back where memory is asked for
_MEMORY = (
    ("memory.max", "memory.current", (*_CACHES, "slab_reclaimable")),
    ("memory.high", "memory.current", (*_CACHES, "slab_reclaimable")),
    ("memory.limit_in_bytes", "memory.usage_in_bytes", tuple(f"total_{cache}" for cache in _CACHES)),
)
"""In control groups of version 2 and of version 1 the files of the limit and of what is used, and parts of that."""


def _control_groups(controller: str) -> list[Path]:
    """The folders of the control groups that this process is in, whose limits all hold, of both versions.

    In a container its own group may be seen in the place of the machine's.
    """
    folders = [CGROUP, CGROUP / controller]
    for line in _lines(OWN_GROUPS):
        version, controllers, path = [*line.split(":", 2), "", ""][:3]
        if version == "0" or controller in controllers.split(","):
            names = Path(path.lstrip("/")).parts
            root = CGROUP if version == "0" else CGROUP / controller
            folders += [root.joinpath(*names[:number]) for number in range(1, len(names) + 1) if ".." not in names]
    return folders


def _numbers(path: Path, *names: str) -> list[int]:
    """The whole numbers in a file of the system, or those of the lines that begin with one of these names.

    There are none where the file is missing, empty or of another form: then nothing is limited by it.
    """
    lines = [line.split() for line in _lines(path)]
    words = [word for line in lines for word in (line if not names else line[1:2] if line[0] in names else ())]
    return [int(word) for word in words if re.fullmatch(r"-?\d{1,19}", word, re.ASCII)]


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    except (OSError, ValueError):  # the latter of a path that no system has
        return []


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
    """How many cores this process may use: those it is not kept from, or as many as a container has the time of."""
    if not LINUX:
        return os.cpu_count() or 1
    allowed = [len(os.sched_getaffinity(0))]
    for folder, names in product(_control_groups("cpu"), (["cpu.max"], ["cpu.cfs_quota_us", "cpu.cfs_period_us"])):
        times = [number for name in names for number in _numbers(folder / name)]  # of all cores, in a period of time
        if len(times) == 2 and min(times) > 0:
            allowed.append(-(-times[0] // times[1]))
    return min(allowed)


def cpu_name() -> str:
    """The CPU as its maker calls it, or its architecture."""
    with contextlib.suppress(OSError):
        if LINUX:
            for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
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


def require_memory_for_pictures() -> None:
    """Refuse to draw without the memory that pandas and matplotlib take: their libraries would end the process."""
    free = available_memory()
    if free < PICTURES:
        raise ConfigError(f"memory: pictures need {PICTURES >> 20} MiB; {free >> 20} MiB are free")


def allocate(key: str, count: int, what: str, dtype: type[np.floating[Any]] = np.float32) -> NDArray[Any]:
    """A zeroed array on a page border: cache lines of the layout must be cache lines of the memory."""
    size = np.dtype(dtype).itemsize * count
    require_memory(key, size, what)
    try:
        memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, ValueError, OverflowError) as error:
        raise ConfigError(f"{key}: {size:,} bytes for {what} could not be had: {error}") from error
    ask_for_huge_pages(memory)
    return np.frombuffer(memory, dtype)
