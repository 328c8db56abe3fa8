"""The order in which people expect names: numbers in them by their size."""

from __future__ import annotations

import re


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return a key that orders names naturally.

    Examples
    --------
    >>> sorted(["q10", "q2", "10", "2", "intent"], key=natural)
    ['2', '10', 'intent', 'q2', 'q10']
    """
    parts = re.split(r"([0-9]+)", text)
    return [
        (0, len(part.lstrip("0")), part.lstrip("0") + part) if part.isdigit() else (1, 0, part)
        for part in parts
        if part
    ]
