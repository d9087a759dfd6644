"""The one place that imports PyTorch: a line that says how to get it, its memory, threads and device, and CUDA graphs.

On an NVIDIA H200 a fit of the published learner, 1,200 updates, takes .5 seconds as a graph and 4 kernel by kernel; 19
of the 20 games of an iteration take .05 and .3.
"""

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tdl.base import machine
from tdl.base.distribution import install
from tdl.cuda.device import CUDA
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
    if device == CUDA and not torch.cuda.is_available():
        raise refuse("device", device, "cpu: PyTorch finds no CUDA device here")
    torch.backends.cudnn.allow_tf32 = False  # products of convolutions in 32 bits, as all others
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True, warn_only=device != "cpu")


def instructions(device: str) -> str:
    """The CPU's instructions that PyTorch computes with, or the name of another device."""
    if device == "cpu":
        return str(torch.backends.cpu.get_cpu_capability())
    return str(torch.cuda.get_device_name())


Tensor = torch.Tensor
Function = Callable[..., Tensor]

WARM_UP = 3
"""Calls before the capture, on a stream of their own, as PyTorch's notes on CUDA graphs ask."""

MAX_GRAPHS = 16
"""Tensors of further shapes are computed without a graph."""


@dataclass(frozen=True)
class _Graph:
    graph: torch.cuda.CUDAGraph
    inputs: tuple[Tensor, ...]
    output: Tensor


class Repeated:
    """A function of tensors whose kernels a graphics card repeats as one CUDA graph, without Python between them.

    The results are the same as without this, to rounding.

    Parameters
    ----------
    function : computes on the card alone, from its tensors and others that stay where they are; nothing that Python
        does in it is done again.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._aside: torch.cuda.Stream | None = None
        self._calls: dict[tuple[torch.Size, ...], int] = {}
        self._graphs: dict[tuple[torch.Size, ...], _Graph] = {}

    def __call__(self, *inputs: Tensor) -> Tensor:
        """The result of the function, from tensors on the CPU or the card; the next call overwrites it."""
        shapes = tuple(tensor.shape for tensor in inputs)
        calls = self._calls.setdefault(shapes, 0)
        self._calls[shapes] += 1
        if shapes not in self._graphs and len(self._graphs) >= MAX_GRAPHS:
            return self._compute(*inputs)
        if calls < WARM_UP:
            return self._warm_up(*inputs)
        captured = self._graphs.get(shapes) or self._graphs.setdefault(shapes, self._capture(*inputs))
        for target, tensor in zip(captured.inputs, inputs, strict=True):
            target.copy_(tensor)
        captured.graph.replay()
        return captured.output

    def _compute(self, *inputs: Tensor) -> Tensor:
        return self._function(*(tensor.to(CUDA) for tensor in inputs))

    def _warm_up(self, *inputs: Tensor) -> Tensor:
        self._aside = self._aside or torch.cuda.Stream()  # type: ignore[no-untyped-call]
        current = torch.cuda.current_stream()
        self._aside.wait_stream(current)
        with torch.cuda.stream(self._aside):
            output = self._compute(*inputs)
        current.wait_stream(self._aside)
        return output

    def _capture(self, *inputs: Tensor) -> _Graph:
        """Record the kernels; nothing is computed."""
        copies = tuple(tensor.to(CUDA, copy=True) for tensor in inputs)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            output = self._function(*copies)
        return _Graph(graph, copies, output)
