"""Count the processors that read input."""

from __future__ import annotations

import os
from functools import cache


@cache
def cores() -> int:
    """Count the processors that this process may use, at most 16: more do not speed up reading."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), 16)
    return min(os.cpu_count() or 1, 16)
