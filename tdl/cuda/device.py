"""What a host program needs of a machine that runs kernels, and no more."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray


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
        """Queue its filling with what an array of its shape holds."""

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

    def array(self, array: NDArray[Any]) -> Array:
        """A copy of an array of the host."""

    def zeros(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> Array:
        """An array that is zero."""

    def repeated(self, launches: Sequence[Launch], times: int) -> Callable[[], None]:
        """What queues some launches so many times; what they are called with is that of this moment."""

    def free(self) -> int:
        """Bytes of memory that can be had."""
