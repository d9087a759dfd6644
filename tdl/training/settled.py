"""Objects whose attributes are what they were made with: an assignment works, or it is refused."""

from typing import Any, ClassVar

from tdl.errors import nearest


class Settled:
    """Base of classes with `__slots__`, whose public attributes are assigned once, but for those in `CHANGEABLE`."""

    __slots__ = ("__weakref__",)

    CHANGEABLE: ClassVar[tuple[str, ...]] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name not in self.CHANGEABLE and hasattr(self, name):
            can = f"what can be is {', '.join(self.CHANGEABLE)}" if self.CHANGEABLE else "nothing can be"
            raise AttributeError(f"{name}: cannot be changed in a {type(self).__name__}, {can}; make a new one")
        try:
            super().__setattr__(name, value)
        except AttributeError:
            raise AttributeError(
                f"{name}: no attribute of a {type(self).__name__}{nearest(name, dir(self))}"
            ) from None
