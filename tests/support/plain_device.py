"""A `Device` without a GPU: kernels as plain C, compiled by the compiler that builds the modules, called by ctypes.

What runs is the text that a GPU runs, its warps as loops. The order of the warps is another one in each launch.
"""

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tdl.errors import DeviceError

CHECKED = "ubsan" in os.environ.get("LD_PRELOAD", "")

COMPILER = shlex.split(sysconfig.get_config_var("CC") or "cc")[0]

needs_compiler = pytest.mark.skipif(not shutil.which(COMPILER), reason="no C compiler")

FLAGS = ("-O1", "-std=gnu11", "-Wall", "-Wextra", "-ffp-contract=off", "-fPIC", "-shared")


@cache
def _folder():
    return tempfile.TemporaryDirectory(prefix="tdl-kernels-")


@cache
def library(text):
    """A text as a library."""
    source = Path(_folder().name, hashlib.sha256(text.encode()).hexdigest()).with_suffix(".c")
    source.write_text(text)
    flags = [*FLAGS, *["-fsanitize=undefined", "-fno-sanitize-recover"] * CHECKED]
    made = source.with_suffix(".so")
    subprocess.run([COMPILER, *flags, str(source), "-lm", "-o", str(made)], check=True)
    return ctypes.CDLL(str(made))


class PlainArray:
    """An `Array` of the host."""

    def __init__(self, array):
        self.array = array
        self.pointer = array.ctypes.data

    def read(self, into=None):
        """See `Array`; all that is queued is done at once."""
        if into is None:
            return self.array.copy()
        into[...] = self.array
        return into

    def write(self, array):
        self.array[...] = array

    def later(self):
        copied = self.array.copy()
        return lambda: copied

    def rows(self, first, end):
        return self.array[first:end].copy()


class PlainDevice:
    """See `Device`.

    Parameters
    ----------
    memory : bytes that are said to be free.
    launches : after so many the device is lost; None: never.
    """

    name = "plain C"

    def __init__(self, memory=1 << 40, launches=None):
        self.memory, self.left, self.order = memory, launches, np.random.default_rng(0)

    def kernels(self, text, names):
        return {name: getattr(library(text), name) for name in names}

    def zeros(self, shape, dtype):
        return PlainArray(np.zeros(shape, dtype))

    def repeated(self, launches, times):
        launches = [(kernel, warps, call.copy()) for kernel, warps, call in launches]
        launches = [(*launch, ctypes.c_void_p(launch[-1].ctypes.data)) for launch in launches]

        def queue():
            for _ in range(times):
                for kernel, warps, _, at in launches:
                    self._count()
                    for warp in self.order.permutation(warps).tolist():
                        kernel(at, warp)

        return queue

    def _count(self):
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise DeviceError("device=cuda: the graphics card does no more work: plain C")

    def free(self):
        return self.memory

    def holders(self):
        return "process 4711 (python) holds 3.0 GiB"
