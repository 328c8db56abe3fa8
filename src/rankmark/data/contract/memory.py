"""The memory that reading a run may use for rows that it has to gather."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

from rankmark.errors import InputError, shown

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

    Raises
    ------
    InputError
        If it is neither, or less than 64K.
    """
    if memory is None:
        return DEFAULT_MEMORY
    allowed = None
    if isinstance(memory, str):
        if (written := re.fullmatch(_WRITTEN, memory.strip())) is not None:
            allowed = int(float(written[1]) * (1 << _UNITS[written[2].lower()]))
    elif not isinstance(memory, bool):
        with suppress(TypeError, ValueError, OverflowError):
            allowed = int(memory)
        if allowed != memory:
            allowed = None
    if allowed is None:
        raise InputError(
            f"memory is {shown(memory)}", "need a number of bytes, or text such as 512M or 2G"
        )
    if allowed < _LEAST:
        raise InputError(f"memory is {shown(memory)}, which is too little", "allow at least 64K")
    return min(allowed, 1 << 62)
