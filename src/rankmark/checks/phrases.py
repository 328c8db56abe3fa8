"""Counts and shares in words."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, one: str, many: str | None = None) -> str:
    """Write how many of something: "1 line", "2,000 lines"."""
    return f"1 {one}" if number == 1 else f"{number:,} {many or one + 's'}"


def verb(number: int, one: str, many: str) -> str:
    """Choose the form of a verb."""
    return one if number == 1 else many


def per_cent(share: float) -> str:
    """Write a share in per cent; a little is never 0.0%, and nearly all never 100.0%."""
    if 0 < share < 0.001:
        return "less than 0.1%"
    if 0.999 < share < 1:
        return "more than 99.9%"
    return f"{share:.1%}"


def and_more(said: Sequence[str], most: int, separator: str = ", ") -> str:
    """Write a list of which no more than some are named: "a, b and 3 more"."""
    if len(said) <= most:
        return separator.join(said)
    return f"{separator.join(said[:most])} and {len(said) - most:,} more"


def all_of(runs: int) -> str:
    """Write "both runs", or "all 3 runs"."""
    return "both runs" if runs == 2 else f"all {runs} runs"
