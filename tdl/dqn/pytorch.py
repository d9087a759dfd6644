"""The one place that imports PyTorch: a line that says how to get it, its memory, threads and device."""

import contextlib
import os
from collections.abc import Iterator

from tdl.base import machine
from tdl.base.distribution import install
from tdl.errors import ConfigError, refuse

# Large tensors in large pages, asked for before PyTorch looks. With this and `keep_freed_memory` an update of the
# published network takes 0.76 of the time it takes without both in 32 bits, 0.70 in 16: one thread, tensors of 8 MiB.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")

# Without a workspace of a fixed size a graphics card's products may differ from run to run (PyTorch, Reproducibility).
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

try:
    import torch as torch
except ImportError as error:
    raise ConfigError(f"the deep Q-network needs PyTorch: {install('dqn')} ({error})") from None

machine.keep_freed_memory()


@contextlib.contextmanager
def without_denormals() -> Iterator[None]:
    """While this context is open numbers below 1e-38 are zeros, for this thread and those that it starts.

    What an optimizer keeps of weights that no longer move falls for ever: after 30 iterations of the published learner
    half of its numbers were below, and an update took 47 ms, not 31 (16 bits, one thread).
    """
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def prepare(threads: int, device: str = "cpu") -> None:
    """Set the number of PyTorch's threads, and refuse a device that it does not find, with a ConfigError."""
    if device == "cuda" and not torch.cuda.is_available():
        raise refuse("device", device, "cpu: PyTorch finds no CUDA device here")
    torch.backends.cudnn.allow_tf32 = False  # products of convolutions in 32 bits, as all others
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=device != "cpu")


def instructions(device: str) -> str:
    """The CPU's instructions that PyTorch computes with, or the name of another device."""
    if device == "cpu":
        return str(torch.backends.cpu.get_cpu_capability())
    return str(torch.cuda.get_device_name())
