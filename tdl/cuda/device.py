"""What a host program needs of a machine that runs kernels, and a graphics card as one, by CuPy."""

import contextlib
import hashlib
import math
import os
import subprocess
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tdl.base.distribution import install
from tdl.errors import ConfigError, DeviceError, one_line, refuse
from tdl.storage.atomic import new_file

CPU, CUDA = "cpu", "cuda"

DEVICES = (CPU, CUDA)
"""What the key `device` takes."""

OPTIONS = ("--std=c++17", "--fmad=false", "--device-int128")
"""Of the compiler: no fused multiply-adds and no fast mathematics, so that the bits are a CPU's."""

WARP = 32
"""Threads."""


class Array(Protocol):
    """An array in the memory of a device.

    Attributes
    ----------
    pointer : where it is, for a kernel.
    """

    pointer: int

    def read(self, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """A copy of what it holds when all that is queued is done."""

    def write(self, array: NDArray[Any]) -> None:
        """Queue its filling with what an array of its shape and type holds, which may be changed afterwards."""

    def later(self) -> Callable[[], NDArray[Any]]:
        """Queue a copy; a call waits until all that was queued before it is done, for no more, and returns it."""

    def rows(self, first: int, end: int) -> NDArray[Any]:
        """A copy of some rows as they are, while other work goes on."""


class Launch(NamedTuple):
    """A kernel for so many warps, with what it is called with: a structured array without dimensions."""

    kernel: Any
    warps: int
    call: NDArray[np.void]


class Device(Protocol):
    """A machine that runs kernels, one after the other, in the order in which they are queued.

    Attributes
    ----------
    name : of the machine, for results.
    """

    name: str

    def kernels(self, text: str, names: Iterable[str]) -> dict[str, Any]:
        """The kernels of a text, by their names."""

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> Array:
        """An array that is zero."""

    def repeated(self, launches: Sequence[Launch], times: int) -> Callable[[], None]:
        """What queues some launches so many times; what they are called with is that of this moment."""

    def free(self) -> int:
        """Bytes of memory that can be had."""

    def holders(self) -> str:
        """Which other processes hold memory, as `process 4711 (python) holds 3.0 GiB`, or nothing."""


def open_device() -> Device:
    """The graphics card of this machine.

    Raises
    ------
    ConfigError : the extra is missing, or there is no such card.
    """
    try:
        with warnings.catch_warnings(action="ignore"):  # of what else of CUDA it finds
            import cupy
    except ImportError as error:
        line = one_line(str(error))
        raise ConfigError(f"device: cuda needs CuPy, which is not installed: {install('cuda')} ({line})") from None
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise refuse("device", CUDA, f"cpu: CuPy finds no CUDA device here ({one_line(str(error))})") from None
    with _errors(cupy):
        return GraphicsCard(cupy)


def zeros_of(device: Device, shapes: Mapping[str, tuple[tuple[int, ...], DTypeLike]], what: str) -> dict[str, Array]:
    """Arrays that are zero, if a device has memory for all; `what` needs it."""
    size = sum(math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in shapes.values())
    require_device_memory(device, size, what)
    return {name: device.zeros(*shape) for name, shape in shapes.items()}


def require_device_memory(device: Device, size: int, what: str) -> None:
    """Refuse what needs more bytes than a device has free, and name who holds them where that is known."""
    free = device.free()
    if size > free:
        held = f"; {holders}" if (holders := device.holders()) else ""
        raise ConfigError(
            f"device=cuda: {what} need {size / 2**30:.1f} GiB of the memory of {device.name}; "
            f"{free / 2**30:.1f} GiB are free{held}"
        )


@contextlib.contextmanager
def _errors(cupy: Any) -> Iterator[None]:
    """While this context is open what CUDA says is an error of one line."""
    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as error:
        raise ConfigError(f"device=cuda: {one_line(str(error))}") from error
    except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
        raise DeviceError(f"device=cuda: the graphics card does no more work: {one_line(str(error))}") from error


class CardArray:
    """An `Array` of a graphics card."""

    def __init__(self, card: "GraphicsCard", shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self._card, self._shape, self._dtype = card, shape, np.dtype(dtype)
        self._size = math.prod(shape) * self._dtype.itemsize
        self._memory = card.cupy.cuda.alloc(max(1, self._size))
        self._memory.memset_async(0, self._size, card.stream)
        self.pointer: int = self._memory.ptr

    def read(self, into: NDArray[Any] | None = None) -> NDArray[Any]:
        """See `Array`."""
        into = np.empty(self._shape, self._dtype) if into is None else into
        with _errors(self._card.cupy):
            self._memory.copy_to_host_async(into.ctypes.data, self._size, self._card.stream)
            self._card.stream.synchronize()
        return into

    def write(self, array: NDArray[Any]) -> None:
        """See `Array`: memory of the host that is not pinned is read before the call returns."""
        with _errors(self._card.cupy):
            self._memory.copy_from_host_async(array.ctypes.data, self._size, self._card.stream)

    def later(self) -> Callable[[], NDArray[Any]]:
        """See `Array`."""
        cupy, stream = self._card.cupy, self._card.stream
        with _errors(cupy):
            pinned = cupy.cuda.alloc_pinned_memory(self._size)
            self._memory.copy_to_host_async(pinned.ptr, self._size, stream)
            event = stream.record(cupy.cuda.Event(block=True, disable_timing=True))  # the host sleeps

        def wait() -> NDArray[Any]:
            with _errors(cupy):
                event.synchronize()
            return np.frombuffer(pinned, self._dtype, math.prod(self._shape)).reshape(self._shape).copy()

        return wait

    def rows(self, first: int, end: int) -> NDArray[Any]:
        """See `Array`."""
        rows = np.empty((end - first, *self._shape[1:]), self._dtype)
        with _errors(self._card.cupy):
            start = self._memory + first * math.prod(self._shape[1:]) * self._dtype.itemsize
            start.copy_to_host_async(rows.ctypes.data, rows.nbytes, self._card.beside)
            self._card.beside.synchronize()
        return rows


class _Kernel(NamedTuple):
    function: Any
    threads: int  # of a block, as its text says


class GraphicsCard:
    """A `Device` that computes with CUDA.

    CuPy is what allocates and launches. Its own compiler flushes small numbers to zero, which a CPU does not, so NVRTC
    is called here.
    """

    def __init__(self, cupy: Any) -> None:
        self.cupy, card = cupy, cupy.cuda.Device()
        card.synchronize()  # what is queued of a host program that is gone may use memory that CuPy gives out anew
        self.stream, self.beside = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
        self.name: str = cupy.cuda.runtime.getDeviceProperties(card.id)["name"].decode()

    def kernels(self, text: str, names: Iterable[str]) -> dict[str, _Kernel]:
        """See `Device`."""
        driver = self.cupy.cuda.driver
        with _errors(self.cupy):
            module = self.cupy.cuda.Module()
            module.load(compiled(self.cupy, text, f"sm_{self.cupy.cuda.Device().compute_capability}"))
            functions = {name: module.get_function(name) for name in names}
            threads = driver.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
            return {name: _Kernel(f, driver.funcGetAttribute(threads, f.ptr)) for name, f in functions.items()}

    def zeros(self, shape: tuple[int, ...], dtype: DTypeLike) -> CardArray:
        """See `Device`."""
        with _errors(self.cupy):
            return CardArray(self, shape, dtype)

    def repeated(self, launches: Sequence[Launch], times: int) -> Callable[[], None]:
        """See `Device`: a graph, which is launched in one call."""
        with _errors(self.cupy):
            self.stream.begin_capture()
            for _ in range(times):
                for kernel, warps, call in launches:
                    blocks = -(-warps * WARP // kernel.threads)
                    kernel.function((blocks,), (kernel.threads,), (call,), stream=self.stream)
            graph = self.stream.end_capture()

        def queue(_: Sequence[Launch] = launches) -> None:  # a kernel that nobody names is unloaded
            with _errors(self.cupy):
                graph.launch(self.stream)

        return queue

    def free(self) -> int:
        """See `Device`."""
        with _errors(self.cupy):
            return int(self.cupy.cuda.runtime.memGetInfo()[0] + self.cupy.get_default_memory_pool().free_bytes())

    def holders(self) -> str:
        """See `Device`, by NVIDIA's own program."""
        fields = ["--query-compute-apps=pid,process_name,used_memory", "--format=csv,noheader,nounits"]
        try:
            lines = subprocess.run(["nvidia-smi", *fields], capture_output=True, text=True).stdout.splitlines()
        except OSError:
            return ""
        rows = [line.split(", ") for line in lines if line.count(", ") == 2]
        others = [f"process {pid} ({Path(name).name}) holds {int(used) / 1024:.1f} GiB"
                  for pid, name, used in rows if pid != str(os.getpid()) and used.isdecimal()]  # fmt: skip
        return ", ".join(others)


def compiled(cupy: Any, text: str, architecture: str) -> bytes:
    """The binary code of a text for an architecture, as `sm_90`, from the user's cache where it is there.

    Raises
    ------
    ConfigError : NVRTC, the compiler, is missing, or does not compile for this architecture.
    """
    nvrtc, options = cupy.cuda.nvrtc, (*OPTIONS, f"--gpu-architecture={architecture}")
    try:
        key = repr((nvrtc.getVersion(), options, text))
    except RuntimeError as error:
        line = one_line(str(error))
        raise ConfigError(f"device: cuda needs NVRTC, which is not installed: {install('cuda')} ({line})") from None
    path = _cache() / f"{hashlib.sha256(key.encode()).hexdigest()}.cubin"
    with contextlib.suppress(OSError):
        return path.read_bytes()
    program = nvrtc.createProgram(text, "kernels.cu", (), ())
    try:
        nvrtc.compileProgram(program, options)
    except nvrtc.NVRTCError:
        line = next((line for line in nvrtc.getProgramLog(program).splitlines() if "error" in line), "")
        version = ".".join(map(str, nvrtc.getVersion()))
        raise ConfigError(f"device=cuda: NVRTC {version} does not compile for {architecture}: {line}") from None
    code: bytes = nvrtc.getCUBIN(program)
    nvrtc.destroyProgram(program)
    with contextlib.suppress(OSError):  # it is compiled anew next time, in half a second
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path) as file:
            file.write(code)
    return code


def _cache() -> Path:
    """The folder of what was compiled."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "tdl", "kernels")
