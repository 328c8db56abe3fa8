"""The processors, threads and memory that reading input may use."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Annotated, Any

from rankmark.arguments import Kind, whole
from rankmark.errors import InputError, shown

_MOST_THREADS = 1024  # a system may refuse more


def as_threads(threads: int | None) -> int:
    """Return the number of threads to use: the one requested, or one per core."""
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


DEFAULT_MEMORY = 1 << 29
_LEAST = 1 << 16
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_WRITTEN = r"(?ai)(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?"


def as_memory(memory: Any) -> int:
    """Return the number of bytes that a bound on memory allows.

    Parameters
    ----------
    memory
        A whole number of bytes, or text such as ``"512M"``; K, M, G and T are powers of 1,024.
        None means 512 MiB.
    """
    if memory is None:
        return DEFAULT_MEMORY
    allowed = None
    if isinstance(memory, str):
        if (written := re.fullmatch(_WRITTEN, memory.strip())) is not None:
            allowed = int(float(written[1]) * (1 << _UNITS[written[2].lower()]))
    elif not isinstance(memory, bool):
        with suppress(TypeError, ValueError, OverflowError):  # as of arrays
            allowed = int(memory) if int(memory) == memory else None
    if allowed is None:
        raise InputError(
            f"memory is {shown(memory)}", "need a number of bytes, or text such as 512M or 2G"
        )
    if allowed < _LEAST:
        raise InputError(f"memory is {shown(memory)}, which is too little", "allow at least 64K")
    return min(allowed, 1 << 62)


Memory = Annotated[int | str, Kind(lambda _, given: as_memory(given))]
"""The verb gets a number of bytes."""
