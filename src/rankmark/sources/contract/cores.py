"""The processors and threads that read input."""

from __future__ import annotations

import os
from functools import cache

from rankmark.conventions import whole

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
