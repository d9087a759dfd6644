"""A graphics card as a device, by a stand-in for CuPy whose card is this process, and what is said without one.

The stand-in has what CuPy 14 has under these names; kernels are not run. A card itself is for the tests that need one.
"""

import ctypes
import os
import sys
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from tdl.cuda import device
from tdl.cuda.device import CPU, DEVICES, Launch, open_device, require_device_memory
from tdl.errors import ConfigError, DeviceError

BLOCK = 128
CALL = np.dtype([("number", "<i4")])


class CudaError(RuntimeError):
    """Of CuPy `CUDARuntimeError`."""


class Memory:
    """Of CuPy `MemoryPointer`; it is never zero at first."""

    lost = False

    def __init__(self, size, whole=None, start=0):
        self.whole = (ctypes.c_char * size)(*b"x" * size) if whole is None else whole
        self.start, self.ptr = start, ctypes.addressof(self.whole) + start

    def __add__(self, more):
        return Memory(0, self.whole, self.start + more)

    def memset_async(self, value, size, stream):
        ctypes.memset(self.ptr, value, size)

    def copy_from_host_async(self, mem, size, stream):
        ctypes.memmove(self.ptr, mem, size)

    def copy_to_host_async(self, mem, size, stream):
        if Memory.lost:
            raise CudaError("cudaErrorDeviceUnavailable: no\nsuch card")
        ctypes.memmove(mem, self.ptr, size)


class Stream:
    """What is queued is done at once; launches are written down."""

    def __init__(self, non_blocking):
        self.calls, self.done = None, []

    def synchronize(self):
        pass

    def record(self, event):
        return event

    def begin_capture(self):
        self.calls = []

    def end_capture(self):
        calls, self.calls = self.calls, None
        return SimpleNamespace(launch=lambda stream: stream.done.extend(calls))


class Module:
    def load(self, code):
        self.code = code

    def get_function(self, name):
        return Function(self, name)


class Function:
    ptr = 7

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, grid, block, args, stream):
        (call,) = args
        stream.calls.append((self.module.code, self.name, grid, block, call["number"].item()))


class Nvrtc:
    """Of CuPy `nvrtc`, NVIDIA's compiler."""

    NVRTCError = type("NVRTCError", (RuntimeError,), {})

    def __init__(self):
        self.compiled = []

    def getVersion(self):  # noqa: N802
        return 12, 9

    def createProgram(self, text, name, headers, names):  # noqa: N802
        return text

    def compileProgram(self, text, options):  # noqa: N802
        if "--gpu-architecture=sm_999" in options:
            raise self.NVRTCError("NVRTC_ERROR_INVALID_OPTION (5)")
        self.compiled.append((text, options))

    def getCUBIN(self, text):  # noqa: N802
        return text.upper().encode()

    def getProgramLog(self, text):  # noqa: N802
        return "a warning\nnvrtc: error: invalid value for --gpu-architecture (-arch)\n"

    def destroyProgram(self, text):  # noqa: N802
        pass


def pinned(size):
    memory = (ctypes.c_char * size)()
    memory.ptr = ctypes.addressof(memory)
    return memory


@pytest.fixture
def cupy(monkeypatch, tmp_path):
    event = SimpleNamespace(synchronize=lambda: None)
    cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            CUDARuntimeError=CudaError,
            getDeviceCount=lambda: 1,
            getDeviceProperties=lambda number: {"name": b"A card"},
            memGetInfo=lambda: (3 << 30, 8 << 30),
        ),
        driver=SimpleNamespace(
            CUDADriverError=CudaError,
            CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK=0,
            funcGetAttribute=lambda attribute, function: BLOCK,
        ),
        memory=SimpleNamespace(OutOfMemoryError=MemoryError),
        nvrtc=Nvrtc(),
        Device=lambda: SimpleNamespace(id=0, compute_capability="90", synchronize=lambda: None),
        Event=lambda block, disable_timing: event,
        Stream=Stream,
        Module=Module,
        alloc=Memory,
        alloc_pinned_memory=pinned,
    )
    module = SimpleNamespace(cuda=cuda, get_default_memory_pool=lambda: SimpleNamespace(free_bytes=lambda: 1 << 30))
    monkeypatch.setitem(sys.modules, "cupy", module)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return module


def test_arrays_are_zero_written_and_read(cupy):
    card = open_device()
    array, values = card.zeros((5, 2), np.int16), np.arange(10, dtype=np.int16).reshape(5, 2)
    assert (card.name, card.free()) == ("A card", 4 << 30)
    assert array.read().tolist() == [[0, 0]] * 5
    array.write(values)
    later, into = array.later(), np.zeros((5, 2), np.int16)
    array.write(values + 1)
    assert later().tolist() == values.tolist()
    assert array.read(into) is into
    assert into.tolist() == (values + 1).tolist()
    assert array.rows(1, 3).tolist() == [[3, 4], [5, 6]]


