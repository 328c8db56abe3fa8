"""The machine that the figures come from, in words."""

import os
import platform
from pathlib import Path


def describe() -> str:
    """Name the cores, the processor, the system, the Python and how busy it was."""
    busy = os.getloadavg()[0]
    return (
        f"{cores()} cores, {processor()}, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, load {busy:.1f}"
    )


def cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor() -> str:
    """Return the processor's name."""
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        for line in facts.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
