"""How far long work has come, told to whoever listens. No result depends on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Listener = Callable[[str, int, int], None]
"""A function of what is being done, how many steps are done, and of how many."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)

T = TypeVar("T")


@contextmanager
def told_to(listener: Listener) -> Iterator[None]:
    """Tell a function how far the work in this block has come."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def steps(what: str, work: Iterable[T], total: int) -> Iterator[T]:
    """Yield the steps of long work, and tell how many are done.

    Parameters
    ----------
    what
        What is being done, such as "testing".
    work
        The steps.
    total
        The number of steps.
    """
    listener = _listener.get()
    if listener is None:
        yield from work
        return
    listener(what, 0, total)
    for done, step in enumerate(work, 1):
        yield step
        listener(what, done, total)
