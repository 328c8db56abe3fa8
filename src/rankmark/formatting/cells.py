"""Figures in tables of plans: numbers, shares and counts that may be unknown."""

from __future__ import annotations

import math

UNKNOWN = "-"


def number(value: float) -> str:
    """Write a number with four decimals."""
    return UNKNOWN if math.isnan(value) else f"{value:.4f}"


def percent(share: float) -> str:
    """Write a share in percent with one decimal."""
    return UNKNOWN if math.isnan(share) else f"{share:.1%}"


def whole(value: int | None) -> str:
    """Write a whole number."""
    return UNKNOWN if value is None else f"{value:,}"
