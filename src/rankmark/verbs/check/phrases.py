"""Write counts and shares in words."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, one: str, many: str | None = None) -> str:
    """Write how many of something: "1 line", "2,000 lines"."""
    return f"1 {one}" if number == 1 else f"{number:,} {many or one + 's'}"


def verb(number: int, one: str, many: str) -> str:
    """Choose the form of a verb."""
    return one if number == 1 else many


def per_cent(share: float) -> str:
    """Write a share in per cent; only 0 is 0.0%, and only 1 is 100.0%."""
    if 0 < share < 0.001:
        return "less than 0.1%"
    if 0.999 < share < 1:
        return "more than 99.9%"
    return f"{share:.1%}"


def and_more(items: Sequence[str], most: int, separator: str = ", ") -> str:
    """Write the first items of a list: "a, b and 3 more"."""
    if len(items) <= most:
        return separator.join(items)
    return f"{separator.join(items[:most])} and {len(items) - most:,} more"


def all_of(runs: int) -> str:
    """Write "both runs", or "all 3 runs"."""
    return "both runs" if runs == 2 else f"all {runs} runs"
