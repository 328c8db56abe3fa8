"""A cache of computed values."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

T = TypeVar("T")


class Cache(dict[Any, Any]):
    """Values that can be computed again; beyond ``most``, the oldest are dropped.

    Threads can share it; at worst, two compute the same value. It is pickled empty.
    """

    __slots__ = ()
    most: ClassVar[int] = 128

    def keep(self, what: object, value: T) -> T:
        """Keep and return a value."""
        self[what] = value
        if len(self) > self.most:
            for oldest in list(self)[: -self.most]:
                self.pop(oldest, None)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()
