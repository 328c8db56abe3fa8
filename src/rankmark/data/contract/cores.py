"""The processors and threads that read input."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from rankmark.arguments import whole
from rankmark.errors import InputError

_MOST_THREADS = 1024  # a system may refuse more


def as_threads(threads: int | None) -> int:
    """Return the number of threads to use: the one requested, or one per core.

    Raises
    ------
    InputError
        If it is not a whole number from 1.
    """
    return cores() if threads is None else min(whole("threads", threads), _MOST_THREADS)


@cache
def cores() -> int:
    """Count the processors that this process may use, at most 16: more do not speed up reading."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), 16)
    return min(os.cpu_count() or 1, 16)


@contextmanager
def typed_refusal(remedy: str) -> Iterator[None]:
    """Raise InputError if the system starts no more threads; ``remedy`` is one besides."""
    try:
        yield
    except RuntimeError as error:  # Python has no type of its own for it
        if "start new thread" not in str(error):
            raise
        raise InputError(
            "the system starts no more threads", f"{remedy}, or allow more threads or memory"
        ) from None