def test_launches_are_repeated_with_what_they_were_called_with(cupy):
    card, call = open_device(), np.zeros((), CALL)
    kernels = card.kernels("text", ["one", "other"])
    call["number"] = 3
    queue = card.repeated([Launch(kernels["one"], 9, call), Launch(kernels["other"], 1, call)], 2)
    call["number"] = 4
    assert card.stream.done == []
    alive = weakref.ref(kernels["one"].function.module)
    del kernels
    queue()
    assert alive() is not None  # CuPy unloads a module that nobody names
    assert card.stream.done == 2 * [(b"TEXT", "one", (3,), (BLOCK,), 3), (b"TEXT", "other", (1,), (BLOCK,), 3)]


def test_a_text_is_compiled_once_for_each_kind_of_card(cupy, tmp_path):
    for architecture in "sm_90", "sm_90", "sm_80":
        assert device.compiled(cupy, "text", architecture) == b"TEXT"
    texts, options = zip(*cupy.cuda.nvrtc.compiled, strict=True)
    assert texts == ("text", "text")
    assert options == tuple((*device.OPTIONS, f"--gpu-architecture={sm}") for sm in ("sm_90", "sm_80"))
    assert "--fmad=false" in device.OPTIONS
    assert len(list((tmp_path / "cache" / "tdl" / "kernels").iterdir())) == 2


def test_a_cache_that_cannot_be_written_is_done_without(cupy, tmp_path):
    (tmp_path / "cache").write_text("a file")
    assert device.compiled(cupy, "text", "sm_90") == b"TEXT"


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(ConfigError) as refused:
        open_device()
    start = "device: cuda needs CuPy, which is not installed: pip install 'tdl-ntuple[cuda]' ("
    assert str(refused.value).startswith(start)


def test_without_the_compiler(cupy, monkeypatch):
    def missing():
        raise RuntimeError('Failure finding "libnvrtc.so.12"')

    monkeypatch.setattr(cupy.cuda.nvrtc, "getVersion", missing)
    with pytest.raises(ConfigError) as refused:
        open_device().kernels("text", ["one"])
    assert str(refused.value) == (
        "device: cuda needs NVRTC, which is not installed: pip install 'tdl-ntuple[cuda]' "
        '(Failure finding "libnvrtc.so.12")'
    )


def test_a_card_that_the_compiler_does_not_know(cupy):
    with pytest.raises(ConfigError) as refused:
        device.compiled(cupy, "text", "sm_999")
    assert str(refused.value) == (
        "device=cuda: NVRTC 12.9 does not compile for sm_999: "
        "nvrtc: error: invalid value for --gpu-architecture (-arch)"
    )


def test_without_a_card(cupy, monkeypatch):
    def none():
        raise CudaError("cudaErrorNoDevice: no CUDA-capable device is detected")

    monkeypatch.setattr(cupy.cuda.runtime, "getDeviceCount", none)
    with pytest.raises(ConfigError) as refused:
        open_device()
    assert str(refused.value) == (
        f"device: 'cuda' is not allowed; expected {CPU}: CuPy finds no CUDA device here "
        "(cudaErrorNoDevice: no CUDA-capable device is detected)"
    )
    assert DEVICES == (CPU, "cuda")


def test_a_card_that_is_lost(cupy, monkeypatch):
    array = open_device().zeros((2,), np.int64)
    monkeypatch.setattr(Memory, "lost", True)
    for use in array.read, array.later, lambda: array.rows(0, 1):
        with pytest.raises(DeviceError) as lost:
            use()
        line = "device=cuda: the graphics card does no more work: cudaErrorDeviceUnavailable: no; such card"
        assert str(lost.value) == line


def test_memory_that_cannot_be_had_after_all(cupy, monkeypatch):
    def none(size):
        raise MemoryError("Out of memory allocating 5 bytes")

    monkeypatch.setattr(cupy.cuda, "alloc", none)
    with pytest.raises(ConfigError, match=r"^device=cuda: Out of memory allocating 5 bytes$"):
        open_device().zeros((5,), np.uint8)


@pytest.mark.parametrize(
    ("printed", "held"),
    [
        ("", ""),
        ("No devices were found", ""),
        ("4711, /usr/bin/python3, 77824\nOURS, python, 5", "; process 4711 (python3) holds 76.0 GiB"),
        ("1, a, 1024\n2, b, [N/A]\n3, c, 512", "; process 1 (a) holds 1.0 GiB, process 3 (c) holds 0.5 GiB"),
    ],
)
def test_who_holds_the_memory(cupy, monkeypatch, tmp_path, printed, held):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\ncat <<END\n{printed.replace('OURS', str(os.getpid()))}\nEND\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    card = open_device()
    require_device_memory(card, 4 << 30, "a network")
    with pytest.raises(ConfigError) as refused:
        require_device_memory(card, 5 << 30, "a network")
    line = "device=cuda: a network need 5.0 GiB of the memory of A card; 4.0 GiB are free"
    assert str(refused.value) == line + held


def test_without_the_program_nobody_is_named(cupy, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert open_device().holders() == ""
